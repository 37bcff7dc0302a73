import type { ApiKey, Database, DatabaseTransaction } from '../../prisma/client.ts';
import { GatewayError, notFound } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../platform/idempotency/idempotently.ts';
import { sealed, unsealed } from '../platform/idempotency/sealed.ts';
import { newId } from '../platform/identifier.ts';
import { newApiKey } from './api-key.ts';
import { recordAction } from './audit/record-action.ts';
import { type IssuedApiKey, requireMakersRights } from './create-api-key.ts';
import { type KeyHolder, keysOf } from './key-holder.ts';
import { keyFacts, rightsOf } from './keys/key-rights.ts';

type RotatedApiKey = IssuedApiKey & { oldExpiresAt: Date };
type RotateApiKeyRequest = {
  holder: KeyHolder;
  id: string;
  overlapSeconds: number;
  /** The key that requests the successor. It must have all rights of the rotated key. */
  maker?: { apiKeyId: string } | null;
  idempotency?: IdempotencyRequest | undefined;
};

/**
 * Creates a successor of a key with the same app, kind, name, scopes, networks and original expiry. The old key remains valid for
 * `overlapSeconds`, or for the shorter time that an earlier rotation left it. Concurrent rotations are serialized. Throws NOT_FOUND for a
 * key that does not belong to the holder, INVALID_STATE for a key that is no longer valid, and AUTHORIZATION_ERROR if a key requests a
 * successor with more rights than its own. A replay returns the same successor: the stored response contains it encrypted under the
 * installation's secret and the caller's idempotency key.
 */
export async function rotateApiKey(
  world: { database: Database; clock: Clock },
  request: RotateApiKeyRequest,
): Promise<RotatedApiKey> {
  const { idempotency } = request;
  if (request.maker) await requireMayRotate(world.database, { ...request, maker: request.maker });
  const open = (rotated: RotatedApiKey) => ({ ...rotated, secret: unsealed(idempotency, rotated.secret) });
  const stored = await idempotently<RotatedApiKey>(world.database, idempotency, (write) =>
    write(async (tx) => {
      const rotated = await replace(tx, world, request);
      return { ...rotated, secret: sealed(idempotency, rotated.secret) };
    }),
  );
  return open(stored);
}

/**
 * Checked before the replay, because another key's idempotency key must not return a successor. Whether the key exists is checked later.
 */
async function requireMayRotate(
  database: Database,
  { holder, id, maker }: Pick<RotateApiKeyRequest, 'holder' | 'id'> & { maker: { apiKeyId: string } },
): Promise<void> {
  const found = await database.apiKey.findFirst({ where: { id, ...keysOf(holder) } });
  if (found) await requireMakersRights(database, { apiKeyId: maker.apiKeyId, wanted: rightsOf(found) });
}

async function replace(
  tx: DatabaseTransaction,
  { clock }: { clock: Clock },
  { holder, id, overlapSeconds }: RotateApiKeyRequest,
): Promise<RotatedApiKey> {
  const found = await tx.apiKey.findFirst({ where: { id, ...keysOf(holder) }, select: { id: true } });
  if (!found) throw notFound('API key');
  await tx.$queryRaw`SELECT id FROM api_key WHERE id = ${found.id}::uuid FOR UPDATE`;
  const now = clock.now();
  const old = await tx.apiKey.findUniqueOrThrow({
    where: { id: found.id },
    include: { app: { select: { mode: true } } },
  });
  if (hasEnded(old, now))
    throw new GatewayError('INVALID_STATE', 'The API key is revoked or expired. Create a new one.');
  const end = new Date(now.getTime() + overlapSeconds * 1000);
  const oldExpiresAt = old.expiresAt !== null && old.expiresAt < end ? old.expiresAt : end;
  await tx.apiKey.update({ where: { id: old.id }, data: { expiresAt: oldExpiresAt } });
  const made = newApiKey(old.kind, old.app.mode);
  const key = await tx.apiKey.create({
    data: {
      id: newId(),
      appId: old.appId,
      kind: old.kind,
      name: old.name,
      prefix: made.prefix,
      keyHash: made.hash,
      isRestricted: old.isRestricted,
      scopes: old.scopes,
      allowedNetworks: old.allowedNetworks,
      termEndsAt: old.termEndsAt,
      expiresAt: old.termEndsAt,
    },
  });
  await recordAction(tx, {
    action: 'api_key.rotated',
    owner: { appId: old.appId },
    target: { type: 'ApiKey', id: old.id },
    before: { expiresAt: old.expiresAt },
    after: { expiresAt: oldExpiresAt, successor: { id: key.id, ...keyFacts(key) } },
  });
  return { key, secret: made.secret, oldExpiresAt };
}

function hasEnded(key: ApiKey, now: Date): boolean {
  return key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now);
}
