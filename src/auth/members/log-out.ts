import type { Database } from '../../../prisma/client.ts';
import type { Clock } from '../../platform/clock.ts';

/** Ends one login of a member, or all of them; what they hold open ends within two seconds. */
export async function logOut(
  world: { database: Database; clock: Clock },
  request: { memberId: string; sessionId: string; everywhere: boolean },
): Promise<void> {
  const { memberId, sessionId, everywhere } = request;
  await world.database.memberSession.updateMany({
    where: { memberId, revokedAt: null, ...(everywhere ? {} : { id: sessionId }) },
    data: { revokedAt: world.clock.now() },
  });
}
