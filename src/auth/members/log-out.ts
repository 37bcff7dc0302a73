import { type Database, transaction } from '../../../prisma/client.ts';
import type { Clock } from '../../platform/clock.ts';
import { recordAction } from '../audit/record-action.ts';

/**
 * Ends one login of a member, or all of them. Other processes reject reads within a second and close open connections within two seconds.
 */
export async function logOut(
  world: { database: Database; clock: Clock },
  request: { memberId: string; sessionId: string; everywhere: boolean },
): Promise<void> {
  const { memberId, sessionId, everywhere } = request;
  await transaction(world.database, async (tx) => {
    const { count } = await tx.memberSession.updateMany({
      where: { memberId, revokedAt: null, ...(everywhere ? {} : { id: sessionId }) },
      data: { revokedAt: world.clock.now() },
    });
    if (count === 0) return;
    await recordAction(tx, {
      action: 'member.logged_out',
      owner: 'ACTOR',
      target: { type: 'Member', id: memberId },
      after: { everywhere },
    });
  });
}
