import { type ApiKey, type Database, type DatabaseTransaction, transaction } from '../../prisma/client.ts';
import { type FieldFault, invalid, notFound } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import { firstAnswer } from '../platform/idempotency/first-answer.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { once } from '../platform/idempotency/once.ts';
import { sealed, unsealed } from '../platform/idempotency/sealed.ts';
import { newId } from '../platform/identifier.ts';
import { type ApiKeyKind, newApiKey } from './api-key.ts';
import { recordAction } from './audit/record-action.ts';
import { demandWithinRights, type KeyRights, keyFacts, rightsOf } from './keys/key-rights.ts';
import type { KeyScope } from './keys/key-scope.ts';

export type IssuedApiKey = {
  key: ApiKey;
  /** Shown to the caller, and again to one who repeats the call with its idempotency key; its record has only its hash. */
  secret: string;
};

type CreateApiKeyRequest = {
  scope: { merchantId: string; appId: string };
  kind: ApiKeyKind;
  name?: string | null;
  /** Restricts a secret key to these; null or absent: it may do everything for its app. */
  scopes?: readonly KeyScope[] | null;
  /** In CIDR notation, as `parseNetwork` returns them; null or absent: any. */
  allowedNetworks?: readonly string[] | null;
  expiresAt?: Date | null;
  /** The key that makes this one, which must have all of its rights. */
  maker?: { apiKeyId: string } | null;
  idempotency?: IdempotencyRequest | undefined;
};

/**
 * Makes a key of an app; its prefix follows the app's mode. NOT_FOUND for an app that is not the merchant's,
 * VALIDATION_ERROR for scopes of a publishable key and an end that is not ahead, AUTHORIZATION_ERROR where a key would make
 * one with more rights than its own. A replay shows the same key again: the stored answer has it sealed under the
 * installation's secret and the caller's idempotency key.
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
  // Judged before a replay is: another key's idempotency key must not hand out its secret.
  if (request.maker) await demandMakersRights(world.database, { apiKeyId: request.maker.apiKeyId, wanted: rights });
  const open = (issued: IssuedApiKey) => ({ ...issued, secret: unsealed(idempotency, issued.secret) });
  const first = await firstAnswer<IssuedApiKey>(world.database, idempotency);
  if (first) return open(first.result);
  demandPossible(rights, world.clock.now());
  const { result } = await transaction(world.database, (tx) =>
    once(tx, idempotency, async () => {
      const { key, secret } = await insertKey(tx, { ...request, rights });
      return { key, secret: sealed(idempotency, secret) };
    }),
  );
  return open(result);
}

/** AUTHORIZATION_ERROR unless the key has all the wanted rights. A key's rights never change. */
export async function demandMakersRights(
  database: Database | DatabaseTransaction,
  { apiKeyId, wanted }: { apiKeyId: string; wanted: KeyRights },
): Promise<void> {
  const own = await database.apiKey.findUniqueOrThrow({ where: { id: apiKeyId } });
  demandWithinRights(rightsOf(own), wanted);
}

function demandPossible({ kind, scopes, endsAt }: KeyRights, now: Date): void {
  const faults: FieldFault[] = [];
  if (kind === 'PUBLISHABLE' && scopes !== null) {
    faults.push({ param: 'scopes', message: 'only a secret key has scopes' });
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
