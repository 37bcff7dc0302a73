import { type Database, type DatabaseTransaction, Prisma } from '../../../prisma/client.ts';
import { recheck } from '../../../prisma/guarded-database.ts';
import { GatewayError } from '../../errors.ts';
import { type IdempotencyRequest, storedKey } from './idempotency-request.ts';
import { fromTypedJson } from './typed-json.ts';

export type FirstAnswer<Result> = { result: Result; replayed: boolean };

/**
 * What the first call with this key returned, or undefined when none has committed. A verb asks before it reads
 * anything, so that a replay does not depend on what has changed since, except the caller's credential: an answer may
 * hold a secret, and is returned only to a caller who may still write.
 * IDEMPOTENCY_MISMATCH when the first call had other parameters.
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
    // Its transaction was committed without an effect: a connection failed between the claim and what was to be written.
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

/** The same for a key that another call has claimed; IDEMPOTENCY_IN_FLIGHT where its row is gone meanwhile. */
export async function firstAnswerOf<Result>(
  database: Database | DatabaseTransaction,
  request: IdempotencyRequest,
): Promise<FirstAnswer<Result>> {
  const first = await firstAnswer<Result>(database, request);
  // A purge of expired keys removed the row, or it was claimed without an answer.
  if (!first) {
    throw new GatewayError('IDEMPOTENCY_IN_FLIGHT', 'The first call with this key has just expired; try again.');
  }
  return first;
}

/** The fingerprint names the operation, and an operation stores one type: the row is what `once` put there. */
function readResult<Result>(stored: unknown): Result {
  const held = stored !== null && typeof stored === 'object' && 'value' in stored ? stored.value : null;
  return fromTypedJson(held) as Result;
}
