/** Nothing that was painted moves while the hosted page loads: a payer must not press what was elsewhere a moment before. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { type BrowserGround, openBrowserGround, type ShopGround } from './setup/ground.ts';
import { openPage } from './setup/open-page.ts';
import { card, makeLink } from './setup/payer-visit.ts';

/** Cumulative, without what follows a press; 0.1 is what browsers call good. */
const MOST = 0.05;
/** Between the answers, so that every state in between is painted. */
const ANSWER_MS = 150;
const SETTLED_MS = 400;
/** How far the card may come from where its placeholder was, where no brand of the merchant is above it. */
const NEAR = 12;

const screens = { phone: { width: 360, height: 640 }, desk: { width: 1280, height: 800 } };

let ground: BrowserGround;
let plain: ShopGround;
let branded: ShopGround;

vi.setConfig({ testTimeout: 300_000 });

beforeAll(async () => {
  ground = await openBrowserGround();
  [plain, branded] = await Promise.all([ground.openShop(), ground.openShop('Tea house of the eastern market')]);
  await ground.database.app.update({
    where: { id: branded.appId },
    data: {
      accentColor: '#0a7d4f',
      checkoutHeading: 'Thank you for buying from us',
      checkoutMessage: 'We ship every weekday before noon, and the parcel takes two days.',
    },
  });
});

test.for([
  ['link', 'plain', 'TEST'],
  ['link', 'branded', 'LIVE'],
  ['session', 'plain', 'LIVE'],
  ['session', 'branded', 'TEST'],
] as const)('the first paint of a %s does not shift: %s, %s', async ([kind, brand, mode]) => {
  const shop = brand === 'plain' ? plain : branded;
  for (const [screen, size] of Object.entries(screens)) {
    const { page, picture } = await openPage({ width: size.width });
    await page.setViewportSize(size);
    await watchShifts(page);
    await answerAs(page, mode);
    await page.goto(`${ground.origin}${await addressOf(shop, kind)}`);
    await page.locator('[data-loading]').first().waitFor();
    const before = await cardTop(page);
    await picture(`shift-${kind}-${brand}-loading`);
    await card(page, 'wallet');
    await page.locator('[data-action="transfer"]').waitFor();
    await page.waitForTimeout(SETTLED_MS);
    await picture(`shift-${kind}-${brand}-loaded`);
    expect(await page.locator('[data-status="TEST"]').count()).toBe(mode === 'TEST' ? 1 : 0);
    if (brand === 'plain') expect(Math.abs((await cardTop(page)) - before), screen).toBeLessThan(NEAR);
    const shifts = await shiftsOf(page);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    const sum = shifts.reduce((total, { value }) => total + value, 0);
    expect(sum, `${screen} ${JSON.stringify(shifts)}`).toBeLessThan(MOST);
  }
});

async function addressOf(shop: ShopGround, kind: 'link' | 'session'): Promise<string> {
  if (kind === 'link') return (await makeLink(shop)).path;
  const session = await shop.call('POST', '/checkout-sessions', { items: [{ name: 'Green tea', amount: '12.50' }] });
  return `/checkout/${session.id}#${session.clientSecret}`;
}

/** Every answer takes its time. This installation has no networks for live payments, so the page is told the mode. */
async function answerAs(page: Page, mode: 'TEST' | 'LIVE'): Promise<void> {
  await page.routeWebSocket(/graphql/, () => undefined);
  await page.route('**/graphql', async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replaceAll('"isTest":true', `"isTest":${mode === 'TEST'}`);
    await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
    await route.fulfill({ response, body });
  });
}

function cardTop(page: Page): Promise<number> {
  return page.evaluate(() => document.querySelector('main > section:last-of-type')?.getBoundingClientRect().top ?? 0);
}

type Shift = { value: number; moved: string[] };

/** Before the page goes anywhere. */
async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const kept: Shift[] = [];
    Reflect.set(window, 'shifts', kept);
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if (Reflect.get(entry, 'hadRecentInput')) continue;
        const sources: { node: Element | null; previousRect: DOMRect; currentRect: DOMRect }[] = Reflect.get(
          entry,
          'sources',
        );
        const moved = sources.map(
          ({ node, previousRect, currentRect }) =>
            `${node?.nodeName}.${node?.className} ${previousRect.top} ${previousRect.height} to ${currentRect.top} ${currentRect.height}`,
        );
        kept.push({ value: Reflect.get(entry, 'value'), moved });
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

function shiftsOf(page: Page): Promise<Shift[]> {
  return page.evaluate((): Shift[] => Reflect.get(window, 'shifts'));
}
