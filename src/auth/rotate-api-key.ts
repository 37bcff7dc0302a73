import { type Database, transaction } from '../../prisma/client.ts';
import { GatewayError, notFound } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/identifier.ts';
import { newApiKey } from './api-key.ts';
import type { IssuedApiKey } from './create-api-key.ts';

/**
 * Makes a key of the same app and kind, and lets the old one end after `overlapHours`, so that both are good meanwhile.
 * NOT_FOUND for an unknown key, INVALID_STATE for a revoked one.
 */
export async function rotateApiKey(
  world: { database: Database; clock: Clock },
  request: { apiKeyId: string; overlapHours: number },
): Promise<IssuedApiKey & { oldExpiresAt: Date }> {
  return await transaction(world.database, async (tx) => {
    const old = await tx.apiKey.findUnique({ where: { id: request.apiKeyId }, include: { app: true } });
    if (!old) throw notFound('API key');
    const now = world.clock.now();
    if (old.revokedAt !== null || (old.expiresAt !== null && old.expiresAt <= now)) {
      throw new GatewayError('INVALID_STATE', 'The API key is not in use any more; create another one.');
    }
    const wanted = new Date(now.getTime() + request.overlapHours * 3_600_000);
    const oldExpiresAt = old.expiresAt !== null && old.expiresAt < wanted ? old.expiresAt : wanted;
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
      },
    });
    return { key, secret: made.secret, oldExpiresAt };
  });
}
