/** A renewal that failed because of the token approval: the page behind the link in the mail increases it with the payer's wallet. */
import { beforeAll, expect, test, vi } from 'vitest';
import { approveData } from '../../../src/chains/evm/erc20.ts';
import { readMail } from '../../setup/mail/read-mail.ts';
import { findAccessibilityFaults } from '../setup/find-accessibility-faults.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from '../setup/ground.ts';
import { injectEvmWallet } from '../setup/inject-evm-wallet.ts';
import { openPage } from '../setup/open-page.ts';
import { asked, CHAIN, card, makeLink, OTHER_CHAIN, press, toQuote } from '../setup/payer-visit.ts';
import { walletOf } from './pay-as.ts';

// A renewal is due a minute after the start of the subscription, and goes through worker, chain and indexer.
vi.setConfig({ testTimeout: 600_000 });
const PATIENCE = { timeout: 240_000, interval: 500 };
const ONE_USDC = 1_000_000n;

let ground: BrowserGround;
let shop: ShopGround;
beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop('Tea house');
  const query = 'mutation { updateMailSettings(input: { kinds: [RENEWAL_FAILED] }) { kinds } }';
  const headers = { 'content-type': 'application/json', 'x-api-key': shop.secretKey };
  const set = await fetch(`${ground.origin}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
  expect((await set.json()).errors).toBeUndefined();
});

test('the payer increases the approval on the page of the failed renewal, which is then charged', async () => {
  const plan = await shop.call('POST', '/product-plans', {
    name: 'Tea club',
    planType: 'SUBSCRIPTION',
    prices: [{ amount: '8.00', billingInterval: 'MINUTE' }],
  });
  const { path } = await makeLink(shop, { amount: undefined, productPlanId: plan.id });
  const email = `payer-${crypto.randomUUID().slice(0, 8)}@example.com`;
  const [payer, stranger] = await Promise.all([ground.newPayer(), ground.newPayer({ isPoor: true })]);
  const opened = await openPage();
  const { page, pictures } = opened;
  const rpcUrls = Object.fromEntries(ground.demo.chains.map((chain) => [chain.chainId, chain.rpcUrl]));
  const wallet = await injectEvmWallet(page, { privateKey: payer.privateKey, rpcUrls, chainId: CHAIN });
  await page.goto(`${ground.origin}${path}`);
  await page.getByLabel('Email').fill(email);
  await press(page, /^Continue to payment$/);
  await toQuote(page, `USDC-${CHAIN}`);
  await press(page, /^Sign to pay 8\.00 USDC$/);
  await card(page, 'receipt');

  const { chain, escrow, wallet: own } = walletOf(ground, payer);
  const usdc = chain.tokens.find(({ key }) => key === `USDC-${CHAIN}`)?.address;
  if (!usdc) throw new Error('There is no USDC.');
  const approve = { kind: 'transaction', description: 'Approve 1 USDC.', value: '0' } as const;
  await own.send({ ...approve, to: `0x${usdc.slice(2)}`, data: approveData(escrow, ONE_USDC) });
  const failure = async () => (await ground.mails(email)).map(readMail).find(({ text }) => text.includes('/renewal/'));
  await expect.poll(failure, PATIENCE).toBeDefined();
  const text = (await failure())?.text ?? '';
  expect(text).toContain('The token approval of your wallet is too low for this amount.');
  const link = new URL(/https?:\/\/\S+\/renewal\/\S+/.exec(text)?.[0] ?? '');

  await page.setViewportSize({ width: 360, height: 800 });
  await page.goto(`${ground.origin}${link.pathname}${link.search}`);
  await page.getByText('the token approval of your wallet is only 1 USDC').waitFor();
  const button = page.getByRole('button', { name: 'Approve 120 USDC with Test wallet' });
  await button.waitFor();
  expect(await findAccessibilityFaults(page)).toEqual([]);
  await pictures('renewal-approval');
  await page.setViewportSize({ width: 320, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);

  await wallet.switchAccount(stranger.privateKey);
  await button.click();
  await page.getByText('Another account is selected.').waitFor();
  await pictures('renewal-approval-other-account');
  expect(await findAccessibilityFaults(page)).toEqual([]);
  await wallet.switchAccount(payer.privateKey);
  wallet.behave('eth_sendTransaction', 'reject');
  await button.click();
  await page.getByText('You rejected the request in your wallet. Nothing was changed.').waitFor();
  wallet.behave('eth_sendTransaction');
  const before = asked(wallet).length;
  await wallet.switchChain(OTHER_CHAIN);
  await button.click();
  await page.getByRole('heading', { name: /^(Your payment is being processed|Renewal paid)$/ }).waitFor();
  expect(asked(wallet).slice(before)).toEqual(['eth_sendTransaction']);
  expect(wallet.chainId()).toBe(CHAIN);
  const where = { customerAccount: { email } };
  const paid = async () => {
    const { invoices } = await ground.database.subscription.findFirstOrThrow({ where, include: { invoices: true } });
    return invoices.filter(({ status }) => status === 'PAID').length;
  };
  await expect.poll(paid, PATIENCE).toBeGreaterThanOrEqual(2);
  const { id } = await ground.database.subscription.findFirstOrThrow({ where });
  await shop.call('POST', `/subscriptions/${id}/cancel`, { cancelAtPeriodEnd: false });
  await page.goto(`${ground.origin}${link.pathname}${link.search}`);
  await page.getByRole('heading', { name: 'Renewal paid' }).waitFor();
});
