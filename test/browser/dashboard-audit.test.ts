/** Restricted keys and the audit log in a real browser. */
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test, vi } from 'vitest';
import { inviteMember } from '../../src/auth/members/invite-member.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/identifier.ts';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { openPage } from './setup/open-page.ts';
import { inspect, visitDashboard } from './setup/visit-dashboard.ts';

const PATIENCE = { timeout: 90_000 };
// Each test is a whole flow; on a busy machine that takes minutes.
vi.setConfig({ testTimeout: 300_000 });

let ground: BrowserGround;
let shop: ShopGround;

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop('Careful shop');
});

const get = async (path: string, key: string) =>
  (await fetch(`${ground.origin}${path}`, { headers: { 'x-api-key': key } })).status;

test('a key can be restricted when it is created, and an invalid network is reported at its field', async () => {
  const seen = await openPage({ expected: [/400/] });
  const { page } = seen;
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: '/developers' });
  await page.getByRole('button', { name: 'Create API key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Support desk');
  await dialog.getByLabel('Permissions').selectOption({ label: 'Selected permissions' });
  await dialog.getByLabel('Read', { exact: true }).uncheck();
  expect(await dialog.getByRole('button', { name: 'Create API key' }).getAttribute('aria-disabled')).toBe('true');
  await dialog.getByLabel('Refunds', { exact: true }).check();
  await dialog.getByLabel('Audit log', { exact: true }).check();
  await dialog.getByLabel('IP allowlist').fill('127.0.0.0/8\nnot-a-network');
  await dialog.getByLabel('Expiry date').fill('2099-12-31');
  await dialog.getByRole('button', { name: 'Create API key' }).click();
  await dialog.getByText(/^not-a-network is not a network/).waitFor();
  await inspect(seen, 'developers-restricted-key');
  await dialog.getByLabel('IP allowlist').fill('127.0.0.0/8\n::1');
  await dialog.getByRole('button', { name: 'Create API key' }).click();
  const secret = (await page.locator('[data-secret]').textContent()) ?? '';
  await page.getByRole('button', { name: 'Done' }).click();
  const row = page.getByRole('row').filter({ hasText: 'Support desk' }).first();
  await row.getByText('Refunds, Audit log · from 127.0.0.0/8, ::1/128').waitFor();
  expect([await get('/audit-log', secret), await get('/payments/intents', secret)]).toEqual([200, 403]);
  const stored = await ground.database.apiKey.findFirstOrThrow({ where: { name: 'Support desk' } });
  expect(stored.expiresAt?.toISOString()).toMatch(/^2099-12-31T23:59:59/);
});

test('an owner filters the audit log, opens an entry and its object, and exports the log', async () => {
  const seen = await openPage();
  const { page } = seen;
  const { id } = await shop.call('POST', '/payments/intents', { amount: '2.00' });
  await shop.call('POST', `/payments/intents/${id}/cancel`);
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: '/settings?part=general' });
  await page.getByLabel('Name', { exact: true }).fill('Very careful shop');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Changes saved').first().waitFor();
  await page.getByRole('tab', { name: 'Audit log' }).click();
  const table = page.getByRole('table', { name: 'Audit log' });
  const rowOf = (action: string) => table.getByRole('row').filter({ hasText: action });
  await rowOf('app.updated').getByText(shop.ownerEmail).waitFor();
  await rowOf('payment_intent.cancelled').getByText(shop.secretKey.slice(0, 14)).waitFor();
  await rowOf('member.logged_in').first().waitFor();
  await inspect(seen, 'settings-audit');

  await rowOf('app.updated').getByRole('button').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('row').filter({ hasText: 'name' }).getByText('Very careful shop').waitFor();
  await dialog.getByText(`${shop.ownerEmail} (Member)`).waitFor();
  await inspect(seen, 'settings-audit-entry');
  await dialog.getByRole('button', { name: 'Close' }).first().click();

  await page.getByLabel('Action').selectOption({ label: 'Payments' });
  await page.waitForURL(/action=payment_intent/);
  await expect.poll(() => table.getByRole('row').count(), PATIENCE).toBe(2);
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as CSV' }).click();
  const file = readFileSync((await (await downloading).path()) ?? '', 'utf8').split('\r\n');
  expect(file[0]).toMatch(/^id,createdAt,action/);
  expect(file.slice(1)).toEqual([expect.stringContaining('payment_intent.cancelled'), '']);

  await page.reload();
  await page.getByLabel('User').selectOption({ label: 'Member' });
  await page.getByText('No results.').waitFor();
  await page.getByLabel('User').selectOption({ label: 'All users' });
  await rowOf('payment_intent.cancelled').getByRole('button').click();
  await dialog.getByRole('button', { name: 'View object' }).click();
  await page.waitForURL(new RegExp(`/payments/${id}`));
});

test('a viewer sees which roles may read the log, and the log is shown in German', async () => {
  const email = `viewer-${newId()}@example.com`;
  const world = { database: ground.database, clock: systemClock };
  await inviteMember(world, { merchantId: shop.merchantId, email, role: 'VIEWER' });
  const { page } = await openPage();
  await visitDashboard(ground, page, { email, path: '/settings?part=audit' });
  await page.getByText('Only owners and developers can view the audit log.').waitFor();
  expect(await page.getByRole('button', { name: 'Export as CSV' }).count()).toBe(0);
  const german = await openPage({ language: 'de' });
  await visitDashboard(ground, german.page, { email: shop.ownerEmail, path: '/settings?part=audit' });
  await german.page.getByText('API-Schlüssel erstellt').first().waitFor();
});
