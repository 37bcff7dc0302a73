/** Tasks of a merchant and of a payer by keyboard alone, with a visible focus at every step. */
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { type BrowserGround, openBrowserGround, type ShopGround } from '../setup/ground.ts';
import { openPage } from '../setup/open-page.ts';
import { card, visit } from '../setup/payer-visit.ts';

const PATIENCE = { timeout: 120_000 };
vi.setConfig({ testTimeout: 600_000 });

/** More than the tab stops of any page. */
const STEPS = 120;

let ground: BrowserGround;
let shop: ShopGround;

beforeAll(async () => {
  ground = await openBrowserGround();
  shop = await ground.openShop('Tea house');
  // Long enough that the payment can still be refunded.
  const data = { timelockDuration: 3_600, disputeStartDuration: 3_600 };
  await ground.database.app.update({ where: { id: shop.appId }, data });
});

/** How the place and what is around it are drawn: outline, shadow, border and background. */
const drawn = (place: Locator): Promise<string> =>
  place.evaluate((element) => {
    const around = [element, element.parentElement, element.parentElement?.parentElement];
    const styles = around.flatMap((one) => (one ? [getComputedStyle(one)] : []));
    return styles
      .map(({ outline, boxShadow, borderColor, backgroundColor }) =>
        [outline, boxShadow, borderColor, backgroundColor].join(' '),
      )
      .join(' | ');
  });

const hasFocus = (place: Locator): Promise<boolean> => place.evaluate((element) => element === document.activeElement);

/** Presses Tab until the element has the focus. Throws if Tab does not reach it or the focus is not visible. */
async function tabTo(page: Page, place: Locator): Promise<void> {
  await place.waitFor(PATIENCE);
  if (await hasFocus(place)) return;
  const before = await drawn(place);
  for (let step = 0; step < STEPS; step += 1) {
    await page.keyboard.press('Tab');
    if (!(await hasFocus(place))) continue;
    // A style may change over some milliseconds.
    await expect.poll(() => drawn(place), { timeout: 2_000, message: `focus of ${place}` }).not.toBe(before);
    return;
  }
  throw new Error(`Tab does not reach ${place}.`);
}

async function enter(page: Page, place: Locator): Promise<void> {
  await tabTo(page, place);
  await page.keyboard.press('Enter');
}

async function type(page: Page, place: Locator, text: string): Promise<void> {
  await tabTo(page, place);
  await page.keyboard.type(text);
}

async function logIn(page: Page): Promise<void> {
  await page.goto(`${ground.origin}/dashboard`);
  await type(page, page.getByLabel('Email address'), shop.ownerEmail);
  await page.keyboard.press('Enter');
  await page.getByLabel('Code', { exact: true }).waitFor();
  await type(page, page.getByLabel('Code', { exact: true }), await ground.loginCode(shop.ownerEmail));
  await page.keyboard.press('Enter');
}

/** Returns the address of the link, as the dialog shows it after the link is made. */
async function createLink(page: Page): Promise<string> {
  await enter(page, page.getByRole('navigation').first().locator('a[href="/dashboard/links"]'));
  await enter(page, page.getByRole('button', { name: 'New payment link' }).first());
  const dialog = page.getByRole('dialog');
  await type(page, dialog.getByLabel('Name', { exact: true }), 'Green tea');
  const slug = `tea-${crypto.randomUUID().slice(0, 8)}`;
  await type(page, dialog.getByLabel('URL path'), slug);
  await type(page, dialog.getByLabel('Amount', { exact: true }), '12.50');
  await enter(page, dialog.getByRole('button', { name: 'Create link' }));
  await dialog.getByRole('img', { name: /^QR code of/ }).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  return `/link/${slug}`;
}

async function pay(path: string): Promise<void> {
  const { page } = await visit(ground, path);
  await enter(page, page.getByRole('button', { name: 'Connect Test wallet' }));
  await card(page, 'way');
  const chosen = page.locator('[data-way] input:checked');
  await chosen.waitFor();
  const first = await chosen.inputValue();
  await tabTo(page, chosen);
  // The arrows choose another way, and this one again.
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => chosen.inputValue()).not.toBe(first);
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => chosen.inputValue()).toBe(first);
  await enter(page, page.getByRole('button', { name: /^Continue with/ }));
  await enter(page, page.getByRole('button', { name: /^Sign to pay/ }));
  await card(page, 'receipt');
}

async function refund(page: Page): Promise<void> {
  await enter(page, page.getByRole('navigation').first().locator('a[href="/dashboard/payments"]'));
  await page.getByRole('row').filter({ hasText: 'Captured' }).first().waitFor(PATIENCE);
  await tabTo(page, page.locator('[data-row="0"]'));
  await page.keyboard.press('Enter');
  const button = page.getByRole('button', { name: 'Refund', exact: true });
  await enter(page, button);
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  await tabTo(page, dialog.getByRole('radio').first());
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => dialog.getByRole('radio').nth(1).isChecked()).toBe(true);
  await page.keyboard.press('ArrowUp');
  await type(page, dialog.getByLabel('Reason', { exact: true }), 'The tea was cold');
  await enter(page, dialog.getByRole('button', { name: /^Refund 12\.5/ }));
  await dialog.waitFor({ state: 'detached' });
}

test('a merchant creates a link, a payer pays it, and the merchant refunds it, with the keyboard alone', async () => {
  const { page } = await openPage();
  await logIn(page);
  const path = await createLink(page);
  await pay(path);
  await refund(page);
  const where = { appId: shop.appId };
  const status = async () => (await ground.database.paymentIntent.findFirstOrThrow({ where })).status;
  await expect.poll(status, PATIENCE).toBe('REFUNDED');
});
