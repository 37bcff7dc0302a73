import type { DatabaseTransaction } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import { isLockTimeout } from '../database/lock-fault.ts';
import { type FirstAnswer, firstAnswer } from './first-answer.ts';
import { type IdempotencyRequest, storedKey } from './idempotency-request.ts';
import { toTypedJson } from './typed-json.ts';

/** How long a twin waits for the call that came first. */
const TWIN_WAIT_MS = 10_000;

/**
 * Runs `effect` once for a key: the first call stores what the effect returned, in the effect's own transaction, and
 * every later one gets that back, with its instants, decimals and big integers, `replayed: true`.
 * Without a request the effect simply runs. What `effect` returns must be plain data; secrets in it go through `sealed`.
 *
 * A concurrent twin waits at most 10 s for the first to commit: IDEMPOTENCY_IN_FLIGHT. Other parameters:
 * IDEMPOTENCY_MISMATCH. An effect that throws leaves the key free.
 */
export async function once<Result>(
  tx: DatabaseTransaction,
  request: IdempotencyRequest | undefined,
  effect: () => Promise<Result>,
): Promise<FirstAnswer<Result>> {
  if (!request) return { result: await effect(), replayed: false };
  const key = storedKey(request);
  if (!(await claim(tx, request, key))) {
    const first = await firstAnswer<Result>(tx, request);
    // Between the conflict and this read only a purge of expired keys can have removed the row.
    if (!first)
      throw new GatewayError('IDEMPOTENCY_IN_FLIGHT', 'The first call with this key has just expired; try again.');
    return first;
  }
  const result = await effect();
  const stored = JSON.stringify({ value: toTypedJson(result) });
  await tx.$executeRaw`
    UPDATE idempotency_record SET result = ${stored}::jsonb WHERE app_id = ${request.scopeId}::uuid AND key = ${key}`;
  return { result, replayed: false };
}

/**
 * Inserts the key's row. A twin's uncommitted row makes the insert wait for the twin's end, under a lock timeout that is
 * set before the insert; its RETURNING restores the one before, so that the effect's own locks wait as ever.
 */
async function claim(tx: DatabaseTransaction, request: IdempotencyRequest, key: string): Promise<boolean> {
  try {
    const rows = await tx.$queryRaw<{ lock_timeout: string }[]>`
      WITH before AS MATERIALIZED (SELECT current_setting('lock_timeout') AS lock_timeout)
      INSERT INTO idempotency_record (app_id, key, fingerprint, result, permanent, created_at)
      SELECT ${request.scopeId}::uuid, ${key}, ${request.fingerprint}, 'null'::jsonb, ${request.permanent}, now()
      FROM before WHERE set_config('lock_timeout', ${String(TWIN_WAIT_MS)}, true) IS NOT NULL
      ON CONFLICT (app_id, key) DO NOTHING
      RETURNING set_config('lock_timeout', (SELECT before.lock_timeout FROM before), true) AS lock_timeout`;
    return rows.length > 0;
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    throw new GatewayError('IDEMPOTENCY_IN_FLIGHT', 'A call with this idempotency key is still running after 10 s.', {
      retryAfterSeconds: 1,
      cause: error,
    });
  }
}
