/**
 * The test clock of an installation whose chains are all local: its time may be moved ahead, for everything that
 * business is counted by (jobs, periods, quotes, sessions, the chains' blocks), all at once.
 *
 * - offset: how far its time is ahead of the real one. It only grows, and real time goes on under it.
 * - target: where an advance is on its way to. The clock never jumps there: it walks.
 * - stop: an instant at which something is due. A walk goes from stop to stop, and leaves one only at rest.
 * - rest: no job is due, no transaction of ours is under way, and every block with a transaction has been applied.
 *
 * What stays real: leases, heartbeats and locks, rate limits, the waits before a failed job is tried again, the schedule of
 * webhooks and their signatures, when API keys and logins end, idempotency keys, prices' age.
 *
 * Authority: the row `test_clock`. A process keeps a copy of its offset; a worker under the lock moves it.
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
    context.addIssue({ code: 'custom', path: ['seconds'], message: 'exactly one of seconds and to is sent' });
  });
export type AdvanceTestClockInput = z.infer<typeof advanceTestClockSchema>;

/** What the API tells of it. */
export type TestClockState = {
  now: Date;
  offsetSeconds: number;
  isMovable: boolean;
  isAdvancing: boolean;
  targetAt: Date | null;
  /** Of the latest advance. */
  stops: number;
  /** Why the latest advance ended before its target. */
  fault: string | null;
};

/** Only where nothing of value can be moved with it: at least one chain has a node, and all that have one are local. */
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
