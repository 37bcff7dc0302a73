/** Navigation by keyboard. */
import type { Locator, Page } from 'playwright-core';

/** More than the tab stops of any page. */
const STEPS = 100;

/** Presses Tab until the target has the focus. Throws if Tab does not reach it. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let step = 0; step < STEPS; step += 1) {
    await page.keyboard.press('Tab');
    if (await isFocused(target)) return;
  }
  throw new Error(`Tab does not reach ${target}.`);
}

export const isFocused = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => element === document.activeElement);
