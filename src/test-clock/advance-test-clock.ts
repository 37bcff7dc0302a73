import type { Database } from '../../prisma/client.ts';
import { recordAction } from '../auth/audit/record-action.ts';
import type { Registry } from '../chains/registry.ts';
import { GatewayError, invalid } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../platform/idempotency/idempotently.ts';
import { lockClock, setTarget } from './store.ts';
import {
  type AdvanceTestClockInput,
  isMovable,
  LONGEST_ADVANCE_SECONDS,
  type TestClockState,
  testClockState,
} from './test-clock.ts';

/**
 * Advances the test clock by `seconds`, or to the instant `to`; during an advance, `seconds` counts from its target. Only writes
 * the target: a worker advances the clock to it and does everything that falls due on the way, in order. Throws INVALID_STATE
 * unless all chains are local, and VALIDATION_ERROR if the new target is not later than the present one (or the current time), or
 * is more than 400 days ahead of the current time.
 */
export async function advanceTestClock(
  world: { database: Database; registry: Registry; realClock: Clock },
  request: {
    input: Pick<AdvanceTestClockInput, 'seconds' | 'to'>;
    idempotency?: IdempotencyRequest | undefined;
  },
): Promise<TestClockState> {
  return await idempotently(world.database, request.idempotency, async (write) => {
    if (!isMovable(world.registry)) {
      throw new GatewayError('INVALID_STATE', 'Time can be advanced only if every chain of the installation is local.');
    }
    return await write(async (tx) => {
      const row = await lockClock(tx);
      const realNow = world.realClock.now();
      const { now } = testClockState(row, { realNow, isMovable: true });
      const from = row.targetAt !== null && row.targetAt > now ? row.targetAt : now;
      const targetAt = targetOf(request.input, { now, from });
      const written = await setTarget(tx, targetAt, row.targetAt === null);
      await recordAction(tx, {
        action: 'test_clock.advanced',
        owner: 'ACTOR',
        target: { type: 'TestClock', id: null },
        before: { now, targetAt: row.targetAt },
        after: { targetAt },
      });
      return testClockState(written, { realNow, isMovable: true });
    });
  });
}

function targetOf({ seconds, to }: { seconds?: number | null; to?: Date | null }, at: { now: Date; from: Date }): Date {
  const target = to ?? new Date(at.from.getTime() + (seconds ?? 0) * 1000);
  const param = to ? 'to' : 'seconds';
  if (target <= at.from) throw invalid([{ param, message: `is not after ${at.from.toISOString()}` }]);
  if (target.getTime() - at.now.getTime() > LONGEST_ADVANCE_SECONDS * 1000) {
    throw invalid([{ param, message: `is more than ${LONGEST_ADVANCE_SECONDS} seconds ahead of now` }]);
  }
  return target;
}
