import type { Database, Member } from '../../../prisma/client.ts';
import { notFound } from '../../errors.ts';
import { canonicalEmail } from '../one-time-password/one-time-password.ts';

/**
 * Lets a member look after the whole installation from the dashboard, or ends that: it counts from their next request on.
 * Only who runs the installation may say so. NOT_FOUND for somebody who is not a member.
 */
export async function nameOperator(
  { database }: { database: Database },
  request: { merchantId: string; email: string; isOperator: boolean },
): Promise<Member> {
  const { merchantId, isOperator } = request;
  const email = canonicalEmail(request.email);
  const member = await database.member.findFirst({ where: { merchantId, email, removedAt: null } });
  if (!member) throw notFound('member');
  return await database.member.update({ where: { id: member.id }, data: { isOperator } });
}
