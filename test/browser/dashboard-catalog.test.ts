/** The dashboard's plans, links, tax rates, invoices and subscriptions, as a merchant uses them. */
import type { Page } from 'playwright-core';
import { encode } from 'uqr';
import { beforeAll, expect, test } from 'vitest';
import { consentToJson } from '../../src/escrow/consent.ts';
import { uuidToBytes32 } from '../../src/escrow/terms.ts';
import { newId } from '../../src/platform/identifier.ts';
import { consentPeriod } from '../../src/subscriptions/billing-period.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { type OpenPage, openPage } from './setup/open-page.ts';
import { inspect, visitDashboard } from './setup/visit-dashboard.ts';

/** The machine may be busy with other tests. */
const patient = { timeout: 60_000 };
const CUSTOMER = 'ada@example.com';
const WALLET = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const nobody = '0x0000000000000000000000000000000000000000';

let ground: BrowserGround;
let shop: ShopGround;
let email: string;
let customerAccountId: string;

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop('Tea house');
  email = `${newId()}-${CUSTOMER}`;
  ({ id: customerAccountId } = await shop.call('POST', '/customers', { appId: shop.appId, name: 'Ada', email }));
});

async function openDashboard(path: string, options?: Parameters<typeof openPage>[0]): Promise<OpenPage> {
  const opened = await openPage({ expected: [/400/], ...options });
  await visitDashboard(ground, opened.page, { email: shop.ownerEmail, path });
  return opened;
}

const dialog = (page: Page) => page.getByRole('dialog');

test('a plan is created, sold by a link and its QR code, renamed and archived; the link is deactivated', async () => {
  const opened = await openDashboard('/plans');
  const { page } = opened;
  await page.getByRole('button', { name: 'New product' }).click();
  await dialog(page).getByLabel('Name', { exact: true }).fill('Gold tea');
  await dialog(page).getByLabel('Amount').fill('-3');
  await dialog(page).getByRole('button', { name: 'Create product' }).click();
  // An error of the API appears at its field.
  const amount = dialog(page).getByLabel('Amount');
  await expect.poll(() => amount.getAttribute('aria-invalid'), patient).toBe('true');
  await dialog(page).getByRole('alert').filter({ hasText: 'Enter an amount, such as 10.00' }).waitFor();
  await opened.pictures('plan-form');
  await amount.fill('12,50');
  await dialog(page).getByRole('button', { name: 'Create product' }).click();
  await page.getByRole('heading', { level: 1, name: 'Gold tea' }).waitFor();
  await page.getByText('12.50 USD per month').first().waitFor();
  await inspect(opened, 'plan');

  await page.goto(`${ground.origin}/dashboard/links`);
  await page.getByRole('button', { name: 'New payment link' }).click();
  await dialog(page).getByLabel('Name', { exact: true }).fill('Gold tea, monthly');
  await dialog(page).getByLabel('URL path').fill(`tea-${newId()}`);
  await dialog(page).getByLabel('Pricing').selectOption('price');
  const prices = dialog(page).getByLabel('Product and price');
  await expect.poll(() => prices.locator('option').count(), patient).toBeGreaterThan(1);
  await prices.selectOption({ index: 1 });
  await opened.pictures('link-form');
  await dialog(page).getByRole('button', { name: 'Create link' }).click();
  const path = dialog(page)
    .getByRole('img', { name: /^QR code of/ })
    .locator('path');
  await path.waitFor();
  const [link] = await shop.call('GET', `/payment-links?appId=${shop.appId}`);
  expect(link).toMatchObject({ name: 'Gold tea, monthly', productPlan: { name: 'Gold tea' } });
  expect(darkSquares((await path.getAttribute('d')) ?? '')).toEqual(expectedSquares(link.paymentUrl));
  await inspect(opened, 'link-share');

  const payer = await openPage();
  const response = await payer.page.goto(link.paymentUrl);
  expect(response?.status()).toBe(200);
  await payer.page.locator('#page > *').first().waitFor();
  await page.goto(`${ground.origin}/dashboard/links/${link.id}`);
  await changeName(page, { from: 'Gold tea, monthly', to: 'Gold tea, by the month' });
  await act(page, { on: 'Gold tea, by the month', entry: 'Deactivate', yes: 'Deactivate' });
  await page.getByText('Inactive', { exact: true }).waitFor();
  expect(await shop.call('GET', `/payment-links/${link.id}`)).toMatchObject({
    name: 'Gold tea, by the month',
    isActive: false,
  });
  await payer.page.reload();
  await payer.page.getByText('This payment link is not active').waitFor();

  await page.goto(`${ground.origin}/dashboard/plans/${link.productPlanId}`);
  await changeName(page, { from: 'Gold tea', to: 'Golden tea' });
  await act(page, { on: 'Golden tea', entry: 'Archive', yes: 'Archive product' });
  await page.getByText('Archived', { exact: true }).waitFor();
  expect(await shop.call('GET', `/product-plans/${link.productPlanId}`)).toMatchObject({
    name: 'Golden tea',
    isActive: false,
  });
  await page.goto(`${ground.origin}/dashboard/plans?state=active`);
  await page.getByText('No results').waitFor();
}, 300_000);

async function changeName(page: Page, { from, to }: { from: string; to: string }): Promise<void> {
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const name = dialog(page).getByLabel('Name', { exact: true });
  expect(await name.inputValue()).toBe(from);
  await name.fill(to);
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: to }).waitFor();
}

/** Chooses what the menu of a thing offers, and says yes to it. */
async function act(page: Page, { on, entry, yes }: { on: string; entry: string; yes: string }): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${on}` }).click();
  await page.getByRole('menuitem', { name: entry }).click();
  await dialog(page).getByRole('button', { name: yes }).click();
  await dialog(page).waitFor({ state: 'detached' });
}

function darkSquares(path: string): string[] {
  const squares: string[] = [];
  for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)v1/g)) {
    for (let step = 0; step < Number(width); step += 1) squares.push(`${Number(x) + step} ${y}`);
  }
  return squares.sort();
}

function expectedSquares(url: string): string[] {
  const { data } = encode(url, { ecc: 'M', border: 4 });
  return data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`${x} ${y}`] : []))).sort();
}

test('a tax rate is created and archived; an invoice with it is opened, printed, mailed and voided', async () => {
  // East of UTC, where the end of a day in UTC is the next day.
  const opened = await openDashboard('/plans/taxes', { timeZone: 'Europe/Berlin' });
  const { page } = opened;
  await page.getByRole('button', { name: 'New tax rate' }).click();
  await dialog(page).getByLabel('Name', { exact: true }).fill('VAT');
  await dialog(page).getByLabel('Percentage').fill('120');
  await dialog(page).getByRole('button', { name: 'Create tax rate' }).click();
  await dialog(page).getByText('Enter a value from 0 to 100', { exact: true }).waitFor();
  await dialog(page).getByLabel('Percentage').fill('16');
  await dialog(page).getByRole('button', { name: 'Create tax rate' }).click();
  await page.getByRole('cell', { name: '16 %' }).waitFor();
  await page.getByRole('button', { name: 'Actions for VAT' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await dialog(page).getByLabel('Percentage').fill('19');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell', { name: '19 %' }).waitFor();
  expect(await shop.call('GET', '/tax-rates')).toMatchObject([{ displayName: 'VAT', percentage: 19 }]);
  await opened.pictures('taxes');

  await page.goto(`${ground.origin}/dashboard/invoices/new?customer=${customerAccountId}`);
  await expect.poll(() => page.getByLabel('Customer', { exact: true }).inputValue(), patient).toBe(customerAccountId);
  // The chosen customer stays selected while the search finds others.
  await page.getByLabel('Search customers').fill(newId());
  await expect.poll(() => page.getByRole('option', { name: 'No results' }).count(), patient).toBe(1);
  expect(await page.getByLabel('Customer', { exact: true }).inputValue()).toBe(customerAccountId);
  await page.getByLabel('Due date').fill('2031-03-31');
  await page.getByLabel('Default tax rate').selectOption({ index: 1 });
  await page.getByLabel('Description').fill('Advice');
  await page.getByLabel('Quantity').fill('2');
  await page.getByLabel('Unit price').fill('50');
  await page.getByText('119.00 USD').waitFor();
  await opened.pictures('invoice-new');
  await page.getByRole('button', { name: 'Create draft' }).click();
  await page.getByRole('button', { name: 'Finalize invoice' }).click();
  await dialog(page).getByRole('button', { name: 'Finalize invoice' }).click();
  const number = page.getByRole('heading', { level: 1, name: /^INV-\d+$/ });
  await number.waitFor();
  await page.getByText('Mar 31, 2031', { exact: true }).waitFor();
  const invoiceNumber = (await number.textContent()) ?? '';
  await inspect(opened, 'invoice');
  const [printed] = await Promise.all([
    opened.context.waitForEvent('page'),
    page.getByRole('link', { name: 'Print or save as PDF' }).click(),
  ]);
  await printed.getByRole('heading', { level: 1, name: invoiceNumber }).waitFor();
  await printed.getByText('$119.00').first().waitFor();
  await printed.getByRole('button').waitFor();
  // Elements for the screen only are not printed.
  await printed.emulateMedia({ media: 'print' });
  await printed.getByRole('button').waitFor({ state: 'hidden' });
  await printed.close();
  await page.getByRole('button', { name: 'Send invoice' }).click();
  await dialog(page).getByRole('button', { name: 'Send invoice' }).click();
  await expect
    .poll(async () => (await ground.mails(email)).some((mail) => mail.includes(invoiceNumber)), patient)
    .toBe(true);
  await dialog(page).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Void invoice', exact: true }).click();
  await dialog(page).getByRole('button', { name: 'Void invoice' }).click();
  await page.locator('[data-status="VOID"]').first().waitFor();
  expect((await shop.call('GET', '/invoices'))[0]).toMatchObject({ invoiceNumber, status: 'VOID', total: '119.00' });

  await page.goto(`${ground.origin}/dashboard/plans/taxes`);
  await act(page, { on: 'VAT', entry: 'Archive', yes: 'Archive tax rate' });
  await page.getByText('No tax rates yet').waitFor();
  expect(await shop.call('GET', '/tax-rates')).toEqual([]);
}, 300_000);

test('a subscription shows its calendar, previews a plan change and updates live; another is created', async () => {
  const { id, dearer } = await subscribe();
  const opened = await openDashboard(`/subscriptions/${id}`, { language: 'en' });
  const { page } = opened;
  await page.locator('[data-forecast="LOW_BALANCE"]').waitFor();
  await page.getByText('Required: about 10.00 USDC. Available: 4.00 USDC.').waitFor();
  expect(await page.locator('[data-due]').count()).toBe(12);
  await page.getByText('12.50 USDC').first().waitFor();
  await page.getByText(/^0 of \d+$/).waitFor();
  await inspect(opened, 'subscription');

  await page.getByRole('button', { name: 'Change plan' }).click();
  const prices = dialog(page).getByLabel('Product and price');
  await expect.poll(() => prices.locator(`option[value="${dearer}"]`).count(), patient).toBe(1);
  await prices.selectOption(dearer);
  await dialog(page).locator('[data-preview]').getByText('The new price applies immediately.').waitFor();
  await dialog(page)
    .getByText(/^Unused time of Club/)
    .waitFor();
  await opened.pictures('subscription-change');
  await page.keyboard.press('Escape');

  await applyCoupons(opened, id);

  // Paused by another program, which the page receives live.
  await shop.call('POST', `/subscriptions/${id}/pause`);
  await page.locator('[data-forecast="paused"]').waitFor();
  await page.getByRole('button', { name: 'Resume' }).waitFor();

  await page.goto(`${ground.origin}/dashboard/subscriptions?status=PAUSED`);
  await page.getByRole('cell', { name: /^Ada/ }).waitFor();
  await opened.pictures('subscriptions');
  await page.getByLabel('Status').selectOption('ACTIVE');
  await page.getByText('No results').waitFor();
  expect(new URL(page.url()).search).toBe('?status=ACTIVE');
  await subscribeByHand(page, dearer);
}, 300_000);

/** Makes a coupon for two periods, applies it to the subscription, and removes it. */
async function applyCoupons(opened: OpenPage, id: string): Promise<void> {
  const { page } = opened;
  await page.goto(`${ground.origin}/dashboard/links/coupons`);
  await page.getByRole('button', { name: 'New coupon' }).click();
  await dialog(page).getByLabel('Name', { exact: true }).fill('Loyal');
  await dialog(page).getByLabel('Percentage').fill('25');
  await dialog(page).getByLabel('Duration').selectOption('REPEATING');
  await dialog(page).getByLabel('Number of billing periods').fill('2');
  await opened.pictures('coupon-form');
  await dialog(page).getByRole('button', { name: 'Create coupon' }).click();
  await page.getByRole('cell', { name: '25 % off for 2 billing periods' }).waitFor();
  await page.goto(`${ground.origin}/dashboard/subscriptions/${id}`);
  await page.getByRole('button', { name: 'Actions for Subscription' }).click();
  await page.getByRole('menuitem', { name: 'Apply coupon' }).click();
  const coupons = dialog(page).getByLabel('Coupon', { exact: true });
  await expect.poll(() => coupons.locator('option').count(), patient).toBe(2);
  await coupons.selectOption({ label: 'Loyal · 25 % off for 2 billing periods' });
  await dialog(page).getByRole('button', { name: 'Apply coupon' }).click();
  await page.getByText('2 invoices left').waitFor();
  await expect.poll(() => page.locator('[data-due]').first().textContent(), patient).toContain('7.50 USD');
  expect(await page.locator('[data-due]').nth(2).textContent()).toContain('10.00 USD');
  await inspect(opened, 'subscription-coupon');
  await act(page, { on: 'Subscription', entry: 'Remove coupon', yes: 'Remove coupon' });
  await page.getByText('2 invoices left').waitFor({ state: 'detached' });
  expect(await shop.call('GET', `/subscriptions/${id}`)).toMatchObject({ couponId: null });
}

/** On the page of subscriptions: makes one, and the link by which its customer begins it. */
async function subscribeByHand(page: Page, priceId: string): Promise<void> {
  await page.getByRole('button', { name: 'New subscription' }).click();
  await dialog(page).getByLabel('Customer', { exact: true }).selectOption(customerAccountId);
  await dialog(page).getByLabel('Product and price').selectOption(priceId);
  await dialog(page).getByRole('button', { name: 'Create subscription' }).click();
  await page.waitForURL(/\/subscriptions\/[0-9a-f-]{36}$/);
  await page.getByText('Waiting for the customer').waitFor();
  const id = new URL(page.url()).pathname.split('/').at(-1);
  expect(await shop.call('GET', `/subscriptions/${id}`)).toMatchObject({
    status: 'PENDING',
    customerAccountId,
    productPlanPriceId: priceId,
  });
  await page.getByRole('button', { name: 'Checkout link' }).click();
  await dialog(page).getByRole('button', { name: 'Create link' }).click();
  await dialog(page).getByText(`${ground.origin}/checkout/`).waitFor();
}

/** Halfway through a paid month, by a consent up to 12.5 USDC, and 4 USDC in the wallet; with a price of 11 to change to. */
async function subscribe(): Promise<{ id: string; dearer: string }> {
  const { database, demo } = ground;
  const [chain] = demo.chains;
  if (!chain) throw new Error('The installation has no chain.');
  const plan = await shop.call('POST', '/product-plans', {
    name: 'Club',
    planType: 'SUBSCRIPTION',
    prices: [
      { amount: '10', billingInterval: 'MONTH', isDefault: true },
      { amount: '11', billingInterval: 'MONTH', nickname: 'plus' },
    ],
  });
  const [price, dearer] = plan.prices;
  const { id } = await shop.call('POST', '/subscriptions', {
    appId: shop.appId,
    customerAccountId,
    productPlanId: plan.id,
    productPlanPriceId: price.id,
  });
  const halfMs = 15 * 86_400_000;
  const start = new Date(Date.now() - halfMs);
  const consentId = uuidToBytes32(id);
  await database.subscriptionConsent.create({
    data: {
      consentId,
      subscriptionId: id,
      quoteId: newId(),
      chainId: chain.chainId,
      tokenKey: `USDC-${chain.chainId}`,
      walletAddress: WALLET,
      method: 'APPROVAL',
      consent: consentToJson({
        subscriptionId: consentId,
        payer: WALLET,
        merchant: WALLET,
        token: nobody,
        capPerPeriod: 12_500_000n,
        start: Math.floor(start.getTime() / 1000),
        ...consentPeriod('MONTH', 1),
        end: 0,
        feeBps: 100,
        feeRecipient: WALLET,
        operator: WALLET,
        arbiter: nobody,
        timelock: 5,
        disputeWindow: 0,
        disputeTimeout: 0,
        timeoutPayerBps: 0,
      }),
      capPerPeriod: '12500000',
      cryptoAmount: '10000000',
      exchangeRate: '1',
      quoteExpiresAt: start,
      acceptedAt: start,
      lastChargedPeriod: 0,
    },
  });
  await database.subscription.update({
    where: { id },
    data: {
      authorizationChainId: chain.chainId,
      consentId,
      status: 'ACTIVE',
      currentPeriodStart: start,
      currentPeriodEnd: new Date(Date.now() + halfMs),
      billingCycleAnchor: new Date(Date.now() + halfMs),
    },
  });
  await database.renewalOutlook.create({
    data: { subscriptionId: id, expectedAmount: '10000000', balance: '4000000', readAt: new Date() },
  });
  return { id, dearer: dearer.id };
}
