/** The payer's page in a real browser, with a wallet that signs and a contract that answers. */
import type { Locator, Page } from 'playwright-core';
import { createPublicClient, erc20Abi, getAddress, type Hex, http } from 'viem';
import { beforeAll, expect, test } from 'vitest';
import { escrowAbi } from '../../src/escrow/escrow-abi.ts';
import { readEscrowState } from '../../src/escrow/read-escrow-state.ts';
import type { LocalAccount } from '../../src/local/local-accounts.ts';
import { openClosableProxy } from './payer/closable-proxy.ts';
import { holdElsewhere, payShop, subscribe, walletOf } from './payer/pay-as.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { injectEvmWallet } from './setup/inject-evm-wallet.ts';
import { type OpenPage, openPage, type PageOptions } from './setup/open-page.ts';
import { makeLink } from './setup/payer-visit.ts';

const CHAIN = 31337;
const HOUR = 3600;
const PATIENCE = { timeout: 60_000 };
/** A whole story; most of it is waiting for blocks. */
const STORY_MS = 400_000;

let ground: BrowserGround;
let shop: ShopGround;

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop('Tea house');
  // Long enough that a dispute can be opened whatever else this machine does.
  await ground.database.app.update({
    where: { id: shop.appId },
    data: { timelockDuration: HOUR, disputeStartDuration: HOUR },
  });
});

async function openWith(payer: LocalAccount, options: PageOptions = {}): Promise<OpenPage & { wallet: Wallet }> {
  const opened = await openPage(options);
  const rpcUrls = Object.fromEntries(ground.demo.chains.map((chain) => [chain.chainId, chain.rpcUrl]));
  const wallet = await injectEvmWallet(opened.page, { privateKey: payer.privateKey, rpcUrls, chainId: CHAIN });
  return { ...opened, wallet };
}
type Wallet = Awaited<ReturnType<typeof injectEvmWallet>>;

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click();

/** What the page asks for by this name is done, and its answer waits until it is let go. */
async function holdAnswer(page: Page, name: string): Promise<{ letGo: () => void }> {
  const { promise: isOver, resolve: letGo } = Promise.withResolvers<void>();
  await page.route('**/graphql', async (route) => {
    if (!route.request().postData()?.includes(`mutation ${name}`)) return route.fallback();
    const response = await route.fetch();
    await isOver;
    await route.fulfill({ response });
  });
  return { letGo };
}

async function revoke(consent: Locator, payer: LocalAccount): Promise<void> {
  const row = await ground.database.subscriptionConsent.findFirstOrThrow({ where: { walletAddress: payer.address } });
  const isRevoked = () => onChain(payer).isRevoked(`0x${row.consentId.slice(2)}`);
  expect(await isRevoked()).toBe(false);
  await consent.getByRole('button', { name: 'Cancel subscription' }).click();
  await consent.getByText('Cancelled', { exact: true }).waitFor();
  expect(await isRevoked()).toBe(true);
}

async function setToZero(page: Page, payer: LocalAccount): Promise<void> {
  const { allowance } = onChain(payer);
  expect(await allowance()).toBeGreaterThan(0n);
  const row = page.getByRole('article', { name: 'Approval for USDC' });
  await row.getByRole('button', { name: 'Revoke approval' }).click();
  await row.waitFor({ state: 'detached' });
  expect(await allowance()).toBe(0n);
}

function onChain(payer: LocalAccount) {
  const { chain, escrow } = walletOf(ground, payer);
  const client = createPublicClient({ transport: http(chain.rpcUrl) });
  const usdc = getAddress(chain.tokens[0]?.address ?? '');
  return {
    state: (id: Hex) => readEscrowState({ client, escrow }, { id }),
    allowance: () =>
      client.readContract({ address: usdc, abi: erc20Abi, functionName: 'allowance', args: [payer.address, escrow] }),
    isRevoked: async (id: Hex) =>
      (await client.readContract({ address: escrow, abi: escrowAbi, functionName: 'consentState', args: [id] }))[0],
  };
}

test('a payer signs in, sees a hold and a subscription, disputes, revokes, and withdraws the allowance', {
  timeout: STORY_MS,
}, async () => {
  const payer = await ground.newPayer();
  const chain = onChain(payer);
  const intentId = await payShop(ground, shop, payer);
  await subscribe(ground, shop, payer);
  const { page, wallet, picture, pictures, axe } = await openWith(payer);

  await page.goto(`${ground.origin}/pay`);
  await page.getByRole('heading', { name: 'Connect your wallet' }).waitFor();
  await picture('payer-connect');
  await press(page, 'Connect Test wallet');
  await page.waitForURL(`**/pay/${payer.address}`);
  await page.getByRole('heading', { name: 'Sign in with your wallet' }).waitFor();
  wallet.behave('personal_sign', 'reject');
  await press(page, 'Sign in with wallet');
  await page.getByText('You rejected the request in your wallet. Nothing was changed.').waitFor();
  await picture('payer-sign-in');
  expect(await axe()).toEqual([]);
  wallet.behave('personal_sign');
  await press(page, 'Sign in with wallet');

  const payment = page.getByRole('article', { name: 'Payment to Tea house' }).filter({ hasText: 'A pot of tea' });
  await payment.getByText('Paid, held in escrow').waitFor();
  await payment.getByText('Verified on the blockchain.').waitFor();
  const consent = page.getByRole('article', { name: 'Subscription with Tea house' });
  await consent.getByText('Active').waitFor();
  await page.getByRole('article', { name: 'Approval for USDC' }).waitFor();
  await pictures('payer-holdings');
  expect(await axe()).toEqual([]);

  await payment.getByRole('button', { name: 'Open dispute' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Sign dispute' }).click();
  await dialog.getByText('Enter a reason').waitFor();
  await dialog.getByLabel('Reason').fill('The tea never came.');
  await picture('payer-dispute');
  expect(await axe()).toEqual([]);
  const answer = await holdAnswer(page, 'PayerDispute');
  await dialog.getByRole('button', { name: 'Sign dispute' }).click();
  // The page itself sees the dispute on the chain before it has its own answer; what is behind a dialogue has no role.
  await page.locator('article').getByText('Disputed', { exact: true }).waitFor();
  answer.letGo();
  await dialog.getByText('Dispute submitted').waitFor();
  await dialog.getByText('Close', { exact: true }).last().click();
  await payment.getByText('Disputed', { exact: true }).waitFor();
  await expect.poll(() => payment.evaluate((card) => card === document.activeElement), PATIENCE).toBe(true);
  // The page reads the contract, and may be ahead of the gateway, which waits for confirmations.
  const disputed = () =>
    ground.database.paymentIntent.findUnique({ where: { id: intentId }, include: { dispute: true } });
  await expect.poll(async () => (await disputed())?.dispute?.reason, PATIENCE).toBe('The tea never came.');
  const id: Hex = `0x${(await disputed())?.acceptedTermsHash?.slice(2)}`;
  expect((await chain.state(id)).disputedAt).toBeGreaterThan(0);

  wallet.behave('eth_sendTransaction', 'hang');
  await consent.getByRole('button', { name: 'Cancel subscription' }).click();
  await consent.getByRole('button', { name: 'Start over' }).click();
  await consent.getByText('You started over. If your wallet still shows a request, decline it there.').waitFor();
  wallet.behave('eth_sendTransaction', 'reject');
  await consent.getByRole('button', { name: 'Cancel subscription' }).click();
  await consent.getByText('You rejected the request in your wallet. Nothing was changed.').waitFor();
  wallet.behave('eth_sendTransaction');
  await revoke(consent, payer);
  await setToZero(page, payer);
  await picture('payer-done');
});

test('without the API the page reads the contract, and can reclaim, dispute, revoke and withdraw allowances', {
  timeout: STORY_MS,
}, async () => {
  const payer = await ground.newPayer();
  const chain = onChain(payer);
  const intentId = await payShop(ground, shop, payer);
  await subscribe(ground, shop, payer);
  const proxy = await openClosableProxy(ground.origin);
  const { page, pictures, axe } = await openWith(payer, { expected: [/Failed to load resource|ERR_/] });
  await page.goto(`${proxy.url}/pay/${payer.address}`);
  await press(page, 'Connect Test wallet');
  await press(page, 'Sign in with wallet');
  const known = page.getByRole('article', { name: 'Payment to Tea house' }).filter({ hasText: 'A pot of tea' });
  await known.getByText('Paid, held in escrow').waitFor();
  const consent = page.getByRole('article', { name: 'Subscription with Tea house' });
  await consent.getByText('Active').waitFor();
  // Nobody but the chain hears of this one, and nobody will take it.
  const hold = await holdElsewhere(ground, payer, { merchant: getAddress(`0x${'ab'.repeat(20)}`), seconds: 20 });
  await proxy.close();

  await page.getByText('Sluice is not available').waitFor();
  const elsewhere = page.getByRole('article', { name: /^Payment to 0x/ });
  await elsewhere.getByText('Refund available').waitFor();
  await pictures('payer-alone');
  expect(await axe()).toEqual([]);
  await elsewhere.getByRole('button', { name: 'Reclaim payment' }).click();
  await elsewhere.locator('[data-status="RETURNED"]').waitFor();
  expect(await chain.state(hold.id)).toMatchObject({ status: 'RECLAIMED', left: 0n });

  await known.getByRole('button', { name: 'Open dispute' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Submit dispute' }).click();
  await known.getByText('Disputed', { exact: true }).waitFor();

  await revoke(consent, payer);
  await setToZero(page, payer);
  const dispute = () => ground.database.dispute.findUnique({ where: { paymentIntentId: intentId } });
  await expect.poll(async () => (await dispute())?.status, PATIENCE).toBe('OPEN');
});

test.each(['the payer’s page', 'a payment link'])(
  'on %s a mobile wallet is offered only if the installation has a WalletConnect project',
  { timeout: STORY_MS },
  async (place) => {
    const path = place === 'a payment link' ? (await makeLink(shop)).path : '/pay';
    // A page that the test itself serves may not open a websocket to this machine; it asks by HTTP then.
    const { page } = await openPage({ expected: [/ERR_BLOCKED_BY_LOCAL_NETWORK_ACCESS_CHECKS/] });
    await page.goto(`${ground.origin}${path}`);
    await page.getByText('No wallet was found in this browser').waitFor();
    expect(await page.getByRole('button', { name: 'Mobile wallet' }).count()).toBe(0);
    await page.route(`**${path}`, async (route) => {
      const response = await route.fetch();
      const id = `"walletConnectProjectId":"${'ab'.repeat(16)}"`;
      await route.fulfill({ response, body: (await response.text()).replace('"walletConnectProjectId":null', id) });
    });
    await page.goto(`${ground.origin}${path}`);
    await page.getByRole('button', { name: 'Mobile wallet' }).waitFor();
  },
);

test('a payer can stop waiting for a wallet that does not respond', {
  timeout: STORY_MS,
}, async () => {
  const payer = await ground.newPayer({ isPoor: true });
  const { page, wallet, picture, axe } = await openWith(payer);
  await page.goto(`${ground.origin}/pay`);
  const asked = ['wallet_requestPermissions', 'eth_requestAccounts'];
  for (const method of asked) wallet.behave(method, 'hang');
  await press(page, 'Connect Test wallet');
  await press(page, 'Start over');
  await page.getByRole('button', { name: 'Start over' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Connect Test wallet' }).waitFor();
  // A late approval still connects the wallet.
  for (const method of asked) wallet.behave(method);
  await page.waitForURL(`**/pay/${payer.address}`);
  wallet.behave('personal_sign', 'hang');
  await press(page, 'Sign in with wallet');
  await press(page, 'Start over');
  // A late signature is discarded.
  wallet.behave('personal_sign');
  await page.getByRole('button', { name: 'Sign in with wallet' }).waitFor();
  await picture('payer-started-over');
  expect(await axe()).toEqual([]);
});

test('another wallet’s page is not shown, and a page without a wallet says so', { timeout: STORY_MS }, async () => {
  const [payer, other] = await Promise.all([ground.newPayer({ isPoor: true }), ground.newPayer({ isPoor: true })]);
  const { page, axe, picture } = await openWith(payer, { scheme: 'dark', width: 320, language: 'de' });
  await page.goto(`${ground.origin}/pay/${other.address}`);
  await press(page, 'Test wallet verbinden');
  await page.getByText('Eine andere Wallet ist verbunden').waitFor();
  await picture('payer-other');
  expect(await axe()).toEqual([]);
  await press(page, 'Zahlungen der verbundenen Wallet anzeigen');
  await page.waitForURL(`**/pay/${payer.address}`);
  await press(page, 'Mit Wallet anmelden');
  await page.getByRole('heading', { name: 'Keine Zahlungen gefunden' }).waitFor();
  await picture('payer-empty');
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
  expect(await axe()).toEqual([]);
  await page.goto(`${ground.origin}/pay/nobody`);
  await page.getByText('Ungültige Wallet-Adresse').waitFor();
});
