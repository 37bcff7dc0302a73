/** What tests of the dashboard do on every page: log in as a person does, and inspect the page. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { onTeardown } from '../../setup/teardown.ts';
import type { BrowserGround } from './ground.ts';
import type { OpenPage } from './open-page.ts';

type Visit = { email: string; path?: string };

const PATIENCE = { timeout: 90_000 };

/** The logins of this test file by mail address, in the form in which the tab stores them. */
const kept = new Map<string, string>();

/** Opens `path` if it is given, and logs in with a mailed code. Each login requests a new code. */
export async function logIn(ground: BrowserGround, page: Page, { email, path }: Visit): Promise<void> {
  // A new code can only be requested after a minute, so the previous one is backdated.
  const createdAt = new Date(Date.now() - 2 * 3_600_000);
  await ground.database.oneTimePassword.updateMany({ where: { email }, data: { createdAt } });
  const before = (await ground.mails(email)).length;
  if (path !== undefined) await page.goto(`${ground.origin}/dashboard${path}`);
  await page.getByRole('textbox', { name: 'Email address' }).fill(email);
  await page.getByRole('button', { name: 'Send code' }).click();
  await expect.poll(async () => (await ground.mails(email)).length, PATIENCE).toBeGreaterThan(before);
  await page.getByRole('textbox', { name: 'Code', exact: true }).fill(await ground.loginCode(email));
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}

/** Opens `path` with this test file's login for the address, as after a reload. Logs in the first time. */
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
  onTeardown(async () => kept.clear());
}

/**
 * Takes screenshots of the page. Then asserts that axe finds nothing in either theme, that nothing is wider than the narrowest screen, and
 * that every column of a table is visible there.
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

/** The names of tables that are wider than their frames. A table in a collapsible section may scroll, because it contains only figures. */
function hiddenColumns(): string[] {
  const tables = [...document.querySelectorAll<HTMLTableElement>('table:not(details table)')];
  return tables.flatMap(({ caption, parentElement: frame }) =>
    frame && frame.scrollWidth > frame.clientWidth ? (caption?.textContent ?? 'a table') : [],
  );
}

/** The width in pixels of the page or of the dialog over it, whichever is greater. The page's own width does not include the dialog. */
function widest(): number {
  const dialogs = [...document.querySelectorAll('[role="dialog"]')];
  const reaches = dialogs.map((one) => one.getBoundingClientRect().left + Math.max(one.scrollWidth, one.clientWidth));
  return Math.ceil(Math.max(document.documentElement.scrollWidth, ...reaches));
}
