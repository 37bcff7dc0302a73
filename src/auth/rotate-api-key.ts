import { type ApiKey, type Database, transaction } from '../../prisma/client.ts';
import { GatewayError, notFound } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/identifier.ts';
import { newApiKey } from './api-key.ts';
import type { IssuedApiKey } from './create-api-key.ts';
import { type KeyHolder, keysOf } from './key-holder.ts';

/**
 * Makes a successor of a key, of the same app, kind and name; the old one works for `overlapSeconds` more.
 * NOT_FOUND for a key that is not the holder's, INVALID_STATE for one that has ended.
 */
export function rotateApiKey(
  world: { database: Database; clock: Clock },
  request: { holder: KeyHolder; id: string; overlapSeconds: number },
): Promise<IssuedApiKey & { oldExpiresAt: Date }> {
  const now = world.clock.now();
  return transaction(world.database, async (tx) => {
    const old = await tx.apiKey.findFirst({
      where: { id: request.id, ...keysOf(request.holder) },
      include: { app: { select: { mode: true } } },
    });
    if (!old) throw notFound('API key');
    if (hasEnded(old, now)) throw new GatewayError('INVALID_STATE', 'The API key has ended; make a new one.');
    const end = new Date(now.getTime() + request.overlapSeconds * 1000);
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
      },
    });
    return { key, secret: made.secret, oldExpiresAt };
  });
}

function hasEnded(key: ApiKey, now: Date): boolean {
  return key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now);
}
