/** Problems in a real browser: disputed and partially refunded payments are marked, and each problem has its list. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { newId } from '../../src/platform/identifier.ts';
import { signStep } from '../checkout/sign-step.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { openPage } from './setup/open-page.ts';
import { payIntent } from './setup/pay-intent.ts';
import { inspect, visitDashboard } from './setup/visit-dashboard.ts';

const PATIENCE = { timeout: 60_000 };
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let ground: BrowserGround;
let shop: ShopGround;
let payer: Awaited<ReturnType<BrowserGround['newPayer']>>;

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop('Tea house');
  await ground.database.app.update({
    where: { id: shop.appId },
    data: { timelockDuration: 86_400, disputeStartDuration: 43_200 },
  });
  payer = await ground.newPayer();
});

const row = (page: Page, reference: string) => page.getByRole('row').filter({ hasText: reference });

async function paid(externalId: string): Promise<string> {
  const { id } = await shop.call('POST', '/payments/intents', { amount: '10.00', externalId });
  await payIntent({ ground, shop, payer }, id);
  await expect.poll(() => statusOf(id), PATIENCE).toBe('CAPTURED');
  return id;
}

const statusOf = async (id: string) => (await shop.call('GET', `/payments/intents/${id}`)).status;

async function refundInPart(id: string): Promise<void> {
  await shop.call('POST', `/payments/intents/${id}/refund`, { reason: 'Half was cold', percent: 50 });
  const refunded = async () => (await shop.call('GET', `/payments/intents/${id}`)).refundedAt;
  await expect.poll(refunded, PATIENCE).not.toBeNull();
}

/** Opens a dispute with the payer's signature. */
async function dispute(id: string): Promise<void> {
  const path = `/payments/intents/${id}/dispute`;
  const claim = { reason: 'There was no tea' };
  const { steps } = await shop.call('POST', path, claim);
  await shop.call('POST', path, { ...claim, signature: await signStep(payer, steps[0]) });
  const open = async () => (await shop.call('GET', `/payments/intents/${id}`)).dispute?.status;
  await expect.poll(open, PATIENCE).toBe('OPEN');
}

test('a partially refunded, disputed payment shows both states in lists and on its page', async () => {
  await paid('fine');
  const half = await paid('half');
  await refundInPart(half);
  const bad = await paid('bad');
  await refundInPart(bad);
  await dispute(bad);

  const opened = await openPage();
  const { page } = opened;
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: '/' });
  const problem = page.locator('[data-problem="OPEN_DISPUTES"]');
  await problem.getByText('1 open dispute').waitFor();
  await problem.getByText('First deadline').waitFor();
  await row(page, 'bad').locator('[data-status="DISPUTED"]').waitFor();
  expect(await row(page, 'half').locator('[data-status="PARTIALLY_REFUNDED"]').count()).toBe(1);
  expect(await row(page, 'fine').locator('[data-status="CAPTURED"]').count()).toBe(1);
  await inspect(opened, 'attention');

  await page.goto(`${ground.origin}/dashboard/payments`);
  await row(page, 'bad').locator('[data-status="DISPUTED"]').getByText('Disputed').waitFor();
  await row(page, 'half').getByText('Partially refunded').waitFor();
  await inspect(opened, 'attention-payments');
  const chips = page.getByRole('group', { name: 'Needs attention' });
  await chips.getByRole('button', { name: 'Disputed' }).click();
  await page.waitForURL(/flags=DISPUTED/);
  await expect.poll(() => row(page, 'half').count(), PATIENCE).toBe(0);
  await row(page, 'bad').waitFor();
  await page.getByText('1 payment', { exact: true }).waitFor();
  await chips.getByRole('button', { name: 'Partially refunded' }).click();
  await row(page, 'half').waitFor();
  await page.reload();
  await page.getByText('2 payments', { exact: true }).waitFor();
  expect(await row(page, 'fine').count()).toBe(0);

  await row(page, 'bad').click();
  await page.getByRole('heading', { name: 'Timeline' }).waitFor();
  for (const flag of ['DISPUTED', 'PARTIALLY_REFUNDED', 'CAPTURED']) {
    await page.getByRole('banner').or(page.getByRole('main')).locator(`[data-status="${flag}"]`).first().waitFor();
  }
  const money = page.getByRole('region', { name: 'Amounts' });
  await money.getByText('Refunded', { exact: true }).waitFor();
  await money.locator('dt', { hasText: 'Refunded' }).locator('+ dd').getByText('5.00 USDC').waitFor();
  await inspect(opened, 'attention-payment');
});

test('each problem links to its filtered list, by keyboard too, and no section is shown without problems', async () => {
  const calm = await ground.openShop('Calm shop');
  const opened = await openPage();
  const { page } = opened;
  await visitDashboard(ground, page, { email: calm.ownerEmail, path: '/' });
  await page.getByRole('heading', { name: 'No payments yet' }).waitFor();
  expect(await page.getByRole('heading', { name: 'Needs attention' }).count()).toBe(0);

  const late = await calm.call('POST', '/payments/intents', { amount: '2.00', externalId: 'came late' });
  const twice = await calm.call('POST', '/payments/intents', { amount: '3.00', externalId: 'paid twice' });
  await ground.database.strayPayment.createMany({
    data: [
      { paymentIntentId: late.id, kind: 'LATE' },
      { paymentIntentId: twice.id, kind: 'MISPAID' },
    ],
  });
  const hook = await calm.call('POST', `/apps/${calm.appId}/webhooks`, {
    url: 'https://shop.example/hook',
    events: ['*'],
  });
  await ground.database.webhookEndpoint.update({
    where: { id: hook.id },
    data: { active: false, disabledReason: 'The receiver answered 410.' },
  });
  await failedRenewal(calm);
  await page.reload();
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
  expect(
    await page.locator('[data-problem]').evaluateAll((all) => all.map((one) => one.getAttribute('data-problem'))),
  ).toEqual(['FAILED_RENEWALS', 'DISABLED_WEBHOOKS', 'MISPAID_PAYMENTS', 'LATE_PAYMENTS']);
  await inspect(opened, 'attention-many');

  await page.locator('[data-problem="LATE_PAYMENTS"] a').focus();
  await page.keyboard.press('Enter');
  await row(page, 'came late').locator('[data-status="LATE"]').waitFor();
  expect(await row(page, 'paid twice').count()).toBe(0);
  await page.goBack();
  await page.locator('[data-problem="FAILED_RENEWALS"] a').click();
  await page.getByRole('row').filter({ hasText: 'ada@example.com' }).waitFor();
  expect(await page.getByLabel('Renewals').inputValue()).toBe('failed');
  await page.goto(`${ground.origin}/dashboard`);
  await page.locator('[data-problem="DISABLED_WEBHOOKS"] a').click();
  await page.getByText('https://shop.example/hook').waitFor();

  await page.evaluate(() => localStorage.setItem('sluice.language', 'de'));
  await page.goto(`${ground.origin}/dashboard`);
  await page.getByRole('heading', { name: 'Handlungsbedarf' }).waitFor();
  await inspect(opened, 'attention-de');
});

/** A subscription whose charge failed once, and another one that is fine. */
async function failedRenewal({ appId, call }: ShopGround): Promise<void> {
  const prices = [{ amount: '9.00', billingInterval: 'MONTH' }];
  const plan = await call('POST', '/product-plans', { name: 'Gold', planType: 'SUBSCRIPTION', prices });
  const customer = await call('POST', '/customers', { appId, email: 'ada@example.com' });
  const fine = await call('POST', '/customers', { appId, email: 'bob@example.com' });
  for (const [customerAccountId, captureRetryCount] of [
    [customer.id, 1],
    [fine.id, 0],
  ]) {
    await ground.database.subscription.create({
      data: {
        id: newId(),
        appId,
        customerAccountId,
        productPlanId: plan.id,
        productPlanPriceId: plan.prices[0].id,
        status: 'ACTIVE',
        captureRetryCount,
      },
    });
  }
}
