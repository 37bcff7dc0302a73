/** Payouts that a recipient could not be paid, in a real browser: the dashboard delivers them, the payer's page collects them. */
import type { Page } from 'playwright-core';
import { zeroAddress } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { beforeAll, expect, test, vi } from 'vitest';
import { setPayoutAddress } from '../../src/auth/set-payout-address.ts';
import { loadRegistry } from '../../src/chains/registry.ts';
import type { LocalAccount } from '../../src/local/local-accounts.ts';
import { paySession } from './payer/pay-as.ts';
import { openRefusals } from './payer/refused-payouts.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { injectEvmWallet } from './setup/inject-evm-wallet.ts';
import { openPage } from './setup/open-page.ts';
import { payIntent } from './setup/pay-intent.ts';
import { inspect, visitDashboard } from './setup/visit-dashboard.ts';

const CHAIN = 31337;
const OTHER_CHAIN = 31338;
const HOUR = 3600;
const PATIENCE = { timeout: 90_000 };
// Each test is a whole flow, most of which waits for blocks.
vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });

let ground: BrowserGround;
let refusals: Awaited<ReturnType<typeof openRefusals>>;

beforeAll(async () => {
  ground = await openBrowserGround();
  refusals = await openRefusals(ground);
});

const freshAddress = () => privateKeyToAccount(generatePrivateKey()).address;

/** A shop that is paid out to an address of its own. */
async function shopPaidTo(address: `0x${string}`): Promise<ShopGround> {
  const shop = await ground.openShop('Corner shop');
  const scope = { merchantId: shop.merchantId, appId: shop.appId };
  const world = { database: ground.database, registry: loadRegistry({ rpc: [] }) };
  await setPayoutAddress(world, { scope, family: 'EVM', address });
  return shop;
}

test('an undelivered payout is shown on its payment and on the overview, and a button delivers it', async () => {
  const address = freshAddress();
  const shop = await shopPaidTo(address);
  await refusals.block(address);
  const { id } = await shop.call('POST', '/payments/intents', { amount: '12.50', externalId: 'blocked' });
  await payIntent({ ground, shop, payer: await ground.newPayer(), chainId: CHAIN }, id);
  const waits = async () => (await ground.database.paymentIntent.findUnique({ where: { id } }))?.settlementCheckAt;
  await expect.poll(waits, PATIENCE).toBeInstanceOf(Date);
  const opened = await openPage();
  const { page } = opened;
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: `/payments/${id}` });
  await page.getByText(/^The payout is on hold because your payout address cannot receive payments/).waitFor();

  // Another account settles, and the page updates by itself.
  await refusals.settle(id);
  const card = (of: Page) => of.getByRole('region', { name: /USDC could not be paid out to you$/ });
  await card(page).getByText('USDC on Local 31337 rejected the transfer to the recipient.', { exact: false }).waitFor();
  await page.getByRole('heading', { name: 'Payout failed' }).waitFor();
  await refusals.postpone(address);
  await inspect(opened, 'payment-undelivered');
  await card(page).getByRole('button', { name: 'Retry payout' }).click();
  await card(page).getByText('The recipient still cannot be paid.').waitFor();
  expect(await refusals.claimsSent(address)).toBe(0);

  const watcher = await openPage();
  await visitDashboard(ground, watcher.page, { email: shop.ownerEmail, path: '' });
  await card(watcher.page).waitFor();
  await page.goto(`${ground.origin}/dashboard`);
  await card(page).getByText('From one payment.').waitFor();
  const part = page.locator('[data-part="undelivered"]');
  await part.waitFor();
  await inspect(opened, 'overview-undelivered');
  await refusals.postpone(address);
  await refusals.unblock(address);
  const credit = await refusals.creditOf(address);
  expect(credit).toBeGreaterThan(0n);
  await card(page).getByRole('button', { name: 'Retry payout' }).click();
  await card(page).waitFor({ state: 'detached', ...PATIENCE });
  await part.waitFor({ state: 'detached' });
  // A page without a click is updated too.
  await card(watcher.page).waitFor({ state: 'detached' });
  expect([await refusals.creditOf(address), await refusals.balance(address)]).toEqual([0n, credit]);
  expect(await refusals.claimsSent(address)).toBe(1);
  await page.goto(`${ground.origin}/dashboard/payments/${id}`);
  await page.getByText('Technical details', { exact: true }).click();
  const step = page.locator('[data-step="payout_delivered"]');
  await step.getByRole('table', { name: 'Ledger entries' }).waitFor();
  expect(await card(page).count()).toBe(0);
});

/** Paid and refunded, and not received: what the payer has then is credited. */
async function refundedInVain(shop: ShopGround, payer: LocalAccount, id: string): Promise<void> {
  await shop.call('POST', `/payments/intents/${id}/refund`, { reason: 'The tea was cold' });
  await expect.poll(async () => (await refusals.credits(payer.address)).length, PATIENCE).toBe(1);
  await refusals.postpone(payer.address);
}

async function paidShop(payer: LocalAccount, tokenKey: string): Promise<{ shop: ShopGround; id: string; url: string }> {
  const shop = await ground.openShop('Tea house');
  await ground.database.app.update({
    where: { id: shop.appId },
    data: { timelockDuration: HOUR, disputeStartDuration: HOUR },
  });
  const session = await paySession(ground, shop, { payer, tokenKey });
  const { paymentIntentId: id } = session;
  const url = `${ground.origin}/checkout/${session.id}#${session.clientSecret}`;
  const read = async () => (await shop.call('GET', `/payments/intents/${id}`)).status;
  await expect.poll(read, PATIENCE).toBe('CAPTURED');
  return { shop, id, url };
}

/** Their page, with their wallet on `chainId`, signed in. */
async function openPayer(payer: LocalAccount, chainId: number) {
  const opened = await openPage();
  const { page } = opened;
  const rpcUrls = Object.fromEntries(ground.demo.chains.map((chain) => [chain.chainId, chain.rpcUrl]));
  const wallet = await injectEvmWallet(page, { privateKey: payer.privateKey, rpcUrls, chainId });
  await page.goto(`${ground.origin}/pay/${payer.address}`);
  await page.getByRole('button', { name: 'Connect Test wallet' }).click();
  await page.getByRole('button', { name: 'Sign in with wallet' }).click();
  return { ...opened, wallet };
}

test('a payer whose wallet was blocked claims the refund with one click, from any chain', async () => {
  const payer = await ground.newPayer();
  const { shop, id, url } = await paidShop(payer, `USDC-${CHAIN}`);
  await refusals.block(payer.address);
  await refundedInVain(shop, payer, id);
  const receipt = await openPage();
  await receipt.page.goto(url);
  await receipt.page.getByText(/USDC could not be sent to your wallet$/).waitFor();
  await receipt.page
    .getByText('Tea house refunded the full amount, but it could not be sent to your wallet.')
    .waitFor();
  await receipt.page.locator('[data-refund="WAITING"]').getByText('Ready to collect', { exact: true }).waitFor();
  const way = receipt.page.getByRole('link', { name: /^Collect .* USDC$/ });
  expect(await way.getAttribute('href')).toBe(`/pay/${payer.address}`);
  await inspect(receipt, 'checkout-undelivered');
  const opened = await openPayer(payer, OTHER_CHAIN);
  const { page, wallet } = opened;
  const card = page.getByRole('article', { name: /USDC on Local 31337$/ });
  const payment = page.getByRole('article', { name: 'Payment to Tea house' });
  await card.getByText('From your payments to: Tea house.').waitFor();
  await card.getByText(/USDC rejected the transfer to your wallet\./).waitFor();
  await payment.getByText('Available to collect', { exact: true }).waitFor();
  await payment.locator('[data-refund="WAITING"]').waitFor();
  await inspect(opened, 'payer-undelivered');
  const collect = card.getByRole('button', { name: /^Collect .* USDC$/ });

  wallet.behave('wallet_switchEthereumChain', 'reject');
  await collect.click();
  await card.getByText('You rejected the request in your wallet. Nothing was changed.').waitFor();
  wallet.behave('wallet_switchEthereumChain');
  await collect.click();
  await card.getByText(/^USDC still cannot be sent to your wallet\./).waitFor();
  expect(wallet.chainId()).toBe(CHAIN);
  expect(wallet.asked()).not.toContain('eth_sendTransaction');
  await inspect(opened, 'payer-still-blocked');

  await refusals.unblock(payer.address);
  wallet.behave('eth_sendTransaction', 'reject');
  await collect.click();
  await card.getByText('You rejected the request in your wallet. Nothing was changed.').waitFor();
  wallet.behave('eth_sendTransaction');
  const [credit, before] = [await refusals.creditOf(payer.address), await refusals.balance(payer.address)];
  expect(credit).toBeGreaterThan(0n);
  await collect.click();
  await card.waitFor({ state: 'detached' });
  expect([await refusals.creditOf(payer.address), await refusals.balance(payer.address)]).toEqual([
    0n,
    before + credit,
  ]);
  await payment.locator('[data-status="RETURNED"]').waitFor();
  await payment.locator('[data-refund="REFUNDED"]').waitFor();
  const delivered = async () => (await refusals.credits(payer.address))[0]?.deliveredTo;
  await expect.poll(delivered, PATIENCE).toBe(payer.address.toLowerCase());
  await way.waitFor({ state: 'detached' });
});

test('a wallet that rejects the native coin claims a refund to another address', async () => {
  const payer = await ground.newPayer();
  const { shop, id } = await paidShop(payer, `ETH-${CHAIN}`);
  const opened = await openPayer(payer, CHAIN);
  const { page } = opened;
  await page.getByRole('article', { name: 'Payment to Tea house' }).waitFor();
  await refusals.refuseCoin(payer.address);
  await refundedInVain(shop, payer, id);
  const credit = await refusals.creditOf(payer.address, zeroAddress);
  expect(credit).toBeGreaterThan(0n);

  const card = page.getByRole('article', { name: /ETH on Local 31337$/ });
  const collect = card.getByRole('button', { name: /^Collect .* ETH$/ });
  await collect.click();
  await card.getByText(/^This address did not accept ETH\./).waitFor();
  const target = card.getByLabel('Send it to');
  await target.fill(zeroAddress);
  await card.getByText('This is the zero address. Money sent to it is lost.').waitFor();
  const [token] = ground.demo.chains.flatMap(({ tokens }) => tokens.filter(({ key }) => key === `USDC-${CHAIN}`));
  await target.fill(token?.address ?? '');
  await card.getByText('This is the token contract of USDC on Local 31337. Money sent to it is lost.').waitFor();
  expect(await collect.isDisabled()).toBe(true);
  await inspect(opened, 'payer-coin-undelivered');
  const other = freshAddress();
  await target.fill(other);
  await collect.click();
  await card.waitFor({ state: 'detached' });
  expect([await refusals.creditOf(payer.address, zeroAddress), await refusals.coins(other)]).toEqual([0n, credit]);
  const delivered = async () => (await refusals.credits(payer.address))[0]?.deliveredTo;
  await expect.poll(delivered, PATIENCE).toBe(other.toLowerCase());
});
