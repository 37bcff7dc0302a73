import { type ApiKey, type Database, transaction } from '../../prisma/client.ts';
import { notFound } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import { recordAction } from './audit/record-action.ts';
import { type KeyHolder, keysOf } from './key-holder.ts';

/**
 * Revokes a key permanently. No operation that begins afterwards, in any process, writes with the key. Reads are rejected at once in this
 * process and within a second in others, and open connections are closed within two seconds. Revoking a key again changes nothing. Throws
 * NOT_FOUND for a key that does not belong to the holder.
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
