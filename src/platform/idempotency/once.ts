import type { DatabaseTransaction } from '../../../prisma/client.ts';
import { claimFault, claiming, recording } from './claim.ts';
import { type FirstAnswer, firstAnswerOf } from './first-answer.ts';
import type { IdempotencyRequest } from './idempotency-request.ts';

/**
 * Runs `effect` once per key: the first call stores what the effect returned, in the effect's own transaction, and every later
 * call gets the same value, with its instants, decimals and big integers, and `replayed: true`. Without a request the effect
 * simply runs. `effect` must return plain data; secrets in it go through `sealed`.
 *
 * A concurrent duplicate waits at most 10 s for the first call to commit and then throws IDEMPOTENCY_IN_FLIGHT. Different
 * parameters throw IDEMPOTENCY_MISMATCH. An effect that throws leaves the key free.
 */
export async function once<Result>(
  tx: DatabaseTransaction,
  request: IdempotencyRequest | undefined,
  effect: () => Promise<Result>,
): Promise<FirstAnswer<Result>> {
  if (!request) return { result: await effect(), replayed: false };
  const claimed = await tx.$queryRaw<unknown[]>(claiming(request)).catch((error: unknown) => {
    throw claimFault(error);
  });
  if (claimed.length === 0) return await firstAnswerOf<Result>(tx, request);
  const result = await effect();
  await tx.$executeRaw(recording(request, result));
  return { result, replayed: false };
}
