/** A process's copy of the clock while notifications arrive, are lost, and are unavailable. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Registry } from '../../src/chains/registry.ts';
import { silentLog } from '../../src/platform/log.ts';
import { openClock } from '../../src/test-clock/open-clock.ts';
import { runTestClock } from '../../src/test-clock/run-test-clock.ts';
import { clockChannel, targetChannel } from '../../src/test-clock/store.ts';
import { handListener } from '../setup/api/hand-listener.ts';
import { freshDatabase } from '../setup/database/database.ts';

const { database } = await freshDatabase();
const aheadMs = (clock: { now(): Date }) => clock.now().getTime() - Date.now();
const move = (offsetMs: number) =>
  database.testClock.upsert({
    where: { id: 1 },
    create: { id: 1, offsetMs: BigInt(offsetMs) },
    update: { offsetMs: BigInt(offsetMs) },
  });

it('polls twice a second while it cannot listen, and every ten seconds otherwise', async () => {
  const hand = handListener();
  const { clock, follow, isListening, close } = openClock({
    database,
    listener: hand.listener,
    log: silentLog,
    movable: true,
  });
  onTestFinished(() => close());
  const until = (ms: number, timeout: number) =>
    vi.waitUntil(() => aheadMs(clock) > ms - 1_000, { timeout, interval: 10 });
  await follow();
  await move(10_000);
  await until(10_000, 3_000);
  hand.up();
  await vi.waitUntil(isListening, { timeout: 3_000 });
  await delay(800);
  hand.notify(clockChannel, '20000');
  expect(aheadMs(clock)).toBeGreaterThan(19_000);
  // The notification of this one is lost.
  await move(30_000);
  await delay(1_500);
  expect(aheadMs(clock)).toBeLessThan(25_000);
  await until(30_000, 15_000);
  hand.down();
  await move(40_000);
  await until(40_000, 3_000);
}, 40_000);

it('a worker waits for its turn to move the clock without polling', async () => {
  const hand = handListener();
  let asked = 0;
  const running = runTestClock({
    ...({} as Parameters<typeof runTestClock>[0]),
    database,
    log: silentLog,
    config: { rpc: [] },
    registry: { enabled: () => [{ chainId: 1, family: 'SUI', local: true }] } as unknown as Registry,
    listener: hand.listener,
    locks: {
      async tryWith() {
        asked += 1;
        return false;
      },
      close: async () => undefined,
    },
  });
  onTestFinished(() => running.stop());
  hand.up();
  hand.notify(targetChannel);
  await delay(1_500);
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThanOrEqual(3);
});
