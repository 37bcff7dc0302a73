/** The documentation in a browser: its policy blocks nothing, its search finds pages, and it is usable on a phone. */
import { expect, test, vi } from 'vitest';
import { openRestApi } from '../setup/api/rest.ts';
import { openPage } from './setup/open-page.ts';

// On a busy machine a whole flow takes minutes.
vi.setConfig({ testTimeout: 300_000 });

const api = await openRestApi();

test('a reader finds a page with the search, and follows a link from it', async () => {
  const { page, faults, picture } = await openPage({ scheme: 'light' });
  await page.goto(`${api.url}/docs`);
  await page.getByRole('heading', { name: /Crypto payments that you run yourself/ }).waitFor();
  await picture('documentation');
  await page.keyboard.press('Control+k');
  await page.locator('#localsearch-input').fill('reminder');
  await page.locator('.result').first().waitFor();
  await page.locator('.result', { hasText: 'Emails' }).or(page.locator('.result')).first().click();
  await expect.poll(() => page.url()).toMatch(/\/docs\/\w/);
  await page.goto(`${api.url}/docs/concepts`);
  await page.locator('.diagram svg').first().waitFor();
  await picture('documentation-concepts');
  await page.locator('.vp-doc').getByRole('link', { name: 'Disputes', exact: true }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Disputes' }).waitFor();
  expect(faults).toEqual([]);
});

test.each(['/docs', '/docs/concepts', '/docs/reference/rest/payment-intents', '/docs/reference/graphql/objects'])(
  '%s fits a phone in the dark theme',
  async (path) => {
    const { page, faults, picture } = await openPage({ scheme: 'dark', width: 320 });
    await page.goto(`${api.url}${path}`);
    await page.locator('h1').first().waitFor();
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    await picture(`documentation${path.replaceAll('/', '-')}`);
    expect([overflow, faults]).toEqual([0, []]);
  },
);
