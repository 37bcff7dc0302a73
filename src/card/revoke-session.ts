import type { CardSession } from '../../prisma/client.ts';
import { notFound } from '../errors.ts';
import type { CardWorld } from './card-world.ts';

/**
 * Ends a session of the user at once: its token is rejected from now on, for reads in other processes within a second. Ending it
 * again changes nothing. Throws NOT_FOUND.
 */
export async function revokeSession(
  world: Pick<CardWorld, 'database' | 'clock'>,
  request: { userId: string; id: string },
): Promise<CardSession> {
  const where = { id: request.id, userId: request.userId };
  await world.database.cardSession.updateMany({
    where: { ...where, revokedAt: null },
    data: { revokedAt: world.clock.now() },
  });
  const session = await world.database.cardSession.findFirst({ where });
  if (!session) throw notFound('session');
  return session;
}
