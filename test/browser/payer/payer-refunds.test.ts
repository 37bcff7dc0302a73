/** What a payer sees of refunds and of the merchant in a real browser: on the receipt, on paper, and on the payer's own page. */
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import type { RefundStatus } from '../../../prisma/client.ts';
import type { LocalAccount } from '../../../src/local/local-accounts.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from '../setup/ground.ts';
import { injectEvmWallet } from '../setup/inject-evm-wallet.ts';
import { type OpenPage, openPage, type PageOptions } from '../setup/open-page.ts';
import { inspect } from '../setup/visit-dashboard.ts';
import { paySession } from './pay-as.ts';

const CHAIN = 31337;
const DAY = 86_400;
const PATIENCE = { timeout: 90_000 };
/** A4 at 96 dots per inch. */
const PAPER_WIDTH = 794;
const contact = {
  supportEmail: 'help@tea.example',
  supportUrl: 'https://tea.example/help/payments',
  websiteUrl: 'https://www.tea.example/',
};

vi.setConfig({ testTimeout: 400_000 });

let ground: BrowserGround;
let shop: ShopGround;

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop('Tea house');
  await ground.database.app.update({
    where: { id: shop.appId },
    data: { timelockDuration: DAY, disputeStartDuration: DAY / 2, ...contact },
  });
});

type Paid = { id: string; receiptPath: string };

async function pay(payer: LocalAccount): Promise<Paid> {
  const session = await paySession(ground, shop, { payer });
  const id = session.paymentIntentId;
  await statusOf(id, 'CAPTURED');
  return { id, receiptPath: `/checkout/${session.id}#${session.clientSecret}` };
}

async function statusOf(id: string, status: string): Promise<void> {
  const read = async () => (await shop.call('GET', `/payments/intents/${id}`)).status;
  await expect.poll(read, PATIENCE).toBe(status);
}

const refund = (id: string, body: object) => shop.call('POST', `/payments/intents/${id}/refund`, body);

async function openReceipt({ receiptPath }: Paid, options: PageOptions = {}): Promise<OpenPage> {
  const opened = await openPage(options);
  await opened.page.goto(`${ground.origin}${receiptPath}`);
  await opened.page.locator('[data-card="receipt"]').waitFor();
  return opened;
}

/** The payer's own page, signed in. */
async function openPayments(payer: LocalAccount): Promise<OpenPage> {
  const opened = await openPage();
  const { page } = opened;
  const rpcUrls = Object.fromEntries(ground.demo.chains.map((chain) => [chain.chainId, chain.rpcUrl]));
  await injectEvmWallet(page, { privateKey: payer.privateKey, rpcUrls, chainId: CHAIN });
  await page.goto(`${ground.origin}/pay/${payer.address}`);
  await page.getByRole('button', { name: 'Connect Test wallet' }).click();
  await page.getByRole('button', { name: 'Sign in with wallet' }).click();
  return opened;
}

/** A refund as the database has it while it waits to be sent, or after it was given up. */
async function storeRefund(id: string, { status, reason }: { status: RefundStatus; reason: string }): Promise<void> {
  const { acceptedTermsHash: termsHash } = await ground.database.paymentIntent.findUniqueOrThrow({ where: { id } });
  const transactionId = newId();
  const error = status === 'FAILED' ? 'The node at 10.0.0.7 refused it.' : null;
  await ground.database.transaction.create({
    data: {
      id: transactionId,
      paymentIntentId: id,
      chainId: CHAIN,
      type: 'REFUND',
      status,
      termsHash,
      amount: '1000000',
      error,
    },
  });
  await ground.database.refund.create({
    data: {
      id: newId(),
      paymentIntentId: id,
      transactionId,
      amount: '1000000',
      leftoverAfter: '0',
      tokenKey: `USDC-${CHAIN}`,
      reason,
      status,
      error,
    },
  });
}

const refundsIn = (place: Page | Locator) => place.locator('[data-refund]');

/** The ways to the merchant, and the payer's own page where it is linked. */
async function seeContact(place: Page | Locator, id: string): Promise<void> {
  const region = place.getByRole('region', { name: 'Questions? Contact Tea house' });
  const hrefOf = (name: string) => region.getByRole('link', { name, exact: true }).getAttribute('href');
  expect(await hrefOf(contact.supportEmail)).toBe(`mailto:${contact.supportEmail}?subject=Payment%20${id}`);
  expect(await hrefOf('Help and contact')).toBe(contact.supportUrl);
  expect(await hrefOf('tea.example')).toBe(contact.websiteUrl);
}

test('a receipt shows two refunds as they are made, with amount, time, reason and transaction', async () => {
  const payer = await ground.newPayer();
  const paid = await pay(payer);
  const opened = await openReceipt(paid);
  const { page } = opened;
  await page.getByRole('heading', { name: 'Payment successful' }).waitFor();
  expect(await refundsIn(page).count()).toBe(0);
  await seeContact(page, paid.id);
  const own = page.getByRole('link', { name: 'See all your payments' });
  expect(await own.getAttribute('href')).toBe(`/pay/${payer.address}`);

  await refund(paid.id, { amount: '2500000', reason: 'One cup was cold' });
  await page.getByRole('heading', { name: 'Partially refunded' }).waitFor(PATIENCE);
  await page.getByText('Tea house has refunded 2.50 USDC of this payment to your wallet.').waitFor();
  const [first] = await ground.database.refund.findMany({
    where: { paymentIntentId: paid.id },
    include: { transaction: true },
  });
  const line = page.locator('[data-refund="REFUNDED"]');
  for (const words of ['2.50 USDC', 'One cup was cold']) await line.getByText(words, { exact: true }).waitFor();
  await line.getByTitle(first?.transaction.txHash ?? 'none').waitFor();
  const at = await line.locator('time').getAttribute('datetime');
  expect(at).toBe(first?.confirmedAt?.toISOString());
  await inspect(opened, 'receipt-partly-refunded');

  await statusOf(paid.id, 'CAPTURED');
  await refund(paid.id, { reason: 'So was the second' });
  await page.getByRole('heading', { name: 'Payment refunded' }).waitFor(PATIENCE);
  await expect.poll(() => page.locator('[data-refund="REFUNDED"]').count(), PATIENCE).toBe(2);
  await page.getByText('So was the second', { exact: true }).waitFor();
  await inspect(opened, 'receipt-refunded');
  await page.setViewportSize({ width: 1920, height: 900 });
  await opened.picture('receipt-refunded-wide');

  const payments = await openPayments(payer);
  const card = payments.page.getByRole('article', { name: 'Payment to Tea house' });
  await card.locator('[data-status="RETURNED"]').waitFor();
  await expect.poll(() => refundsIn(card).count(), PATIENCE).toBe(2);
  for (const words of ['2.50 USDC', 'One cup was cold', '10.00 USDC', 'So was the second'])
    await card.getByText(words, { exact: true }).first().waitFor();
  await seeContact(card, paid.id);
  await inspect(payments, 'pay-refunded');
});

test('a full refund is shown in German and in the dark; another session’s receipt is inaccessible', async () => {
  const payer = await ground.newPayer();
  const paid = await pay(payer);
  const other = await pay(payer);
  await refund(paid.id, { reason: 'Die Ware war beschädigt' });
  await statusOf(paid.id, 'REFUNDED');
  const { page, picture, axe } = await openReceipt(paid, { language: 'de', scheme: 'dark', width: 768 });
  await page.getByRole('heading', { name: 'Zahlung erstattet' }).waitFor();
  const line = page.locator('[data-refund="REFUNDED"]');
  await line.getByText('12,50 USDC', { exact: true }).waitFor();
  await line.getByText('Die Ware war beschädigt').waitFor();
  await page.getByRole('region', { name: 'Fragen? Kontakt zu Tea house' }).waitFor();
  await picture('receipt-refunded-german');
  expect(await axe()).toEqual([]);

  const [path] = paid.receiptPath.split('#');
  const [, secret] = other.receiptPath.split('#');
  const closed = await openPage({ expected: [/40[0-9]/] });
  await closed.page.goto(`${ground.origin}${path}#${secret}`);
  await closed.page.getByText('Payment page not found').waitFor();
  expect(await closed.page.locator('[data-card="receipt"], [data-refund]').count()).toBe(0);
});

test('a pending and a failed refund are shown without details that only the merchant may see', async () => {
  const payer = await ground.newPayer();
  const [underWay, failed] = [await pay(payer), await pay(payer)];
  await storeRefund(underWay.id, { status: 'PENDING', reason: 'Sold out' });
  await storeRefund(failed.id, { status: 'FAILED', reason: 'Sold out too' });
  const pending = await openReceipt(underWay);
  await pending.page.getByRole('heading', { name: 'A refund is on its way' }).waitFor();
  await pending.page.getByText('Tea house is refunding 1.00 USDC to your wallet.').waitFor();
  await pending.page.locator('[data-refund="UNDER_WAY"]').getByText('Sold out', { exact: true }).waitFor();
  await inspect(pending, 'receipt-refund-under-way');

  const refused = await openReceipt(failed);
  await refused.page.getByRole('heading', { name: 'Payment successful' }).waitFor();
  const line = refused.page.locator('[data-refund="FAILED"]');
  await line.getByText('No money was moved. Tea house can start the refund again.').waitFor();
  expect(await refused.page.getByText('10.0.0.7').count()).toBe(0);
  await inspect(refused, 'receipt-refund-failed');

  const { page, pictures } = await openPayments(payer);
  const card = page.getByRole('article', { name: 'Payment to Tea house' });
  await card.first().getByText('Paid, held in escrow', { exact: true }).waitFor();
  await page.locator('[data-refund="UNDER_WAY"]').waitFor();
  await page.locator('[data-refund="FAILED"]').waitFor();
  expect(await page.getByText('10.0.0.7').count()).toBe(0);
  await pictures('pay-refunds');
});

test('a printed receipt is one white page with complete hashes and no controls', async () => {
  const payer = await ground.newPayer();
  const paid = await pay(payer);
  await refund(paid.id, { percent: 50, reason: 'One cup was cold' });
  await expect
    .poll(() => ground.database.refund.count({ where: { paymentIntentId: paid.id, status: 'CONFIRMED' } }), PATIENCE)
    .toBe(1);
  const { page, picture } = await openReceipt(paid, { scheme: 'dark' });
  await page.locator('[data-refund="REFUNDED"]').waitFor();
  expect(await page.getByText('Receipt', { exact: true }).isVisible()).toBe(false);
  await page.setViewportSize({ width: PAPER_WIDTH, height: 1123 });
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  expect(await page.getByText('Receipt', { exact: true }).isVisible()).toBe(true);
  expect(await page.getByText('Test mode').isVisible()).toBe(true);
  for (const name of ['Print receipt', 'Copy transaction'])
    expect(await page.getByRole('button', { name }).filter({ visible: true }).count(), name).toBe(0);
  const look = await page.evaluate(() => {
    const { backgroundColor, color } = getComputedStyle(document.body);
    const hash = document.querySelector('[data-refund] [title^="0x"]');
    const whole = hash && getComputedStyle(hash, '::after').content;
    return { backgroundColor, color, whole };
  });
  const [row] = await ground.database.refund.findMany({
    where: { paymentIntentId: paid.id },
    include: { transaction: true },
  });
  expect(look).toEqual({
    backgroundColor: 'rgb(255, 255, 255)',
    color: 'rgb(0, 0, 0)',
    whole: `"${row?.transaction.txHash}"`,
  });
  await picture('receipt-paper');
  const file = (await page.pdf({ format: 'A4' })).toString('latin1');
  expect(file.startsWith('%PDF-')).toBe(true);
  expect(/\/Type \/Pages\s[^>]*\/Count (\d+)/.exec(file)?.[1]).toBe('1');
});
