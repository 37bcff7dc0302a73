import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { collectStartGarbage } from '../../src/main/collect-start-garbage.ts';

const AFTER_MS = 50;

function makeGarbage(): WeakRef<number[]> {
  return new WeakRef(new Array(1_000_000).fill(1));
}

it('collects what nothing refers to any more, and keeps what is referred to', async () => {
  const kept = new Array(1_000_000).fill(1);
  const [keptRef, garbage] = [new WeakRef(kept), makeGarbage()];
  collectStartGarbage(AFTER_MS);
  await delay(AFTER_MS * 4);
  expect(garbage.deref()).toBeUndefined();
  expect(keptRef.deref()).toBe(kept);
  expect(Reflect.has(globalThis, 'gc')).toBe(false);
});
