import type { Page } from 'playwright-core';
import { percentile } from './load.ts';

export type Scrolling = { rows: number; p50Ms: number; p99Ms: number; longTasks: number; longestMs: number };

const PATIENCE_MS = 120_000;

/**
 * Scrolls the list of payments by most of its height in every frame until `rows` were read or it ends, and returns how long its frames
 * took, and which tasks blocked the page for more than 50 ms.
 */
export async function scrollPayments(page: Page, { rows }: { rows: number }): Promise<Scrolling> {
  await page.locator('[role=grid] [data-row="0"]').waitFor({ timeout: PATIENCE_MS });
  const seen = await page.evaluate(async (wanted) => {
    const grid = document.querySelector('[role=grid]');
    if (!grid) throw new Error('The page has no list.');
    const longTasks: number[] = [];
    const observer = new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((one) => one.duration)));
    observer.observe({ type: 'longtask' });
    const frames: number[] = [];
    const read = () =>
      Math.max(0, ...[...grid.querySelectorAll('[data-row]')].map((row) => Number(row.getAttribute('data-row'))));
    let before = await new Promise<number>(requestAnimationFrame);
    let waitedSince = before;
    let last = 0;
    while (last < wanted - 1 && before - waitedSince < 60_000) {
      grid.scrollTop += grid.clientHeight * 0.8;
      const now = await new Promise<number>(requestAnimationFrame);
      frames.push(now - before);
      before = now;
      const reached = read();
      if (reached > last) waitedSince = now;
      last = Math.max(last, reached);
    }
    observer.disconnect();
    return { frames, longTasks, last };
  }, rows);
  return {
    rows: seen.last + 1,
    p50Ms: percentile(seen.frames, 50),
    p99Ms: percentile(seen.frames, 99),
    longTasks: seen.longTasks.length,
    longestMs: Math.max(0, ...seen.longTasks),
  };
}
