import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { collectIdleGarbage } from '../../src/platform/collect-idle-garbage.ts';

const EVERY_MS = 200;

function makeGarbage(): WeakRef<number[]> {
  return new WeakRef(new Array(2_000_000).fill(1));
}

/** Keeps the CPU busy for most of the time, and allocates nothing that lasts. */
async function work(milliseconds: number): Promise<void> {
  const until = performance.now() + milliseconds;
  while (performance.now() < until) {
    const pause = performance.now() + 20;
    while (performance.now() < pause);
    await delay(1);
  }
}

// The test passes its own collector, because V8 may also collect at any time.
it('collects after the start, not while the process is busy, and when idle after the heap has grown', async () => {
  let collections = 0;
  const kept: number[][] = [];
  const collect = () => {
    collections += 1;
  };
  collectIdleGarbage({ firstMs: EVERY_MS, everyMs: EVERY_MS, collect });
  await work(EVERY_MS * 4.5);
  expect(collections).toBe(1);
  await delay(EVERY_MS * 3);
  // The first rest needs no growth, and the ones after it do.
  expect(collections).toBe(2);
  kept.push(new Array(8_000_000).fill(1));
  await delay(EVERY_MS * 3);
  expect(collections).toBe(3);
  expect(kept).toHaveLength(1);
});

it('collects unreachable objects and keeps the others', async () => {
  const kept = new Array(1_000_000).fill(1);
  const [keptRef, first] = [new WeakRef(kept), makeGarbage()];
  collectIdleGarbage({ firstMs: EVERY_MS, everyMs: EVERY_MS });
  await delay(EVERY_MS * 1.5);
  expect(first.deref()).toBeUndefined();
  const second = makeGarbage();
  await delay(EVERY_MS * 4);
  expect(second.deref()).toBeUndefined();
  expect(keptRef.deref()).toBe(kept);
  expect(Reflect.has(globalThis, 'gc')).toBe(false);
});
