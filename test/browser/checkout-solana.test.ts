/**
 * The hosted page on Solana, from the choice of a wallet to the receipt: by a wallet, and by a code that another one scans.
 * The API and the Solana are real; the watcher is moved by hand, so that nothing is waited for but the page.
 */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { openAdvisoryLocks } from '../../src/platform/advisory-locks.ts';
import { openMailer } from '../../src/platform/mail/mail.ts';
import { openSolanaGround, type SolanaGround, VAULT_SECRET } from '../checkout/solana-ground.ts';
import { paySolanaUrl } from '../setup/chains/pay-solana-url.ts';
import { openSolanaTurns } from '../setup/chains/solana-turns.ts';
import { onTeardown } from '../setup/teardown.ts';
import { injectSolanaWallet } from './setup/inject-solana-wallet.ts';
import { openPage } from './setup/open-page.ts';

const TEST_MS = 300_000;

let ground: SolanaGround;
let turns: ReturnType<typeof openSolanaTurns>;
beforeAll(async () => {
  ground = await openSolanaGround();
  const { api, solana } = ground;
  const { log } = api.world;
  const locks = openAdvisoryLocks({ url: api.databaseUrl, log });
  onTeardown(() => locks.close());
  const mailer = openMailer({ smtpUrl: undefined, from: 'Sluice <no-reply@localhost>', isProduction: false, log });
  const keys = { vaultSecret: VAULT_SECRET, operatorKey: solana.operator.secretKey };
  turns = openSolanaTurns({ world: { ...api.world, arbiter: null, mailer }, locks, keys, solana });
});

async function openSession(): Promise<{ url: string; paymentIntentId: string }> {
  const items = [{ name: 'Green tea', amount: '12.50' }];
  const session = await ground.openSession({ items, allowedChains: [ground.solana.chainId] });
  return {
    url: `${ground.api.url}/checkout/${session.id}#${session.clientSecret}`,
    paymentIntentId: session.paymentIntentId,
  };
}

async function toReceipt(page: Page): Promise<void> {
  const isThere = async () => {
    await turns.settleDown();
    return await page.locator('[data-card="receipt"]').count();
  };
  await expect.poll(isThere, { timeout: TEST_MS / 2, interval: 500 }).toBe(1);
}

async function payerOf(paymentIntentId: string): Promise<string | null> {
  const { paymentIntent } = ground.api.database;
  return (await paymentIntent.findUniqueOrThrow({ where: { id: paymentIntentId } })).authorizationWalletAddress;
}

test(
  'a Solana wallet declines, fails, and then pays; the page names the custodian and ends with the receipt',
  async () => {
    const { solana } = ground;
    const [payer] = solana.payers;
    const { url, paymentIntentId } = await openSession();
    const { page, pictures, axe } = await openPage();
    const wallet = await injectSolanaWallet(page, { secretKey: payer.secretKey, rpcUrl: solana.rpcUrl });
    await page.goto(url);
    await page.getByRole('radio', { name: /PYUSD/ }).waitFor();
    expect(await axe()).toEqual([]);
    await pictures('solana-wallets');
    await page.getByRole('button', { name: 'Connect Test Solana wallet' }).click();
    const pay = page.getByRole('button', { name: 'Sign to pay 12.50 USDC' });
    await pay.waitFor();
    await page.getByText('There is no escrow contract, and disputes are not possible').waitFor();
    expect(await axe()).toEqual([]);
    await pictures('solana-sign');

    wallet.behave('solana:signAndSendTransaction', 'reject');
    await pay.click();
    await page.locator('[data-notice="REJECTED"]').waitFor();
    wallet.behave('solana:signAndSendTransaction', 'break');
    await pay.click();
    await page.getByRole('button', { name: 'The payment was not sent' }).click();
    wallet.behave('solana:signAndSendTransaction');
    await page.getByRole('button', { name: 'Connect Test Solana wallet' }).click();
    await pay.click();
    await page.locator('[data-card="progress"]').waitFor();
    await page.getByText('Held by the payment service').waitFor();
    await toReceipt(page);
    expect(await page.locator('#page').textContent()).not.toMatch(/escrow/i);
    await pictures('solana-receipt');
    expect(await payerOf(paymentIntentId)).toBe(payer.address);
    expect(wallet.asked().filter((feature) => feature === 'solana:signAndSendTransaction')).toHaveLength(3);
  },
  TEST_MS,
);

test(
  'a payer without a browser wallet scans the code, on a phone and in German, and the page detects the payment',
  async () => {
    const { solana } = ground;
    const payer = solana.payers[1];
    const { url, paymentIntentId } = await openSession();
    const { page, pictures, axe } = await openPage({ width: 360, language: 'de' });
    await page.goto(url);
    await page.getByRole('button', { name: 'QR-Code anzeigen' }).click();
    const code = page.getByRole('img', { name: /^QR-Code zum Bezahlen von 12.5 USDC/ });
    await code.waitFor();
    expect(await axe()).toEqual([]);
    await pictures('solana-code');
    await page.getByText('Manuell bezahlen').click();
    await page.getByText('Genauer Betrag', { exact: true }).waitFor();
    await paySolanaUrl(solana.rpcUrl, payer, (await code.getAttribute('data-payment-url')) ?? '');
    await toReceipt(page);
    expect(await payerOf(paymentIntentId)).toBe(payer.address);
  },
  TEST_MS,
);

test(
  'a payment that the wallet has sent is kept after a reload without a confirmation, and not requested again',
  async () => {
    const { solana } = ground;
    const [, payer] = solana.payers;
    const { url, paymentIntentId } = await openSession();
    const { page, picture } = await openPage();
    const wallet = await injectSolanaWallet(page, { secretKey: payer.secretKey, rpcUrl: solana.rpcUrl });
    let refusals = 0;
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('confirmCheckout')) return await route.continue();
      refusals += 1;
      const errors = [{ message: 'The quote expired.', extensions: { code: 'QUOTE_EXPIRED', retryable: false } }];
      await route.fulfill({ json: { data: null, errors } });
    });
    await page.goto(url);
    await page.getByRole('button', { name: 'Connect Test Solana wallet' }).click();
    await page.getByRole('button', { name: 'Sign to pay 12.50 USDC' }).click();
    await page.locator('[data-card="progress"]').waitFor();
    await expect.poll(() => refusals, { timeout: TEST_MS / 4 }).toBe(1);
    await page.reload();
    await page.locator('[data-card="progress"]').waitFor();
    await expect.poll(() => refusals, { timeout: TEST_MS / 4 }).toBe(2);
    await page.locator('[data-card="progress"]').waitFor();
    await picture('solana-sent');
    await toReceipt(page);
    expect(await payerOf(paymentIntentId)).toBe(payer.address);
    expect(wallet.asked().filter((feature) => feature === 'solana:signAndSendTransaction')).toHaveLength(1);
  },
  TEST_MS,
);

test(
  'a Solana wallet that does not respond can be cancelled at every step, and its late payment is detected',
  async () => {
    const { solana } = ground;
    const [payer] = solana.payers;
    const { url, paymentIntentId } = await openSession();
    const { page, pictures, axe } = await openPage();
    const wallet = await injectSolanaWallet(page, { secretKey: payer.secretKey, rpcUrl: solana.rpcUrl });
    await page.goto(url);
    wallet.behave('connect', 'hang');
    await page.getByRole('button', { name: 'Connect Test Solana wallet' }).click();
    await page.getByRole('button', { name: 'Start over' }).click();
    await page.locator('[data-notice="STARTED_OVER"]').waitFor();
    await pictures('solana-started-over');
    expect(await axe()).toEqual([]);
    // A late approval has no effect, because the payer may have chosen the code instead.
    wallet.behave('connect');
    expect(await page.getByRole('button', { name: /^Sign to pay/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Connect Test Solana wallet' }).click();
    const pay = page.getByRole('button', { name: 'Sign to pay 12.50 USDC' });
    await pay.waitFor();
    wallet.behave('solana:signAndSendTransaction', 'hang');
    await pay.click();
    const startOver = page.getByRole('button', { name: 'Start over' });
    await startOver.waitFor();
    await page.locator('[data-notice="SLOW_WALLET"]').waitFor();
    await pictures('solana-slow-wallet');
    expect(await axe()).toEqual([]);
    await startOver.click();
    // The wallet may still send it, so the page asks.
    await page.locator('[data-card="unsure"]').waitFor();
    wallet.behave('solana:signAndSendTransaction');
    await toReceipt(page);
    expect(await payerOf(paymentIntentId)).toBe(wallet.address);
  },
  TEST_MS,
);
