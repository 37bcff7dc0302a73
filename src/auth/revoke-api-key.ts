import type { ApiKey, Database } from '../../prisma/client.ts';
import { notFound } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import { type KeyHolder, keysOf } from './key-holder.ts';

/**
 * Ends a key at once and for ever: what begins after it, in any process, writes nothing with the key; what the key holds open
 * ends within a second or two. Revoking again changes nothing.
 * NOT_FOUND for a key that is not the holder's.
 */
export async function revokeApiKey(
  world: { database: Database; clock: Clock },
  request: { holder: KeyHolder; id: string },
): Promise<ApiKey> {
  const where = { id: request.id, ...keysOf(request.holder) };
  await world.database.apiKey.updateMany({
    where: { ...where, revokedAt: null },
    data: { revokedAt: world.clock.now() },
  });
  const key = await world.database.apiKey.findFirst({ where });
  if (!key) throw notFound('API key');
  return key;
}
