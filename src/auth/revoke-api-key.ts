import { type ApiKey, type Database, transaction } from '../../prisma/client.ts';
import { notFound } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import { recordAction } from './audit/record-action.ts';
import { type KeyHolder, keysOf } from './key-holder.ts';

/**
 * Ends a key at once and for ever: what begins after it, in any process, writes nothing with the key. Reads end at once in this
 * process and within a second in others, what the key holds open within a second or two. Revoking again changes nothing.
 * NOT_FOUND for a key that is not the holder's.
 */
export async function revokeApiKey(
  world: { database: Database; clock: Clock },
  request: { holder: KeyHolder; id: string },
): Promise<ApiKey> {
  const where = { id: request.id, ...keysOf(request.holder) };
  return await transaction(world.database, async (tx) => {
    const revokedAt = world.clock.now();
    const { count } = await tx.apiKey.updateMany({ where: { ...where, revokedAt: null }, data: { revokedAt } });
    const key = await tx.apiKey.findFirst({ where });
    if (!key) throw notFound('API key');
    if (count > 0) {
      const { appId, id, prefix, name } = key;
      await recordAction(tx, {
        action: 'api_key.revoked',
        owner: { appId },
        target: { type: 'ApiKey', id },
        before: { prefix, name, revokedAt: null },
        after: { prefix, name, revokedAt },
      });
    }
    return key;
  });
}
