/** The setup of the browser tests: it finds what it must find, and its wallets behave like real ones. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Connection, PublicKey, SystemProgram, Transaction } from '@solana/web3.js';
import type { Page } from 'playwright-core';
import { createPublicClient, http, verifyMessage } from 'viem';
import { beforeAll, expect, test } from 'vitest';
import { onTeardown } from '../setup/teardown.ts';
import { type BrowserGround, openBrowserGround } from './setup/ground.ts';
import { injectEvmWallet } from './setup/inject-evm-wallet.ts';
import { injectSolanaWallet } from './setup/inject-solana-wallet.ts';
import { openPage } from './setup/open-page.ts';

let ground: BrowserGround;
let blankUrl: string;

beforeAll(async () => {
  ground = await openBrowserGround();
  blankUrl = await serve('<!doctype html><html lang="en"><title>Blank</title><main><h1>Blank</h1></main></html>');
});

/** A page of our own under a policy that allows nothing. */
async function serve(html: string): Promise<string> {
  const server = createServer((_request, response) => {
    const policy = { 'content-type': 'text/html', 'content-security-policy': "default-src 'none'; img-src data:" };
    response.writeHead(200, policy).end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTeardown(async () => void server.close());
  const address = server.address() as AddressInfo;
  return `http://127.0.0.1:${address.port}/`;
}

/** As pages find EVM wallets. */
async function request(page: Page, method: string, params: unknown[] = []): Promise<unknown> {
  return await page.evaluate(
    async ([name, list]) => {
      const found = new Promise<CustomEvent>((resolve) =>
        window.addEventListener('eip6963:announceProvider', (event) => resolve(event as CustomEvent), { once: true }),
      );
      window.dispatchEvent(new Event('eip6963:requestProvider'));
      const { provider } = (await found).detail;
      return await provider
        .request({ method: name, params: list })
        .catch((error: { code: number }) => `refused with ${error.code}`);
    },
    [method, params] as const,
  );
}

test('a page of the installation loads under its content security policy without violations', async () => {
  const { page, picture } = await openPage({ expected: [/404/] });
  const response = await page.goto(`${ground.origin}/link/nobody`);
  expect(response?.status()).toBe(200);
  expect(response?.headers()['content-security-policy']).toContain("default-src 'none'");
  await page.locator('#page > *').first().waitFor();
  await picture('ground');
});

test('the faults of a page are found: errors, blocked scripts and accessibility violations', async () => {
  const { page, faults, axe } = await openPage({ expected: [/ERR_CONNECTION_REFUSED/] });
  const html = `<title>Wrong</title><main><h1>Wrong</h1><img src="data:,"></main><script>alert(1)</script>`;
  await page.goto(await serve(html));
  await page.evaluate(() => {
    console.error('a complaint');
    setTimeout(() => {
      throw new Error('a fault');
    });
  });
  await expect.poll(() => faults.some((one) => one.startsWith('thrown: a fault'))).toBe(true);
  expect(faults.some((one) => one.startsWith('printed: a complaint'))).toBe(true);
  expect(faults.some((one) => one.startsWith('refused: script-src-elem inline'))).toBe(true);
  expect((await axe()).map((fault) => fault.rule).sort()).toEqual(['html-has-lang', 'image-alt']);
  faults.splice(0);
});

test('the EVM wallet signs and sends transactions, switches chains, and rejects requests realistically', async () => {
  const [payer, other] = await Promise.all([ground.newPayer(), ground.newPayer({ isPoor: true })]);
  const rpcUrls = Object.fromEntries(ground.demo.chains.map((chain) => [chain.chainId, chain.rpcUrl]));
  const { page } = await openPage();
  const wallet = await injectEvmWallet(page, { privateKey: payer.privateKey, rpcUrls, chainId: 31337 });
  await page.goto(blankUrl);

  expect(await request(page, 'eth_accounts')).toEqual([]);
  wallet.behave('eth_requestAccounts', 'reject');
  expect(await request(page, 'eth_requestAccounts')).toBe('refused with 4001');
  wallet.behave('eth_requestAccounts');
  expect(await request(page, 'eth_requestAccounts')).toEqual([payer.address]);

  const signature = (await request(page, 'personal_sign', ['0x6869', payer.address])) as `0x${string}`;
  expect(await verifyMessage({ address: payer.address, message: 'hi', signature })).toBe(true);

  expect(await request(page, 'wallet_switchEthereumChain', [{ chainId: '0x1' }])).toBe('refused with 4902');
  await request(page, 'wallet_switchEthereumChain', [{ chainId: '0x7a6a' }]);
  expect(await request(page, 'eth_chainId')).toBe('0x7a6a');

  const call = { from: payer.address, to: other.address, value: '0x5' };
  wallet.behave('eth_sendTransaction', 'noMoney');
  expect(await request(page, 'eth_sendTransaction', [call])).toBe('refused with -32000');
  wallet.behave('eth_sendTransaction', 'hang');
  const sent = request(page, 'eth_sendTransaction', [call]);
  await expect.poll(() => wallet.asked().filter((method) => method === 'eth_sendTransaction').length).toBe(2);
  wallet.behave('eth_sendTransaction');
  const hash = (await sent) as `0x${string}`;
  const client = createPublicClient({ transport: http(rpcUrls[31338]) });
  await client.waitForTransactionReceipt({ hash, timeout: 60_000 });
  expect(await client.getBalance({ address: other.address })).toBe(5n);
});

test('the Solana wallet signs and sends transactions, and rejects requests realistically', async () => {
  const [payer, other] = await Promise.all([ground.newSolanaPayer(), ground.newSolanaPayer({ isPoor: true })]);
  const rpcUrl = ground.demo.solana?.rpcUrl ?? '';
  const connection = new Connection(rpcUrl, 'confirmed');
  const { page } = await openPage();
  const wallet = await injectSolanaWallet(page, { secretKey: payer.secretKey, rpcUrl });
  await page.goto(blankUrl);

  const lamports = 2_000_000;
  const { blockhash } = await connection.getLatestBlockhash();
  const from = new PublicKey(payer.address);
  const transaction = new Transaction({ feePayer: from, recentBlockhash: blockhash });
  transaction.add(SystemProgram.transfer({ fromPubkey: from, toPubkey: new PublicKey(other.address), lamports }));
  const bytes = [...transaction.serialize({ requireAllSignatures: false })];
  const send = () =>
    page.evaluate(async (unsigned) => {
      // biome-ignore lint/suspicious/noExplicitAny: what a wallet registers is what the standard says.
      const found: any = await new Promise((resolve) => {
        const api = { register: resolve };
        window.dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: api }));
      });
      const { accounts } = await found.features['standard:connect'].connect();
      return await found.features['solana:signAndSendTransaction']
        .signAndSendTransaction({
          account: accounts[0],
          chain: 'solana:localnet',
          transaction: Uint8Array.from(unsigned),
        })
        .then(
          () => accounts[0].address,
          (error: Error) => error.message,
        );
    }, bytes);
  wallet.behave('solana:signAndSendTransaction', 'reject');
  expect(await send()).toBe('User rejected the request.');
  wallet.behave('solana:signAndSendTransaction');
  expect(await send()).toBe(payer.address);
  const balance = () => connection.getBalance(new PublicKey(other.address), 'processed');
  await expect.poll(balance, { timeout: 60_000 }).toBe(lamports);
});
