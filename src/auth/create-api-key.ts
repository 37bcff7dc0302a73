import { type ApiKey, type Database, transaction } from '../../prisma/client.ts';
import { notFound } from '../errors.ts';
import { firstAnswer } from '../platform/idempotency/first-answer.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { once } from '../platform/idempotency/once.ts';
import { sealed, unsealed } from '../platform/idempotency/sealed.ts';
import { newId } from '../platform/identifier.ts';
import { type ApiKeyKind, newApiKey } from './api-key.ts';

export type IssuedApiKey = {
  key: ApiKey;
  /** Shown to the caller, and again to one who repeats the call with its idempotency key; its record has only its hash. */
  secret: string;
};

type CreateApiKeyRequest = {
  scope: { merchantId: string; appId: string };
  kind: ApiKeyKind;
  name?: string | null;
  idempotency?: IdempotencyRequest | undefined;
};

/**
 * Makes a key of an app; its prefix follows the app's mode. NOT_FOUND for an app that is not the merchant's. A replay shows
 * the same key again: the stored answer has it sealed under the installation's secret and the caller's idempotency key.
 */
export async function createApiKey(
  world: { database: Database },
  { scope, kind, name, idempotency }: CreateApiKeyRequest,
): Promise<IssuedApiKey> {
  const { merchantId, appId } = scope;
  const open = (issued: IssuedApiKey) => ({ ...issued, secret: unsealed(idempotency, issued.secret) });
  const first = await firstAnswer<IssuedApiKey>(world.database, idempotency);
  if (first) return open(first.result);
  const { result } = await transaction(world.database, (tx) =>
    once(tx, idempotency, async () => {
      const app = await tx.app.findFirst({ where: { id: appId, merchantId }, select: { mode: true } });
      if (!app) throw notFound('app', 'appId');
      const made = newApiKey(kind, app.mode);
      const key = await tx.apiKey.create({
        data: { id: newId(), appId, kind, name: name ?? null, prefix: made.prefix, keyHash: made.hash },
      });
      return { key, secret: sealed(idempotency, made.secret) };
    }),
  );
  return open(result);
}
