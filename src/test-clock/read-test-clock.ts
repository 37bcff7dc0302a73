import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../prisma/client.ts';
import type { Registry } from '../chains/registry.ts';
import type { Clock } from '../platform/clock.ts';
import type { FollowedClock } from './open-clock.ts';
import { readClock } from './store.ts';
import { isMovable, type TestClockState, testClockState } from './test-clock.ts';

const LOOK_MS = 100;

/**
 * The clock's current state, after waiting at most `waitSeconds` real seconds for an advance to end. The process applies the
 * returned offset even if no notification has arrived.
 */
export async function readTestClock(
  world: { database: Database; registry: Registry; realClock: Clock; time?: Pick<FollowedClock, 'take'> },
  { waitSeconds }: { waitSeconds: number },
): Promise<TestClockState> {
  const movable = isMovable(world.registry);
  const until = performance.now() + waitSeconds * 1000;
  for (;;) {
    const row = await readClock(world.database);
    world.time?.take(Number(row?.offsetMs ?? 0n));
    const state = testClockState(row, { realNow: world.realClock.now(), isMovable: movable });
    if (!state.isAdvancing || performance.now() >= until) return state;
    await delay(LOOK_MS);
  }
}
