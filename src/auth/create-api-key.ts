import type { ApiKey, Database } from '../../prisma/client.ts';
import { notFound } from '../errors.ts';
import { newId } from '../platform/identifier.ts';
import { type ApiKeyKind, newApiKey } from './api-key.ts';

export type IssuedApiKey = { key: ApiKey /** Shown once; only its hash is stored. */; secret: string };

/** Makes a key of an app; its prefix follows the app's mode. NOT_FOUND for an app that is not the merchant's. */
export async function createApiKey(
  world: { database: Database },
  request: { scope: { merchantId: string; appId: string }; kind: ApiKeyKind; name?: string | null },
): Promise<IssuedApiKey> {
  const { merchantId, appId } = request.scope;
  const app = await world.database.app.findFirst({
    where: { id: appId, merchantId },
    select: { id: true, mode: true },
  });
  if (!app) throw notFound('app', 'appId');
  const made = newApiKey(request.kind, app.mode);
  const key = await world.database.apiKey.create({
    data: {
      id: newId(),
      appId: app.id,
      kind: request.kind,
      name: request.name ?? null,
      prefix: made.prefix,
      keyHash: made.hash,
    },
  });
  return { key, secret: made.secret };
}
