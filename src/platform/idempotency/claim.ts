/**
 * The statements of an idempotency key: claiming it, and storing the first result. Each can also be part of a larger statement.
 */
import { Prisma } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import { isLockTimeout } from '../database/lock-fault.ts';
import { type IdempotencyRequest, storedKey } from './idempotency-request.ts';
import { toTypedJson } from './typed-json.ts';

/** How long a concurrent duplicate waits for the first call. */
const DUPLICATE_WAIT_MS = 10_000;

/**
 * Inserts the key's row and returns a row unless another call has claimed the key. If another call's insert is uncommitted, this
 * one waits for that transaction to end, under a lock timeout that is set before the insert; RETURNING restores the previous
 * timeout for the locks of the effect itself. Fails with a lock timeout: see `claimFault`.
 */
export function claiming(request: IdempotencyRequest): Prisma.Sql {
  return Prisma.sql`
    WITH before AS MATERIALIZED (SELECT current_setting('lock_timeout') AS lock_timeout)
    INSERT INTO idempotency_record (app_id, key, fingerprint, result, permanent, created_at)
    SELECT ${request.scopeId}::uuid, ${storedKey(request)}, ${request.fingerprint}, 'null'::jsonb, ${request.permanent}::boolean,
      now()
    FROM before WHERE set_config('lock_timeout', ${String(DUPLICATE_WAIT_MS)}, true) IS NOT NULL
    ON CONFLICT (app_id, key) DO NOTHING
    RETURNING set_config('lock_timeout', (SELECT before.lock_timeout FROM before), true) AS lock_timeout`;
}

/** Stores what the effect returned in the row of a claimed key. */
export function recording(request: IdempotencyRequest, result: unknown): Prisma.Sql {
  const stored = JSON.stringify({ value: toTypedJson(result) });
  return Prisma.sql`
    UPDATE idempotency_record SET result = ${stored}::jsonb
    WHERE app_id = ${request.scopeId}::uuid AND key = ${storedKey(request)}`;
}

/** Turns a lock timeout of a claim into IDEMPOTENCY_IN_FLIGHT; returns any other error unchanged. */
export function claimFault(error: unknown): unknown {
  if (!isLockTimeout(error)) return error;
  return new GatewayError('IDEMPOTENCY_IN_FLIGHT', 'A call with this idempotency key is still running after 10 s.', {
    retryAfterSeconds: 1,
    cause: error,
  });
}
