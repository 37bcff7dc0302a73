/** Repeated clicks and lost responses in the dashboard: a repeated action happens once. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { createMerchant } from '../../src/auth/create-merchant.ts';
import { inviteMember } from '../../src/auth/members/invite-member.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/identifier.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { openPage } from './setup/open-page.ts';
import { logIn, visitDashboard } from './setup/visit-dashboard.ts';

const lost = { expected: [/ERR_FAILED/] };

let ground: BrowserGround;
let shop: ShopGround;

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop('Hasty shop');
});

/** The idempotency keys with which the page called a mutation; the first answer of all is lost on its way. */
async function loseFirstAnswer(page: Page, mutation: string): Promise<string[]> {
  const keys: string[] = [];
  await page.route('**/graphql', async (route) => {
    const request = route.request();
    if (!request.postData()?.includes(`${mutation}(`)) return await route.fallback();
    keys.push(request.headers()['idempotency-key'] ?? '');
    if (keys.length > 1) return await route.continue();
    await route.fetch();
    await route.abort();
  });
  return keys;
}

test('Enter pressed twice, and again after a lost response, creates one tax rate', async () => {
  const { page } = await openPage(lost);
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: '/plans/taxes' });
  const keys = await loseFirstAnswer(page, 'createTaxRate');
  await page.getByRole('button', { name: 'New tax rate' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('VAT');
  const percentage = dialog.getByLabel('Percentage');
  await percentage.fill('1e1');
  await dialog.getByRole('button', { name: 'Create tax rate' }).click();
  await dialog.getByRole('alert').filter({ hasText: 'Enter a percentage, such as 19 or 5.5' }).waitFor();
  await percentage.fill('19');
  // Both in one task, so that the page does not render between them.
  await dialog.locator('form').evaluate((form: HTMLFormElement) => {
    form.requestSubmit();
    form.requestSubmit();
  });
  await dialog.getByText('The server is not responding.').waitFor();
  expect(keys).toHaveLength(1);
  await dialog.getByRole('button', { name: 'Create tax rate' }).click();
  await page.getByText('Tax rate created', { exact: true }).waitFor();
  expect(keys).toEqual([keys[0], keys[0]]);
  expect(await shop.call('GET', '/tax-rates')).toMatchObject([{ displayName: 'VAT' }]);
}, 300_000);

test('a first app whose response was lost can be created under another name', async () => {
  const { id: merchantId } = await createMerchant(ground, { name: 'New here' });
  const email = `${newId()}@example.com`;
  await inviteMember({ ...ground, clock: systemClock }, { merchantId, email, role: 'OWNER' });
  const { page } = await openPage(lost);
  const keys = await loseFirstAnswer(page, 'createApp');
  await logIn(ground, page, { email, path: '/' });
  await page.getByRole('button', { name: 'Create test app' }).click();
  await page.getByText('The server is not responding.').waitFor();
  await page.getByRole('textbox').fill('Another name');
  await page.getByRole('button', { name: 'Create test app' }).click();
  await page.getByRole('navigation').first().waitFor();
  expect(new Set(keys).size).toBe(2);
  const apps = await ground.database.app.findMany({ where: { merchantId }, orderBy: { id: 'asc' } });
  expect(apps.map(({ name }) => name)).toEqual(['New here', 'Another name']);
}, 300_000);
