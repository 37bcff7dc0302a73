import type { ApiKey, Database, DatabaseTransaction } from '../../prisma/client.ts';
import { type FieldFault, invalid, notFound } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../platform/idempotency/idempotently.ts';
import { sealed, unsealed } from '../platform/idempotency/sealed.ts';
import { newId } from '../platform/identifier.ts';
import { type ApiKeyKind, newApiKey } from './api-key.ts';
import { recordAction } from './audit/record-action.ts';
import { type KeyRights, keyFacts, requireWithinRights, rightsOf } from './keys/key-rights.ts';
import type { KeyScope } from './keys/key-scope.ts';

export type IssuedApiKey = {
  key: ApiKey;
  /** Returned to the caller, and again if the call is repeated with its idempotency key. The row contains only its hash. */
  secret: string;
};

type CreateApiKeyRequest = {
  scope: { merchantId: string; appId: string };
  kind: ApiKeyKind;
  name?: string | null;
  /** Restricts a secret key to these scopes. If null or absent, the key may do everything for its app. */
  scopes?: readonly KeyScope[] | null;
  /** In CIDR notation, as returned by `parseNetwork`. If null or absent, any network is allowed. */
  allowedNetworks?: readonly string[] | null;
  expiresAt?: Date | null;
  /** The key that creates this one. It must have all rights of the new key. */
  maker?: { apiKeyId: string } | null;
  idempotency?: IdempotencyRequest | undefined;
};

/**
 * Creates a key for an app, with a prefix for the app's mode. Throws NOT_FOUND for an app of another merchant, VALIDATION_ERROR for scopes
 * on a publishable key and for an expiry that is not in the future, and AUTHORIZATION_ERROR if a key creates one with more rights than its
 * own. A replay returns the same key again: the stored response contains it encrypted under the installation's secret and the caller's
 * idempotency key.
 */
export async function createApiKey(
  world: { database: Database; clock: Clock },
  request: CreateApiKeyRequest,
): Promise<IssuedApiKey> {
  const { idempotency, kind } = request;
  const rights: KeyRights = {
    kind,
    scopes: request.scopes ?? null,
    networks: request.allowedNetworks ?? [],
    endsAt: request.expiresAt ?? null,
  };
  // Checked before the replay, because another key's idempotency key must not return its secret.
  if (request.maker) await requireMakersRights(world.database, { apiKeyId: request.maker.apiKeyId, wanted: rights });
  const open = (issued: IssuedApiKey) => ({ ...issued, secret: unsealed(idempotency, issued.secret) });
  const stored = await idempotently<IssuedApiKey>(world.database, idempotency, async (write) => {
    requirePossible(rights, world.clock.now());
    return await write(async (tx) => {
      const { key, secret } = await insertKey(tx, { ...request, rights });
      return { key, secret: sealed(idempotency, secret) };
    });
  });
  return open(stored);
}

/** Throws AUTHORIZATION_ERROR unless the key has all of the requested rights. The rights of a key never change. */
export async function requireMakersRights(
  database: Database | DatabaseTransaction,
  { apiKeyId, wanted }: { apiKeyId: string; wanted: KeyRights },
): Promise<void> {
  const own = await database.apiKey.findUniqueOrThrow({ where: { id: apiKeyId } });
  requireWithinRights(rightsOf(own), wanted);
}

function requirePossible({ kind, scopes, endsAt }: KeyRights, now: Date): void {
  const faults: FieldFault[] = [];
  if (kind === 'PUBLISHABLE' && scopes !== null) {
    faults.push({ param: 'scopes', message: 'only a secret key can have scopes' });
  }
  if (endsAt !== null && endsAt <= now) {
    faults.push({ param: 'expiresAt', message: `is ${endsAt.toISOString()}, and must be in the future` });
  }
  if (faults.length > 0) throw invalid(faults);
}

async function insertKey(
  tx: DatabaseTransaction,
  request: Pick<CreateApiKeyRequest, 'scope' | 'name'> & { rights: KeyRights },
): Promise<IssuedApiKey> {
  const { merchantId, appId } = request.scope;
  const { kind, scopes, networks, endsAt } = request.rights;
  const app = await tx.app.findFirst({ where: { id: appId, merchantId }, select: { mode: true } });
  if (!app) throw notFound('app', 'appId');
  const made = newApiKey(kind, app.mode);
  const key = await tx.apiKey.create({
    data: {
      id: newId(),
      appId,
      kind,
      name: request.name ?? null,
      prefix: made.prefix,
      keyHash: made.hash,
      isRestricted: scopes !== null,
      scopes: [...(scopes ?? [])],
      allowedNetworks: [...networks],
      termEndsAt: endsAt,
      expiresAt: endsAt,
    },
  });
  const target = { type: 'ApiKey', id: key.id } as const;
  await recordAction(tx, { action: 'api_key.created', owner: { appId }, target, after: keyFacts(key) });
  return { key, secret: made.secret };
}
