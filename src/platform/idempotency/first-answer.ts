import { type Database, type DatabaseTransaction, Prisma } from '../../../prisma/client.ts';
import { recheck } from '../../../prisma/guarded-database.ts';
import { GatewayError } from '../../errors.ts';
import { type IdempotencyRequest, storedKey } from './idempotency-request.ts';
import { fromTypedJson } from './typed-json.ts';

export type FirstAnswer<Result> = { result: Result; replayed: boolean };

/**
 * Returns the result of the first call with this key, or undefined if none has committed. It is read before the verb
 * reads anything, so that a replay does not depend on later changes, except to the caller's credential: a result may hold a secret
 * and is returned only to a caller who may still write. Throws IDEMPOTENCY_MISMATCH if the first call had different parameters.
 */
export async function firstAnswer<Result>(
  database: Database | DatabaseTransaction,
  request: IdempotencyRequest | undefined,
): Promise<FirstAnswer<Result> | undefined> {
  if (!request) return undefined;
  const id = { appId: request.scopeId, key: storedKey(request) };
  const record = await database.idempotencyRecord.findUnique({ where: { appId_key: id } });
  if (!record) return undefined;
  if (record.result === null) {
    // Its transaction committed without an effect because the connection failed between the claim and the writes.
    await database.idempotencyRecord.deleteMany({
      where: { appId: id.appId, key: id.key, result: { equals: Prisma.JsonNull } },
    });
    return undefined;
  }
  await recheck(database);
  if (record.fingerprint !== request.fingerprint) {
    throw new GatewayError('IDEMPOTENCY_MISMATCH', 'This idempotency key was used with other parameters.');
  }
  if (request.permanent && !record.permanent) {
    await database.idempotencyRecord.updateMany({ where: id, data: { permanent: true } });
  }
  request.onReplay();
  return { result: readResult<Result>(record.result), replayed: true };
}

/** Whether a call with this key has committed, whatever its parameters. For calls whose parameters are not known yet. */
export async function hasAnswered(
  database: Database | DatabaseTransaction,
  request: IdempotencyRequest | undefined,
): Promise<boolean> {
  if (!request) return false;
  const id = { appId: request.scopeId, key: storedKey(request) };
  const record = await database.idempotencyRecord.findUnique({ where: { appId_key: id }, select: { result: true } });
  return record !== null && record.result !== null;
}

/**
 * Like `firstAnswer`, for a key that another call has claimed. Throws IDEMPOTENCY_IN_FLIGHT if the row has gone in the meantime.
 */
export async function firstAnswerOf<Result>(
  database: Database | DatabaseTransaction,
  request: IdempotencyRequest,
): Promise<FirstAnswer<Result>> {
  const first = await firstAnswer<Result>(database, request);
  // A purge of expired keys removed the row, or it was claimed without a result.
  if (!first) {
    throw new GatewayError(
      'IDEMPOTENCY_IN_FLIGHT',
      'The first request with this idempotency key has just expired. Try again.',
    );
  }
  return first;
}

/** The fingerprint includes the operation, and an operation stores one type, so the row holds what its effect returned. */
function readResult<Result>(stored: unknown): Result {
  const held = stored !== null && typeof stored === 'object' && 'value' in stored ? stored.value : null;
  return fromTypedJson(held) as Result;
}
