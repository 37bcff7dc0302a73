import type { Database, DatabaseTransaction, Member } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import { newId } from '../../platform/identifier.ts';
import { recordAction } from '../audit/record-action.ts';
import type { RequestLimits } from '../one-time-password/one-time-password.ts';
import { spendOneTimePassword } from '../one-time-password/spend-one-time-password.ts';
import { type IssuedToken, issueToken, type TokenWorld } from '../tokens/issue-token.ts';
import type { SecretKeys } from '../tokens/secret-keys.ts';
import { tokenSeconds } from '../tokens/token.ts';

export type Login = { issued: IssuedToken; member: Member };

/**
 * Logs a member in with a one-time password. With the first login, the member joins. `merchantId` is required if the person is a member of
 * several merchants. Throws AUTHENTICATION_ERROR for an invalid code and for anyone who is not a member (any more), and CONFLICT if
 * `merchantId` is missing; the code then remains valid, and `details` lists the merchants.
 */
export async function logIn(
  world: TokenWorld & {
    database: Database;
    secretKeys: SecretKeys;
    config: { publicUrl: string; passwordLimits: RequestLimits };
  },
  request: { requestId: string; code: string; merchantId?: string | null | undefined },
): Promise<Login> {
  const now = world.clock.now();
  const expiresAt = new Date(now.getTime() + tokenSeconds.dashboard * 1000);
  const { requestId, code } = request;
  const { member, sessionId } = await spendOneTimePassword(
    world,
    { purpose: 'DASHBOARD', requestId, code },
    async (tx, email) => {
      const chosen = await chooseMember(tx, { email, merchantId: request.merchantId ?? null });
      const joined = await tx.member.update({ where: { id: chosen.id }, data: { joinedAt: chosen.joinedAt ?? now } });
      const session = await tx.memberSession.create({
        data: { id: newId(), memberId: joined.id, expiresAt, createdAt: now },
      });
      const { id, merchantId } = joined;
      await recordAction(tx, {
        action: 'member.logged_in',
        owner: { merchantId },
        target: { type: 'Member', id },
        actor: { kind: 'MEMBER', id, merchantId, appId: null },
      });
      return { member: joined, sessionId: session.id };
    },
  );
  const issued = await issueToken(world, { subject: { audience: 'dashboard', memberId: member.id, sessionId } });
  return { issued, member };
}

async function chooseMember(
  tx: DatabaseTransaction,
  request: { email: string; merchantId: string | null },
): Promise<Member> {
  const members = await tx.member.findMany({
    where: { email: request.email, removedAt: null, ...(request.merchantId ? { merchantId: request.merchantId } : {}) },
    include: { merchant: { select: { name: true } } },
    orderBy: { id: 'asc' },
  });
  const [only] = members;
  if (!only) throw new GatewayError('AUTHENTICATION_ERROR', 'The code is wrong, used or expired.');
  if (members.length === 1) return only;
  throw new GatewayError('CONFLICT', 'You are a member of several merchants. Specify one with merchantId.', {
    param: 'merchantId',
    details: members.map((one) => ({ param: 'merchantId', message: `${one.merchantId} is ${one.merchant.name}` })),
  });
}
