/** The origins that may embed the checkout, as an owner sets them in the dashboard. */
import { expect, test, vi } from 'vitest';
import { openBrowserGround } from '../setup/ground.ts';
import { openPage } from '../setup/open-page.ts';
import { inspect, visitDashboard } from '../setup/visit-dashboard.ts';

vi.setConfig({ testTimeout: 600_000 });

test('an owner saves a list of origins, sees which one is invalid, and finds the list after a reload', async () => {
  const ground = await openBrowserGround();
  const shop = await ground.openShop();
  const seen = await openPage({ expected: [/400 \(Bad Request\)/] });
  const { page } = seen;
  await visitDashboard(ground, page, { email: shop.ownerEmail, path: '/settings?part=look' });
  const field = page.getByLabel('Allowed origins');
  await field.fill('https://shop.example\nhttp://shop.example');
  await page.getByRole('button', { name: 'Save the origins' }).click();
  await page.getByText('http://shop.example: Enter an https:// origin without a path').waitFor();
  await inspect(seen, 'settings-embed-fault');
  const stored = async () => (await ground.database.app.findUniqueOrThrow({ where: { id: shop.appId } })).embedOrigins;
  expect(await stored()).toEqual([]);

  await field.fill('https://Shop.example/\nhttp://localhost:3000');
  await page.getByRole('button', { name: 'Save the origins' }).click();
  await expect.poll(stored, { timeout: 60_000 }).toEqual(['https://shop.example', 'http://localhost:3000']);
  await page.reload();
  await expect.poll(() => field.inputValue(), { timeout: 60_000 }).toBe('https://shop.example\nhttp://localhost:3000');
  await inspect(seen, 'settings-embed');
});
