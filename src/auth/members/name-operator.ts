import { type Database, type Member, transaction } from '../../../prisma/client.ts';
import { notFound } from '../../errors.ts';
import { recordAction } from '../audit/record-action.ts';
import { canonicalEmail } from '../one-time-password/one-time-password.ts';

/**
 * Grants a member the operation of the whole installation in the dashboard, or revokes it, with effect from the member's next request. Only
 * the operator of the installation may call it. Throws NOT_FOUND for a person who is not a member.
 */
export async function nameOperator(
  { database }: { database: Database },
  request: { merchantId: string; email: string; isOperator: boolean },
): Promise<Member> {
  const { merchantId, isOperator } = request;
  const email = canonicalEmail(request.email);
  return await transaction(database, async (tx) => {
    const member = await tx.member.findFirst({ where: { merchantId, email, removedAt: null } });
    if (!member) throw notFound('member');
    if (member.isOperator !== isOperator) {
      await recordAction(tx, {
        action: isOperator ? 'member.operator_granted' : 'member.operator_revoked',
        owner: { merchantId },
        target: { type: 'Member', id: member.id },
        before: { email, isOperator: member.isOperator },
        after: { email, isOperator },
      });
    }
    return await tx.member.update({ where: { id: member.id }, data: { isOperator } });
  });
}
