/**
 * The dashboard's payments and customers in a real browser, with payments that are really made meanwhile.
 */
import type { Page } from 'playwright-core';
import type { Hex } from 'viem';
import { beforeAll, expect, test, vi } from 'vitest';
import { inviteMember } from '../../src/auth/members/invite-member.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { signStep } from '../checkout/sign-step.ts';
import { openReceiver, type Receiver } from '../setup/receiver.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { openPage } from './setup/open-page.ts';
import { payIntent } from './setup/pay-intent.ts';
import { visitDashboard } from './setup/visit-dashboard.ts';

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
  // Long enough that nothing settles while it is looked at.
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
  await page.getByRole('heading', { name: 'What happened' }).waitFor();
}

test('a payment made elsewhere comes to the open list, its filters survive a reload, and its story is told to the block', async () => {
  const { page, pictures, axe } = await openPage();
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: '/payments' });
  await page.getByText('No payments yet').waitFor();
  await pictures('payments-empty');
  const { id } = await make({ amount: '12.50', externalId: 'tea-1', metadata: { table: '7' } });
  // The first of all stands there at once, later ones wait to be asked for.
  await row(page, 'tea-1').waitFor();
  await make({ amount: '4.00', externalId: 'tea-2' });
  await page.getByRole('button', { name: '1 new' }).click();
  await row(page, 'tea-2').waitFor();
  const hash = await pay(id);
  await row(page, 'tea-1').getByText('Captured').waitFor();

  await page.getByRole('button', { name: 'Captured', exact: true }).click();
  await expect.poll(() => row(page, 'tea-2').count(), PATIENCE).toBe(0);
  await page.getByRole('button', { name: /More filters/ }).click();
  await page.getByLabel('Metadata').fill('table=7');
  await page.waitForURL(/metadata=table%3D7/);
  await page.reload();
  await row(page, 'tea-1').waitFor();
  expect(await page.getByLabel('Metadata').inputValue()).toBe('table=7');
  expect(await axe()).toEqual([]);
  await pictures('payments-list');

  await row(page, 'tea-1').click();
  await page.getByRole('heading', { name: 'Paid into escrow' }).waitFor();
  await page.getByTitle(hash).first().waitFor();
  await page.locator('[data-event="payment_intent.captured"] [data-delivery="DELIVERED"]').waitFor();
  expect(receiver.received.some(({ body }) => body.includes(id))).toBe(true);
  await page.getByRole('button', { name: 'Verify now' }).click();
  await page.locator('[data-verdict="MATCH"]').waitFor();
  expect(await axe()).toEqual([]);
  await pictures('payment');
  await page.setViewportSize({ width: 320, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
});

test('a refund by percent says what is left before and after, is sent once, and says when it is done', async () => {
  const { page, pictures, axe } = await openPage();
  const { id } = await make({ amount: '10.00', externalId: 'refunded' });
  await pay(id);
  await statusOf(id, 'CAPTURED');
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: `/payments/${id}` });
  await page.getByRole('button', { name: 'Refund' }).click();
  await page.getByLabel('A percentage').check();
  await page.getByLabel('Percent of what is left').fill('25');
  await expect.poll(() => page.locator('[data-figure="back"]').textContent(), PATIENCE).toContain('2.50');
  expect(await page.locator('[data-figure="leftover"]').textContent()).toContain('7.50');
  await page.getByLabel('Reason', { exact: true }).fill('One cup was cold');
  expect(await axe()).toEqual([]);
  await pictures('refund');
  await page.getByRole('button', { name: /Refund 2\.50/ }).dblclick();
  await page.getByText('Reason: One cup was cold').waitFor();
  await page.locator('[data-step="REFUND"][data-state="CONFIRMED"]').waitFor();
  expect(await ground.database.refund.count({ where: { paymentIntentId: id } })).toBe(1);
  await page.getByRole('button', { name: 'Refund' }).click();
  await page.getByText('7.50').first().waitFor();
});

test('a held payment is captured in part, and a disputed one shows its evidence and is given back', async () => {
  const { page, pictures } = await openPage();
  const held = await make({ amount: '6.00', captureMode: 'MANUAL' });
  await pay(held.id);
  await statusOf(held.id, 'AUTHORIZED');
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: `/payments/${held.id}` });
  await page.getByRole('button', { name: 'Capture' }).click();
  await page.getByLabel(/^Amount in/).fill('4');
  await page.getByRole('button', { name: /^Capture 4/ }).click();
  await page.locator('[data-step="CAPTURE"][data-state="CONFIRMED"]').waitFor();
  await statusOf(held.id, 'CAPTURED');

  const disputed = await make({ amount: '3.00' });
  await pay(disputed.id);
  await statusOf(disputed.id, 'CAPTURED');
  await dispute(disputed.id);
  await openPayment(page, disputed.id);
  await page.locator('[data-dispute="OPEN"]').getByText('A photo of an empty cup').waitFor();
  await pictures('dispute');
  await page.getByRole('button', { name: 'Accept dispute' }).click();
  await page.getByRole('button', { name: 'Give everything back' }).click();
  await page.locator('[data-dispute="RESOLVED_PAYER"]').waitFor();
  await statusOf(disputed.id, 'REFUNDED');
});

/** As the payer does it, with a signature. */
async function dispute(id: string): Promise<void> {
  const path = `/payments/intents/${id}/dispute`;
  const said = { reason: 'There was no tea', evidence: 'A photo of an empty cup' };
  const { steps } = await shop.call('POST', path, said);
  await shop.call('POST', path, { ...said, signature: await signStep(payer, steps[0]) });
}

test('a customer is made, changed, given a wallet, and found by Ctrl K', async () => {
  const { page, pictures, axe } = await openPage({ language: 'en', expected: [/400/] });
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
  await page.getByText('This is not a valid address').waitFor();
  await page.getByLabel('Address', { exact: true }).fill(payer.address.toLowerCase());
  await page.getByRole('button', { name: 'Add wallet' }).last().click();
  await page.locator(`[data-wallet="${payer.address}"]`).waitFor();
  await page.getByRole('button', { name: 'Edit customer' }).click();
  await page.getByLabel('City').fill('London');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('London').waitFor();
  expect(await axe()).toEqual([]);
  await pictures('customer');

  await page.keyboard.press('Control+K');
  await page.getByRole('combobox').fill('ada@ex');
  await page.getByRole('option', { name: /Ada Lovelace/ }).waitFor();
  await page.getByRole('combobox').fill('tea-1');
  await page.getByRole('option', { name: /tea-1/ }).click();
  await page.getByRole('heading', { name: 'What happened' }).waitFor();
});

test('a viewer sees no buttons, and a mutation forged from the page is refused by the API', async () => {
  const email = `viewer-${crypto.randomUUID().slice(0, 8)}@example.com`;
  const world = { database: ground.database, clock: systemClock };
  await inviteMember(world, { merchantId: shop.merchantId, email, role: 'VIEWER' });
  const { id } = await make({ amount: '2.00' });
  const { page } = await openPage({ expected: [/403/] });
  await visitDashboard(ground, page, { email: email, path: `/payments/${id}` });
  await page.getByRole('heading', { name: 'What happened' }).waitFor();
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
