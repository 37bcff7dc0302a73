import { type Database, type Member, transaction } from '../../../prisma/client.ts';
import { notFound } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { recordAction } from '../audit/record-action.ts';
import { lastOwner } from './invite-member.ts';

/**
 * Removes a member and ends all of their logins. Other processes reject reads within a second and close open connections within two
 * seconds. Removing a member again changes nothing. Throws NOT_FOUND for a member of another merchant and CONFLICT for the last owner.
 */
export async function removeMember(
  world: { database: Database; clock: Clock },
  request: { merchantId: string; id: string },
): Promise<Member> {
  const { merchantId, id } = request;
  return await transaction(world.database, async (tx) => {
    await tx.$queryRaw`SELECT id FROM merchant WHERE id = ${merchantId}::uuid FOR UPDATE`;
    const member = await tx.member.findFirst({ where: { id, merchantId } });
    if (!member) throw notFound('member');
    if (member.removedAt !== null) return member;
    const owners = await tx.member.count({ where: { merchantId, role: 'OWNER', removedAt: null, id: { not: id } } });
    if (member.role === 'OWNER' && owners === 0) throw lastOwner();
    const now = world.clock.now();
    await tx.memberSession.updateMany({ where: { memberId: id, revokedAt: null }, data: { revokedAt: now } });
    const { email, role, isOperator } = member;
    await recordAction(tx, {
      action: 'member.removed',
      owner: { merchantId },
      target: { type: 'Member', id },
      before: { email, role, isOperator, removedAt: null },
      after: { email, role, isOperator: false, removedAt: now },
    });
    return tx.member.update({ where: { id }, data: { removedAt: now, isOperator: false } });
  });
}
