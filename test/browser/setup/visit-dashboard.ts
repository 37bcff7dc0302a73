/** What tests of the dashboard do on every page: come in as people do, and look at what stands there. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { BrowserGround } from './ground.ts';
import type { OpenPage } from './open-page.ts';

type Visit = { email: string; path?: string };

const PATIENCE = { timeout: 90_000 };

/** Logins of this file by mail address, as the tab keeps them. */
const kept = new Map<string, string>();

/** Opens `path`, where one is named, and logs in by the code that is mailed; each login has a code of its own. */
export async function logIn(ground: BrowserGround, page: Page, { email, path }: Visit): Promise<void> {
  // A minute lies between two codes, which nobody waits for here.
  const createdAt = new Date(Date.now() - 2 * 3_600_000);
  await ground.database.oneTimePassword.updateMany({ where: { email }, data: { createdAt } });
  const before = (await ground.mails(email)).length;
  if (path !== undefined) await page.goto(`${ground.origin}/dashboard${path}`);
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Send code' }).click();
  await expect.poll(async () => (await ground.mails(email)).length, PATIENCE).toBeGreaterThan(before);
  await page.getByLabel('Code', { exact: true }).fill(await ground.loginCode(email));
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}

/** Opens `path` with the login that this file has for the address, as after a reload; the first time it logs in. */
export async function visitDashboard(
  ground: BrowserGround,
  page: Page,
  { email, path }: Required<Visit>,
): Promise<void> {
  const login = kept.get(email);
  if (login !== undefined) {
    await page.addInitScript((value) => sessionStorage.setItem('sluice.login', value), login);
    await page.goto(`${ground.origin}/dashboard${path}`);
    return;
  }
  await logIn(ground, page, { email, path });
  await page.getByRole('navigation').first().waitFor();
  kept.set(email, (await page.evaluate(() => sessionStorage.getItem('sluice.login'))) ?? '');
}

/**
 * Takes its pictures; then axe finds nothing in either theme, nothing is wider than the narrowest screen, and no column of a table is out
 * of sight there.
 */
export async function inspect({ page, axe, pictures }: OpenPage, name: string): Promise<void> {
  await pictures(name);
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await axe(), `${name}, ${colorScheme}`).toEqual([]);
  }
  await page.setViewportSize({ width: 320, height: 900 });
  expect(await page.evaluate(widest), `${name} at 320 px`).toBeLessThanOrEqual(320);
  expect(await page.evaluate(hiddenColumns), `${name} at 320 px`).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 900 });
}

/** The tables that are wider than their frames, by name. One behind a fold scrolls, as its rows are all figures. */
function hiddenColumns(): string[] {
  const tables = [...document.querySelectorAll<HTMLTableElement>('table:not(details table)')];
  return tables.flatMap(({ caption, parentElement: frame }) =>
    frame && frame.scrollWidth > frame.clientWidth ? (caption?.textContent ?? 'a table') : [],
  );
}

/** In pixels: of the page, and of a dialogue over it, which the page's own width leaves out. */
function widest(): number {
  const dialogs = [...document.querySelectorAll('[role="dialog"]')];
  const reaches = dialogs.map((one) => one.getBoundingClientRect().left + Math.max(one.scrollWidth, one.clientWidth));
  return Math.ceil(Math.max(document.documentElement.scrollWidth, ...reaches));
}
