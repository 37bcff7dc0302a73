import type { ApiKey, Database } from '../../prisma/client.ts';
import { notFound } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';

/** Ends a key at once and for ever; revoking again changes nothing. NOT_FOUND for an unknown key. */
export async function revokeApiKey(
  world: { database: Database; clock: Clock },
  request: { apiKeyId: string },
): Promise<ApiKey> {
  await world.database.apiKey.updateMany({
    where: { id: request.apiKeyId, revokedAt: null },
    data: { revokedAt: world.clock.now() },
  });
  const key = await world.database.apiKey.findUnique({ where: { id: request.apiKeyId } });
  if (!key) throw notFound('API key');
  return key;
}
