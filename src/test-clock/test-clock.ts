/**
 * The test clock of an installation whose chains are all local. Its time can be advanced for everything that business logic
 * depends on (jobs, periods, quotes, sessions, the chains' blocks), all at once.
 *
 * - offset: how far its time is ahead of real time. It only grows; between advances the clock runs at real speed.
 * - target: the time to which an advance moves the clock. The clock never jumps there but moves in steps.
 * - stop: a time at which something is due. The clock moves from stop to stop, and leaves one only when the system is idle.
 * - idle: no job is due, no transaction of the installation is pending, and every block with a transaction has been applied.
 *
 * The following stay in real time: leases, heartbeats and locks, rate limits, the delay before a failed job is retried, the
 * schedule of webhooks and their signatures, the expiry of API keys and logins, idempotency keys, and the age of prices.
 *
 * Authority: the row `test_clock`. A process keeps a copy of its offset; a worker holding the lock advances it.
 */
import { z } from 'zod';
import type { TestClock } from '../../prisma/client.ts';
import type { Registry } from '../chains/registry.ts';

const DAY_SECONDS = 86_400;
/** A year and a month, so that a year of anything fits into one advance. */
export const LONGEST_ADVANCE_SECONDS = 400 * DAY_SECONDS;
export const LONGEST_WAIT_SECONDS = 50;

export const advanceTestClockSchema = z
  .object({
    seconds: z
      .int()
      .min(1, `between 1 and ${LONGEST_ADVANCE_SECONDS}`)
      .max(LONGEST_ADVANCE_SECONDS, `between 1 and ${LONGEST_ADVANCE_SECONDS}`)
      .nullish(),
    to: z.date().nullish(),
    waitSeconds: z
      .int()
      .min(0, `between 0 and ${LONGEST_WAIT_SECONDS}`)
      .max(LONGEST_WAIT_SECONDS, `between 0 and ${LONGEST_WAIT_SECONDS}`)
      .nullish(),
  })
  .superRefine((input, context) => {
    const given = [input.seconds, input.to].filter((value) => value !== undefined && value !== null);
    if (given.length === 1) return;
    context.addIssue({ code: 'custom', path: ['seconds'], message: 'exactly one of seconds and to is required' });
  });
export type AdvanceTestClockInput = z.infer<typeof advanceTestClockSchema>;

/** The clock's state as the API returns it. */
export type TestClockState = {
  now: Date;
  offsetSeconds: number;
  isMovable: boolean;
  isAdvancing: boolean;
  targetAt: Date | null;
  /** The number of stops of the latest advance. */
  stops: number;
  /** Why the latest advance ended before its target. */
  fault: string | null;
};

/**
 * Whether the clock can be moved, only if nothing of value moves with it: at least one chain is enabled, and all enabled chains
 * are local.
 */
export function isMovable(registry: Registry): boolean {
  const enabled = registry.enabled();
  return enabled.length > 0 && enabled.every((chain) => chain.local);
}

export function testClockState(row: TestClock | null, world: { realNow: Date; isMovable: boolean }): TestClockState {
  const offsetMs = world.isMovable ? Number(row?.offsetMs ?? 0n) : 0;
  return {
    now: new Date(world.realNow.getTime() + offsetMs),
    offsetSeconds: Math.floor(offsetMs / 1000),
    isMovable: world.isMovable,
    isAdvancing: row?.targetAt != null,
    targetAt: row?.targetAt ?? null,
    stops: row?.stops ?? 0,
    fault: row?.fault ?? null,
  };
}
