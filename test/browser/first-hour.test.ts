/** A merchant's first hour in a real browser: from nothing to a payment, with what is missing said before a payer meets it. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { localAccounts } from '../../src/local/local-accounts.ts';
import { localSolanaAccounts } from '../../src/local/solana/solana-accounts.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { openPage } from './setup/open-page.ts';
import { payIntent } from './setup/pay-intent.ts';
import { inspect, visitDashboard } from './setup/visit-dashboard.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let ground: BrowserGround;
let shop: ShopGround;

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop('New shop');
  await ground.database.payoutAddress.deleteMany({ where: { appId: shop.appId } });
});

/** A step of the checklist, by whether it is done, comes next or later. */
const stepState = async (page: Page, step: string) => {
  const item = page.locator('li').filter({ has: page.locator(`[data-setup="${step}"]`) });
  return (await item.locator('.visually-hidden').first().textContent())?.replace(/^, /, '');
};

test('the checklist shows the actual progress, and an unpayable link asks for no details', async () => {
  const merchant = await openPage();
  const { page } = merchant;
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: '/' });
  await page.getByRole('heading', { name: 'Set up payments' }).waitFor();
  await page.getByText('0 of 5 steps done').waitFor();
  expect(await stepState(page, 'payout')).toBe('in progress');
  await page.locator('[data-network="EVM"][data-set="false"]').waitFor();
  await page.locator('[data-network="SOLANA"][data-set="false"]').waitFor();
  expect(await page.getByRole('button', { name: 'Hide' }).count()).toBe(0);
  await inspect(merchant, 'first-hour');

  // A link may be made before the address, but its form says what is missing.
  await page.getByRole('link', { name: 'Create payment link' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('[data-payout-note="none"]').waitFor();
  await dialog.getByLabel('Name', { exact: true }).fill('Coffee');
  const slug = `coffee-${crypto.randomUUID().slice(0, 8)}`;
  await dialog.getByLabel('URL path').fill(slug);
  await dialog.getByLabel('Amount', { exact: true }).fill('4.50');
  await dialog.getByLabel(/billing details/i).check();
  await inspect(merchant, 'first-hour-link-form');
  await dialog.getByRole('button', { name: 'Create link' }).click();
  await page.waitForURL(/share=1/);
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('Cannot be paid', { exact: true }).waitFor();
  await inspect(merchant, 'first-hour-link');

  const payer = await openPage();
  await payer.page.goto(`${ground.origin}/link/${slug}`);
  await payer.page.locator('[data-end="unpayable"]').waitFor();
  expect(await payer.page.getByRole('textbox').count()).toBe(0);
  await inspect(payer, 'link-unpayable');

  await page.getByRole('main').getByRole('link', { name: 'Add a payout address' }).click();
  await page
    .getByLabel(/EVM|Ethereum/)
    .first()
    .fill(localAccounts.merchant.address);
  await page.getByRole('button', { name: /save/i }).first().click();
  await expect
    .poll(() => ground.database.payoutAddress.count({ where: { appId: shop.appId } }), { timeout: 60_000 })
    .toBe(1);
  await payer.page.getByRole('button', { name: 'Try again' }).click();
  await payer.page.getByRole('textbox', { name: /email/i }).waitFor();

  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByText('2 of 5 steps done').waitFor();
  await page.locator('[data-network="EVM"][data-set="true"]').waitFor();
  await page.locator('[data-network="SOLANA"][data-set="false"]').waitFor();
  expect(await stepState(page, 'payment')).toBe('in progress');
  const link = page.getByRole('link', { name: 'Open your payment link' });
  expect(await link.getAttribute('href')).toBe(`${ground.origin}/link/${slug}`);

  const { id } = await shop.call('POST', '/payments/intents', { amount: '3.00' });
  await payIntent({ ground, shop, payer: await ground.newPayer() }, id);
  await page.getByText('3 of 5 steps done').waitFor();
  expect(await stepState(page, 'webhook')).toBe('in progress');
  await inspect(merchant, 'first-hour-paid');
  await page.getByRole('button', { name: 'Hide' }).click();
  await page.getByRole('heading', { name: 'Set up payments' }).waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('heading', { name: 'Recent payments' }).waitFor();
  expect(await page.getByRole('heading', { name: 'Set up payments' }).count()).toBe(0);
});

test('plans and keys show missing settings, empty lists link onward, and examples have one page', async () => {
  const bare = await ground.openShop('Bare shop');
  await ground.database.payoutAddress.deleteMany({ where: { appId: bare.appId } });
  const opened = await openPage();
  const { page } = opened;
  await visitDashboard(ground, page, { email: bare.ownerEmail, path: '/plans' });
  await page.getByRole('main').getByRole('button', { name: 'New product' }).last().click();
  await page.getByRole('dialog').locator('[data-payout-note="none"]').waitFor();
  await page.keyboard.press('Escape');
  await page.goto(`${ground.origin}/dashboard/invoices/new`);
  await page.locator('[data-payout-note="none"]').waitFor();
  await page.getByRole('link', { name: 'Add a payout address' }).waitFor();
  await inspect(opened, 'invoice-form-without-payouts');
  await page.goto(`${ground.origin}/dashboard/subscriptions`);
  await page.getByRole('main').getByRole('button', { name: 'New subscription' }).last().click();
  await page.getByRole('dialog').locator('[data-payout-note="none"]').waitFor();
  await page.getByRole('dialog').getByRole('link', { name: 'Add a payout address' }).waitFor();
  await inspect(opened, 'subscription-form-without-payouts');
  // An address on Solana takes no recurring payments, but an invoice can be paid there.
  const solana = { appId: bare.appId, family: 'SOLANA' as const, address: localSolanaAccounts.merchant.address };
  await ground.database.payoutAddress.create({ data: solana });
  await page.reload();
  await page.getByRole('main').getByRole('button', { name: 'New subscription' }).last().click();
  await page.getByRole('dialog').locator('[data-payout-note="none"]').waitFor();
  await page.goto(`${ground.origin}/dashboard/invoices/new`);
  await page.getByRole('heading', { name: 'Bill to' }).waitFor();
  await page.waitForLoadState('networkidle');
  expect(await page.locator('[data-payout-note]').count()).toBe(0);
  await ground.database.payoutAddress.deleteMany({ where: { appId: bare.appId } });
  for (const path of ['/payments', '/links', '/plans', '/invoices', '/subscriptions', '/disputes', '/links/coupons']) {
    await page.goto(`${ground.origin}/dashboard${path}`);
    await page.getByRole('main').getByRole('heading', { level: 2 }).first().waitFor();
    expect(await page.getByText('curl').count(), path).toBe(0);
  }
  await page.goto(`${ground.origin}/dashboard/payments`);
  await page.getByRole('link', { name: 'Get API keys' }).click();
  await page.getByRole('heading', { name: 'API examples' }).waitFor();
  await page.getByLabel('Create', { exact: true }).selectOption('link');
  await page.getByText('x-api-key: YOUR_SECRET_KEY').waitFor();
  await page.getByText('/payment-links').waitFor();
  await inspect(opened, 'developers-samples');
  await page.getByRole('button', { name: 'Create API key' }).click();
  await page.getByRole('dialog').locator('[data-payout-note="none"]').waitFor();
});

test('a link that sells a subscription shows that its networks take no recurring payments', async () => {
  const bare = await ground.openShop('Solana shop');
  await ground.database.payoutAddress.deleteMany({ where: { appId: bare.appId } });
  const solana = { appId: bare.appId, family: 'SOLANA' as const, address: localSolanaAccounts.merchant.address };
  await ground.database.payoutAddress.create({ data: solana });
  const plan = await bare.call('POST', '/product-plans', {
    name: 'Club',
    planType: 'SUBSCRIPTION',
    prices: [{ amount: '10', billingInterval: 'MONTH', isDefault: true }],
  });
  const { id } = await bare.call('POST', '/payment-links', {
    appId: bare.appId,
    name: 'Join the club',
    slug: `club-${crypto.randomUUID().slice(0, 8)}`,
    productPlanId: plan.id,
    productPlanPriceId: plan.prices[0].id,
  });
  const { page } = await openPage();
  await visitDashboard(ground, page, { email: bare.ownerEmail, path: `/links/${id}` });
  await page.getByText('Cannot be paid', { exact: true }).waitFor();
  await page.locator('[data-payout-note="none"]').waitFor();
  await page.getByText('Tax rate of the product', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('[data-payout-note="none"]').waitFor();
  // An amount is paid once, and has no product whose tax could apply.
  await dialog.getByLabel('Pricing').selectOption('amount');
  await dialog.locator('[data-payout-note]').waitFor({ state: 'detached' });
  expect(await dialog.getByLabel('Tax rate').locator('option').first().textContent()).toBe('No tax');
});

test('a browser that opens the root or an unknown page sees where to go', async () => {
  const opened = await openPage({ expected: [/404/] });
  const { page } = opened;
  await page.goto(`${ground.origin}/`);
  await page.getByRole('link', { name: /I am a merchant/ }).waitFor();
  await inspect(opened, 'start');
  const answer = await page.goto(`${ground.origin}/no/such/page`);
  expect(answer?.status()).toBe(404);
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await page.getByText('/no/such/page').waitFor();
  await inspect(opened, 'not-found');
  await page.getByRole('link', { name: /I paid something/ }).click();
  await page.waitForURL(/\/pay$/);
});

test('the first hour is shown in German', async () => {
  const german = await ground.openShop('Neuer Laden');
  await ground.database.payoutAddress.deleteMany({ where: { appId: german.appId } });
  const opened = await openPage();
  await visitDashboard(ground, opened.page, { email: german.ownerEmail, path: '/' });
  await opened.page.evaluate(() => localStorage.setItem('sluice.language', 'de'));
  await opened.page.reload();
  await opened.page.getByRole('heading', { name: 'Zahlungen einrichten' }).waitFor();
  await inspect(opened, 'first-hour-de');
});
