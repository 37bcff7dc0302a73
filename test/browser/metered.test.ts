/** Metered prices on the pages: made in the dashboard, shown to the payer before signing, and the usage of a subscription. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/platform/identifier.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { openPage } from './setup/open-page.ts';
import { inspect, visitDashboard } from './setup/visit-dashboard.ts';

const DAY_MS = 86_400_000;

let ground: BrowserGround;
let shop: ShopGround;
beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop('Meter house');
});

const dialog = (page: Page) => page.getByRole('dialog');

test('a metered plan is created in the dashboard, and its usage is shown with its cost', async () => {
  const opened = await openPage({ expected: [/400/] });
  const { page } = opened;
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: '/plans' });
  await page.getByRole('button', { name: 'New product' }).click();
  await dialog(page).getByLabel('Name', { exact: true }).fill('API');
  await dialog(page).getByLabel('Pricing model').selectOption('METERED');
  await dialog(page).getByLabel('Base fee').fill('5');
  await dialog(page).getByLabel('Usage pricing').selectOption('GRADUATED');
  await dialog(page).getByLabel('Included units').fill('100');
  await dialog(page).getByLabel('Up to').fill('1,000');
  await dialog(page).getByLabel('Unit price').first().fill('0.01');
  await dialog(page).getByLabel('Unit price').last().fill('0.005');
  await dialog(page).getByLabel('Maximum charge per period').fill('50');
  await dialog(page).getByRole('button', { name: 'Create product' }).click();
  // A thousand with a separator would be sold as 1, so it is not sent.
  await dialog(page).getByText('Enter the number without thousands separators, such as 1000').waitFor();
  await dialog(page).getByLabel('Up to').fill('1000');
  await dialog(page).getByRole('button', { name: 'Create product' }).click();
  // The API refuses the empty name of the unit, at its field.
  await expect
    .poll(() => dialog(page).getByLabel('Unit name').getAttribute('aria-invalid'), {
      timeout: 60_000,
    })
    .toBe('true');
  await inspect(opened, 'metered-plan-form');
  await dialog(page).getByLabel('Unit name').fill('API call');
  await dialog(page).getByRole('button', { name: 'Create product' }).click();
  await page.getByRole('heading', { level: 1, name: 'API' }).waitFor();
  await page.getByText('5.00 USD per month plus usage').first().waitFor();
  await page.getByText('100 × API call included').waitFor();
  await page.getByText('up to 1,000: 0.01 USD per API call').waitFor();
  await page.getByText('At most 50.00 USD per period, including tax').waitFor();

  const id = await subscribe();
  await shop.call('POST', '/usage', { events: [{ eventId: newId(), subscriptionId: id, quantity: '1234.5' }] });
  await page.goto(`${ground.origin}/dashboard/subscriptions/${id}`);
  await page.getByText('1,234.5 × API call').waitFor();
  // 1000 × 0.01 and 134.5 × 0.005.
  await page.getByText('10.67 USD').first().waitFor();
  await page.getByText('15.67 USD').first().waitFor();
  await inspect(opened, 'metered-subscription');
});

test('the hosted page shows unit prices and the cap', async () => {
  const opened = await openPage({});
  const { page } = opened;
  const subscription = await create();
  const session = await shop.call('POST', `/subscriptions/${subscription.id}/checkout`, {});
  await page.goto(session.url);
  await page.getByText('100 × API call included').waitFor();
  await page.getByText('up to 1,000: 0.01 USD per API call').waitFor();
  await page.getByText('above: 0.005 USD per API call').waitFor();
  await page.getByText('At most 50.00 USD every month, including tax').waitFor();
  await inspect(opened, 'metered-checkout');
});

/** PENDING, of the newest plan. */
async function create(): Promise<{ id: string }> {
  const [plan] = await shop.call('GET', '/product-plans?planType=SUBSCRIPTION');
  const customer = await shop.call('POST', '/customers', { appId: shop.appId, name: 'Ada' });
  return await shop.call('POST', '/subscriptions', {
    appId: shop.appId,
    customerAccountId: customer.id,
    productPlanId: plan.id,
    productPlanPriceId: plan.prices[0].id,
  });
}

/** In the middle of its period. */
async function subscribe(): Promise<string> {
  const { id } = await create();
  const [start, end] = [-10, 20].map((days) => new Date(Date.now() + days * DAY_MS)) as [Date, Date];
  await ground.database.subscription.update({
    where: { id },
    data: { status: 'ACTIVE', currentPeriodStart: start, currentPeriodEnd: end, billingCycleAnchor: start },
  });
  return id;
}
