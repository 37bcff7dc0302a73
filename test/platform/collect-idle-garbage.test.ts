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

it('collects after the start and then at rest what nothing refers to any more, and keeps the rest', async () => {
  const kept = new Array(1_000_000).fill(1);
  const [keptRef, first] = [new WeakRef(kept), makeGarbage()];
  collectIdleGarbage({ firstMs: EVERY_MS, everyMs: EVERY_MS });
  await delay(EVERY_MS * 1.5);
  expect(first.deref()).toBeUndefined();
  const second = makeGarbage();
  await work(EVERY_MS * 3);
  expect(second.deref()).toBeDefined();
  await delay(EVERY_MS * 4);
  expect(second.deref()).toBeUndefined();
  expect(keptRef.deref()).toBe(kept);
  expect(Reflect.has(globalThis, 'gc')).toBe(false);
});
