/** The ways to pay at the hosted page: their order, a stable layout, and the last used option. */
import { beforeAll, expect, test, vi } from 'vitest';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { CHAIN, card, choose, makeLink, OTHER_CHAIN, press, visit, watch } from './setup/payer-visit.ts';

let ground: BrowserGround;
let shop: ShopGround;

// A payment goes through worker, chain and indexer, and here beside everything else that is tested.
vi.setConfig({ testTimeout: 600_000 });

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop();
});

test('groups payment options by network with fiat amounts, and keeps the button visible on a small phone', async () => {
  const { path } = await makeLink(shop, { allowedChains: [CHAIN, OTHER_CHAIN] });
  const { page, pictures, axe } = await visit(ground, path, { width: 360 });
  await page.setViewportSize({ width: 360, height: 640 });
  await press(page, /^Connect /);
  await card(page, 'way');
  const first = page.locator('[data-way]').first();
  await first.getByText('12.50 USD', { exact: true }).waitFor();
  const keys = await page.locator('[data-way]').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-way')));
  const networks = keys.map((key) => key?.split('-').at(-1));
  // Each network has one group.
  expect(networks.filter((one, index) => one !== networks[index - 1])).toEqual([String(CHAIN), String(OTHER_CHAIN)]);
  const button = page.locator('[data-action="prepare"]');
  const isInView = async () => {
    const box = await button.boundingBox();
    return box !== null && box.y >= 0 && box.y + box.height <= 640;
  };
  expect(await page.evaluate(() => scrollY)).toBe(0);
  expect(await isInView()).toBe(true);
  await page.mouse.wheel(0, 250);
  expect(await isInView()).toBe(true);
  expect(await axe()).toEqual([]);
  await pictures('checkout-picker');
});

test('does not shift while balances load, and collapses the options that the wallet cannot pay', async () => {
  const { path } = await makeLink(shop, { allowedChains: [CHAIN, OTHER_CHAIN] });
  const { page, context } = await visit(ground, path);
  const other = ground.demo.chains.find(({ chainId }) => chainId === OTHER_CHAIN)?.rpcUrl ?? '';
  // One node is slow: slower than the page waits before it sorts the options.
  await context.route(`${other}/**`, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    await route.continue();
  });
  await press(page, /^Connect /);
  await page.locator('[data-ways="reading"]').waitFor();
  const keys = () => page.locator('[data-way]').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-way')));
  const before = await keys();
  await page.getByText('Checking balance').first().waitFor();
  await page.getByText('Checking balance').first().waitFor({ state: 'detached' });
  expect(await keys()).toEqual(before);
  expect(before.length).toBeGreaterThan(4);
  await context.unrouteAll({ behavior: 'ignoreErrors' });
});

test('lists the previously used option first', async () => {
  const { path } = await makeLink(shop);
  const { page } = await visit(ground, path);
  await press(page, /^Connect /);
  await choose(page, `USDT-${CHAIN}`);
  await press(page, /^Continue with 12\.50 USDT$/);
  await card(page, 'sign');
  const { path: next } = await makeLink(shop);
  const shown = await watch(page);
  await page.goto(`${ground.origin}${next}`);
  await card(page, 'way');
  await page.locator(`[data-way="USDT-${CHAIN}"] input:checked`).waitFor();
  expect(await page.locator('[data-way]').first().getAttribute('data-way')).toBe(`USDT-${CHAIN}`);
  expect(await shown.cards()).toContain('way');
});
