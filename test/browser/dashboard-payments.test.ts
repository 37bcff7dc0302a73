/**
 * The dashboard's payments and customers in a real browser, with payments that are really made meanwhile.
 */
import type { Page } from 'playwright-core';
import { createPublicClient, erc20Abi, getAddress, type Hex, http } from 'viem';
import { beforeAll, expect, test, vi } from 'vitest';
import { inviteMember } from '../../src/auth/members/invite-member.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { fiatFigure, tokenFigure } from '../../web/src/ui/formats/money.ts';
import { signStep } from '../checkout/sign-step.ts';
import { openReceiver, type Receiver } from '../setup/receivers/receiver.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { openPage } from './setup/open-page.ts';
import { payIntent } from './setup/pay-intent.ts';
import { isFocused, tabTo } from './setup/tab-to.ts';
import { inspect, visitDashboard } from './setup/visit-dashboard.ts';

const PATIENCE = { timeout: 60_000 };
// Each test is a whole flow with several payments in it; on a busy machine that takes minutes.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let ground: BrowserGround;
let shop: ShopGround;
let receiver: Receiver;
let payer: Awaited<ReturnType<BrowserGround['newPayer']>>;

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop('Tea house');
  // Long enough that nothing settles during the test.
  await ground.database.app.update({
    where: { id: shop.appId },
    data: { timelockDuration: 86_400, disputeStartDuration: 43_200 },
  });
  receiver = await openReceiver();
  await shop.call('POST', `/apps/${shop.appId}/webhooks`, { url: receiver.url, events: ['*'] });
  payer = await ground.newPayer();
});

const make = (body: object): Promise<{ id: string }> => shop.call('POST', '/payments/intents', body);
const pay = (id: string): Promise<Hex> => payIntent({ ground, shop, payer }, id);
const row = (page: Page, reference: string) => page.getByRole('row').filter({ hasText: reference });

async function statusOf(id: string, status: string): Promise<void> {
  const read = async () => (await shop.call('GET', `/payments/intents/${id}`)).status;
  await expect.poll(read, PATIENCE).toBe(status);
}

async function openPayment(page: Page, id: string): Promise<void> {
  await page.goto(`${ground.origin}/dashboard/payments/${id}`);
  await page.getByRole('heading', { name: 'Timeline' }).waitFor();
}

/** The first chain's, with the token that `payIntent` pays in. */
function firstChain() {
  const [chain] = ground.demo.chains;
  const [token] = chain?.tokens ?? [];
  if (!chain || !token) throw new Error('The installation has no chain to pay on.');
  return { chain, token, node: createPublicClient({ transport: http(chain.rpcUrl) }) };
}

/** Opens the collapsed blocks, logs, bookings and events. */
const openTechnical = (page: Page) => page.getByText('Technical details', { exact: true }).click();

/** Asserts that a step shows its data from node and ledger: block, confirmations, logs and bookings. */
async function seeStep(page: Page, { id, name, hash }: { id: string; name: string; hash: Hex }): Promise<void> {
  const { chain, token, node } = firstChain();
  const step = page.locator(`[data-step="${name}"]`);
  const { blockNumber, logs } = await node.getTransactionReceipt({ hash });
  await step.getByText(new RegExp(`block ${blockNumber} · [0-9]+ confirmations? · `)).waitFor();
  await step.getByText(/contract events?/).click();
  const own = logs.filter((log) => getAddress(log.address) === getAddress(chain.escrow));
  expect(own.length).toBeGreaterThan(0);
  for (const { logIndex } of own) await step.getByText(`log ${logIndex}`, { exact: true }).waitFor();
  const booked = await ground.database.ledgerEntry.findMany({ where: { paymentIntentId: id, txHash: hash } });
  expect(booked.length).toBeGreaterThan(1);
  const lines = booked.map(({ amount }) => {
    const units = BigInt(amount.toFixed(0));
    return `${units > 0n ? '+' : ''}${tokenFigure('en', units, token.decimals).words} USDC`;
  });
  const shown = step.getByRole('table', { name: 'Ledger entries' }).getByRole('cell');
  await expect.poll(async () => (await shown.allTextContents()).sort(), PATIENCE).toEqual(lines.sort());
}

test('a new payment appears in the list, filters survive a reload, and the timeline shows every block', async () => {
  const opened = await openPage();
  const { page, pictures } = opened;
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: '/payments' });
  await page.getByText('No payments yet').waitFor();
  await pictures('payments-empty');
  const { id } = await make({ amount: '12.50', externalId: 'tea-1', metadata: { table: '7' } });
  // The first payment appears at once. Later ones are shown on request.
  await row(page, 'tea-1').waitFor();
  await make({ amount: '4.00', externalId: 'tea-2' });
  await page.getByRole('button', { name: '1 new' }).click();
  await row(page, 'tea-2').waitFor();
  const hash = await pay(id);
  await row(page, 'tea-1').getByText('Captured').waitFor();

  await page.getByRole('button', { name: 'Captured', exact: true }).click();
  await expect.poll(() => row(page, 'tea-2').count(), PATIENCE).toBe(0);
  await page.getByRole('button', { name: /More filters/ }).click();
  // Text that is no filter would leave the list unfiltered.
  await page.getByLabel('At least').fill('1,000');
  await page.getByText('Enter an amount, such as 10.00').waitFor();
  await page.getByLabel('At least').fill('');
  await page.getByLabel('Metadata').fill('table');
  await page.getByText('Enter a key and a value, such as order=42').waitFor();
  await page.getByLabel('Metadata').fill('table=7');
  await page.waitForURL(/metadata=table%3D7/);
  await page.reload();
  await row(page, 'tea-1').waitFor();
  expect(await page.getByLabel('Metadata').inputValue()).toBe('table=7');
  await inspect(opened, 'payments-list');

  await row(page, 'tea-1').click();
  await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor();
  expect(await page.getByRole('heading', { name: 'Authorized' }).isVisible()).toBe(false);
  await inspect(opened, 'payment-folded');
  await openTechnical(page);
  await page.getByRole('heading', { name: 'Authorized' }).waitFor();
  await page.getByTitle(hash).first().waitFor();
  await page.locator('[data-event="payment_intent.captured"] [data-delivery="DELIVERED"]').waitFor();
  expect(receiver.received.some(({ body }) => body.includes(id))).toBe(true);
  await seeStep(page, { id, name: 'AUTHORIZE', hash });
  await page.getByRole('button', { name: 'Verify now' }).click();
  await page.locator('[data-verdict="MATCH"]').waitFor();
  await inspect(opened, 'payment');
});

test('a difference between the ledger and the chain is shown with its details', async () => {
  const opened = await openPage();
  const { page } = opened;
  const { id } = await make({ amount: '5.00' });
  await pay(id);
  await statusOf(id, 'CAPTURED');
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: `/payments/${id}` });
  const { ledgerEntry } = ground.database;
  const entry = await ledgerEntry.findFirstOrThrow({ where: { paymentIntentId: id, account: 'ESCROW' } });
  const write = (amount: typeof entry.amount) => ledgerEntry.update({ where: { id: entry.id }, data: { amount } });
  await write(entry.amount.plus(1));
  try {
    await page.getByRole('button', { name: 'Verify now' }).click();
    const proof = page.locator('[data-verdict="DRIFT"]');
    await proof.getByText('Does not match', { exact: true }).waitFor();
    const held = BigInt(entry.amount.toFixed(0));
    await proof.getByText(`The books hold ${held + 1n}, the contract ${held}.`).waitFor();
    const { decimals } = firstChain().token;
    for (const units of [held, held + 1n]) {
      await proof.getByText(`${tokenFigure('en', units, decimals).exact} USDC`, { exact: true }).waitFor();
    }
    await inspect(opened, 'payment-drift');
  } finally {
    await write(entry.amount);
  }
});

test('a payment is refunded by percentage, by amount and in full; each refund is sent once and recorded', async () => {
  const opened = await openPage();
  const { page } = opened;
  const { id } = await make({ amount: '10.00', externalId: 'refunded' });
  await pay(id);
  await statusOf(id, 'CAPTURED');
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: `/payments/${id}` });
  const figure = (part: 'back' | 'leftover') => page.locator(`[data-figure="${part}"]`).textContent();
  const confirmed = page.locator('[data-moment="REFUND"]');
  await page.getByRole('button', { name: 'Refund' }).click();
  await page.getByLabel('Percentage').check();
  await page.getByLabel('Percentage of the remaining amount').fill('25');
  await expect.poll(() => figure('back'), PATIENCE).toContain('2.50');
  expect(await figure('leftover')).toContain('7.50');
  await page.getByLabel('Reason', { exact: true }).fill('One cup was cold');
  await inspect(opened, 'refund');
  await page.getByRole('button', { name: /Refund 2\.50/ }).dblclick();
  await page.locator('[data-moment]').getByText('Reason: One cup was cold').waitFor();
  await confirmed.waitFor();
  expect(await ground.database.refund.count({ where: { paymentIntentId: id } })).toBe(1);

  await page.getByRole('button', { name: 'Refund' }).click();
  await page.getByLabel('Specific amount').check();
  await page.getByLabel('Amount in USDC').fill('7.500001');
  await page.getByText('This exceeds the remaining amount').waitFor();
  await page.getByLabel('Amount in USDC').fill('3,5');
  await expect.poll(() => figure('back'), PATIENCE).toContain('3.50');
  expect(await figure('leftover')).toContain('4.00');
  await page.getByLabel('Reason', { exact: true }).fill('So was the second');
  await page.getByRole('button', { name: /Refund 3\.50/ }).click();
  await expect.poll(() => confirmed.count(), PATIENCE).toBe(2);

  await refundByKeyboard(page, figure);
  await statusOf(id, 'REFUNDED');
  const refunds = await ground.database.refund.findMany({ where: { paymentIntentId: id }, orderBy: { id: 'asc' } });
  expect(refunds.map(({ amount }) => amount.toFixed(0))).toEqual(['2500000', '3500000', '4000000']);
  await page.goto(`${ground.origin}/dashboard`);
  await seeReturned(page);
});

/** From the list to the newest payment, into its refund and out again, through it, and back to the list. */
async function refundByKeyboard(page: Page, figure: (part: 'back' | 'leftover') => Promise<string | null>) {
  await page.goto(`${ground.origin}/dashboard/payments`);
  await row(page, 'refunded').waitFor();
  await tabTo(page, page.locator('[data-row="0"]'));
  for (const key of ['ArrowDown', 'Home', 'Enter']) await page.keyboard.press(key);
  const open = page.getByRole('button', { name: 'Refund' });
  await open.waitFor();
  await tabTo(page, open);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  const hasFocus = () => dialog.evaluate((box) => box.contains(document.activeElement));
  await expect.poll(hasFocus, PATIENCE).toBe(true);
  await page.keyboard.press('Shift+Tab');
  expect(await hasFocus()).toBe(true);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => isFocused(open), PATIENCE).toBe(true);
  await page.keyboard.press('Enter');
  await dialog.waitFor();
  expect([await figure('back'), await figure('leftover')]).toEqual(['4.00 USDC', '0.00 USDC']);
  await tabTo(page, dialog.getByLabel('Reason', { exact: true }));
  await page.keyboard.type('All of it was');
  await tabTo(page, dialog.getByRole('button', { name: 'Refund 4.00 USDC' }));
  await page.keyboard.press('Enter');
  await page.locator('[data-moment]').getByText('Reason: All of it was').waitFor();
  await expect.poll(() => page.locator('[data-moment="REFUND"]').count(), PATIENCE).toBe(3);
  await tabTo(page, page.getByRole('main').getByRole('link', { name: 'Payments' }));
  await page.keyboard.press('Enter');
  await row(page, 'refunded').locator('[data-status="REFUNDED"]').waitFor();
}

/** The overview's figure of what went back is that of the books, in tokens and in fiat. */
async function seeReturned(page: Page): Promise<void> {
  const entries = await ground.database.ledgerEntry.findMany({
    where: { account: 'PAYER', paymentIntent: { appId: shop.appId }, kind: { not: { startsWith: 'AUTHORIZE' } } },
    include: { paymentIntent: true },
  });
  const [first] = entries;
  if (!first) throw new Error('Nothing went back.');
  const zero = first.amount.minus(first.amount);
  const units = entries.reduce((sum, { amount }) => sum.plus(amount), zero);
  const value = entries.reduce(
    (sum, { amount, paymentIntent: one }) => sum.plus(amount.times(one.amount).div(one.cryptoAmount ?? 1)),
    zero,
  );
  const part = page.locator('[data-part="returned"]');
  await part.getByText(fiatFigure('en', value.toFixed(2), 'USD'), { exact: true }).waitFor();
  const { words } = tokenFigure('en', BigInt(units.toFixed(0)), firstChain().token.decimals);
  await part.getByText(`${words} USDC · `).waitFor();
}

test('an unpaid payment is cancelled, and an authorized one is returned in full', async () => {
  const { page } = await openPage();
  const unpaid = await make({ amount: '2.00' });
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: `/payments/${unpaid.id}` });
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Cancel payment' }).click();
  await dialog.getByText('The customer can no longer pay it.').waitFor();
  await dialog.getByRole('button', { name: 'Go back' }).click();
  await statusOf(unpaid.id, 'CREATED');
  await page.getByRole('button', { name: 'Cancel payment' }).click();
  await dialog.getByRole('button', { name: 'Cancel payment' }).click();
  await page.locator('[data-moment="cancelled"]').waitFor();
  await statusOf(unpaid.id, 'CANCELLED');

  const { node, token } = firstChain();
  const balance = () =>
    node.readContract({
      address: getAddress(token.address),
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [payer.address],
    });
  const before = await balance();
  const held = await make({ amount: '6.00', captureMode: 'MANUAL' });
  await pay(held.id);
  await statusOf(held.id, 'AUTHORIZED');
  expect(await balance()).toBe(before - 6_000_000n);
  await openPayment(page, held.id);
  await page.getByRole('button', { name: 'Cancel payment' }).click();
  await dialog.getByText('The authorized 6.00 USDC are returned to the customer.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel payment' }).click();
  await page.locator('[data-moment="VOID"][data-state="CONFIRMED"]').waitFor();
  await statusOf(held.id, 'CANCELLED');
  expect(await balance()).toBe(before);
  expect(await page.getByRole('button', { name: 'Cancel payment' }).count()).toBe(0);
});

test('an authorized payment is captured in part, and a disputed one shows its evidence and is refunded', async () => {
  const { page, pictures } = await openPage();
  const held = await make({ amount: '6.00', captureMode: 'MANUAL' });
  await pay(held.id);
  await statusOf(held.id, 'AUTHORIZED');
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: `/payments/${held.id}` });
  await page.getByRole('button', { name: 'Capture' }).click();
  await page.getByLabel(/^Amount in/).fill('4');
  await page.getByRole('button', { name: /^Capture 4/ }).click();
  await page.locator('[data-moment="CAPTURE"][data-state="CONFIRMED"]').waitFor();
  await statusOf(held.id, 'CAPTURED');

  const disputed = await make({ amount: '3.00' });
  await pay(disputed.id);
  await statusOf(disputed.id, 'CAPTURED');
  await dispute(disputed.id);
  await openPayment(page, disputed.id);
  await page.locator('[data-dispute="OPEN"]').getByText('A photo of an empty cup').waitFor();
  await pictures('dispute');
  await page.getByRole('button', { name: 'Accept dispute' }).click();
  await page.getByRole('button', { name: 'Accept and refund' }).click();
  await page.locator('[data-dispute="RESOLVED_PAYER"]').waitFor();
  await statusOf(disputed.id, 'REFUNDED');
});

/** Opens a dispute with the payer's signature. */
async function dispute(id: string): Promise<void> {
  const path = `/payments/intents/${id}/dispute`;
  const claim = { reason: 'There was no tea', evidence: 'A photo of an empty cup' };
  const { steps } = await shop.call('POST', path, claim);
  await shop.call('POST', path, { ...claim, signature: await signStep(payer, steps[0]) });
}

test('a customer is created, edited, linked to a wallet, and found with Ctrl K', async () => {
  const opened = await openPage({ language: 'en', expected: [/400/] });
  const { page } = opened;
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: '/customers' });
  await page.getByText('No customers yet').waitFor();
  await page.getByRole('button', { name: 'New customer' }).click();
  await page.getByLabel('Name').fill('Ada Lovelace');
  await page.getByLabel('Email', { exact: true }).fill('ada@example.com');
  await page.getByRole('button', { name: 'Create customer' }).click();
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  await page.getByRole('button', { name: 'Add wallet' }).click();
  await page.getByLabel('Address', { exact: true }).fill('0x123');
  await page.getByRole('button', { name: 'Add wallet' }).last().click();
  await page.getByText('Enter a valid wallet address').waitFor();
  await page.getByLabel('Address', { exact: true }).fill(payer.address.toLowerCase());
  await page.getByRole('button', { name: 'Add wallet' }).last().click();
  await page.locator(`[data-wallet="${payer.address}"]`).waitFor();
  await page.getByRole('button', { name: 'Edit customer' }).click();
  await page.getByLabel('City').fill('London');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('London').waitFor();
  await inspect(opened, 'customer');
  await page.getByRole('main').getByRole('link', { name: 'Customers' }).click();
  await page.getByRole('row').filter({ hasText: 'Ada Lovelace' }).waitFor();
  await inspect(opened, 'customers');

  await page.keyboard.press('Control+K');
  await page.getByRole('combobox').fill('ada@ex');
  await page.getByRole('option', { name: /Ada Lovelace/ }).waitFor();
  await page.getByRole('combobox').fill('tea-1');
  await page.getByRole('option', { name: /tea-1/ }).click();
  await page.getByRole('heading', { name: 'Timeline' }).waitFor();
});

test('a viewer sees no buttons, and the API rejects a forged mutation from the page', async () => {
  const email = `viewer-${crypto.randomUUID().slice(0, 8)}@example.com`;
  const world = { database: ground.database, clock: systemClock };
  await inviteMember(world, { merchantId: shop.merchantId, email, role: 'VIEWER' });
  const { id } = await make({ amount: '2.00' });
  const { page } = await openPage({ expected: [/403/] });
  await visitDashboard(ground, page, { email: email, path: `/payments/${id}` });
  await page.getByRole('heading', { name: 'Timeline' }).waitFor();
  expect(await page.getByRole('button', { name: 'Cancel payment' }).count()).toBe(0);
  // The credential that the page itself sends, in a call that it would not make.
  const asked = page.waitForRequest((request) => request.url().endsWith('/graphql') && request.method() === 'POST');
  await page.reload();
  const { authorization = '' } = await (await asked).allHeaders();
  expect(authorization).toMatch(/^Bearer /);
  const forged = await page.evaluate(
    async ([credential, paymentId]) => {
      const query = 'mutation ($id: ID!) { cancelPaymentIntent(id: $id) { status } }';
      const response = await fetch('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: credential },
        body: JSON.stringify({ query, variables: { id: paymentId } }),
      });
      return await response.json();
    },
    [authorization, id] as const,
  );
  expect(forged.errors[0].extensions.code).toBe('AUTHORIZATION_ERROR');
  await statusOf(id, 'CREATED');
});
