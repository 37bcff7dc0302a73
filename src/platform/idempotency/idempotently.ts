import { type Database, type DatabaseTransaction, transaction } from '../../../prisma/client.ts';
import { claimFault, claiming, recording } from './claim.ts';
import { firstAnswer, firstAnswerOf } from './first-answer.ts';
import type { IdempotencyRequest } from './idempotency-request.ts';

/** Runs `effect` in one transaction, together with the claim of the key and the storing of its result. */
export type Write<Result> = (effect: (tx: DatabaseTransaction) => Promise<Result>) => Promise<Result>;

/**
 * Performs a verb once per idempotency key, and returns the stored result of the first call to every later call. Without a key,
 * the verb simply runs.
 *
 * A replay returns the stored result before `work` begins, so that it does not depend on anything that has changed since. In the
 * first call, `work` may read, validate and query chains or prices; then it calls `write` at most once. `write` claims the key as
 * the first statement of its transaction, runs the effect, and stores what the effect returned. `work` must return that same
 * value. If it returns or throws without calling `write`, nothing is stored and the key stays free.
 *
 * The result must be plain data; it is stored with its instants, decimals and big integers, and secrets in it go through
 * `sealed`. A concurrent call with the same key waits at most 10 s for the first call to commit, and then throws
 * IDEMPOTENCY_IN_FLIGHT. Different parameters throw IDEMPOTENCY_MISMATCH. An effect that throws leaves the key free.
 */
export async function idempotently<Result>(
  database: Database,
  request: IdempotencyRequest | undefined,
  work: (write: Write<Result>) => Promise<Result>,
): Promise<Result> {
  const first = await firstAnswer<Result>(database, request);
  if (first) return first.result;
  return await work((effect) =>
    transaction(database, (tx) => (request ? claimAndRun(tx, request, effect) : effect(tx))),
  );
}

/** Claims the key and runs the effect, or returns the result of the call that has claimed the key in the meantime. */
async function claimAndRun<Result>(
  tx: DatabaseTransaction,
  request: IdempotencyRequest,
  effect: (tx: DatabaseTransaction) => Promise<Result>,
): Promise<Result> {
  const claimed = await tx.$queryRaw<unknown[]>(claiming(request)).catch((error: unknown) => {
    throw claimFault(error);
  });
  if (claimed.length === 0) return (await firstAnswerOf<Result>(tx, request)).result;
  const result = await effect(tx);
  await tx.$executeRaw(recording(request, result));
  return result;
}
