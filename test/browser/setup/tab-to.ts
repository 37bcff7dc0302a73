/** Walking by keyboard, as who has no mouse does. */
import type { Locator, Page } from 'playwright-core';

/** More than any page has places that Tab stops at. */
const STEPS = 100;

/** Tab by Tab until the target has the focus; throws where Tab does not lead to it. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let step = 0; step < STEPS; step += 1) {
    await page.keyboard.press('Tab');
    if (await isFocused(target)) return;
  }
  throw new Error(`Tab does not reach ${target}.`);
}

export const isFocused = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => element === document.activeElement);
