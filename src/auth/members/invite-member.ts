import type { Database, DatabaseTransaction, Member } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { IdempotencyRequest } from '../../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../../platform/idempotency/idempotently.ts';
import { newId } from '../../platform/identifier.ts';
import { addJob } from '../../platform/jobs.ts';
import { recordAction } from '../audit/record-action.ts';
import { canonicalEmail } from '../one-time-password/one-time-password.ts';
import { mailInvitationJob } from './jobs.ts';
import { MEMBERS_LIMIT, type MemberRole } from './member.ts';

type InviteMemberRequest = {
  merchantId: string;
  email: string;
  role: MemberRole;
  idempotency?: IdempotencyRequest | undefined;
};

/**
 * Invites a person to a merchant's dashboard, changes the role of a member, or restores a removed member, and enqueues a mail about it. A
 * replay returns the member as the first call left it and sends no mail. Throws CONFLICT if the merchant would lose its last owner or has
 * too many members.
 */
export async function inviteMember(
  world: { database: Database; clock: Clock },
  request: InviteMemberRequest,
): Promise<Member> {
  const { idempotency } = request;
  return await idempotently(world.database, idempotency, (write) =>
    write((tx) => invite(tx, { ...request, now: world.clock.now() })),
  );
}

async function invite(tx: DatabaseTransaction, request: InviteMemberRequest & { now: Date }): Promise<Member> {
  const { merchantId, role, now } = request;
  const email = canonicalEmail(request.email);
  await tx.$queryRaw`SELECT id FROM merchant WHERE id = ${merchantId}::uuid FOR UPDATE`;
  const members = await tx.member.findMany({ where: { merchantId } });
  const known = members.find((member) => member.email === email);
  const isLastOwner =
    known?.role === 'OWNER' &&
    known.removedAt === null &&
    !members.some((other) => other.id !== known.id && other.role === 'OWNER' && other.removedAt === null);
  if (isLastOwner && role !== 'OWNER') throw lastOwner();
  if (!known && members.length >= MEMBERS_LIMIT) {
    throw new GatewayError('CONFLICT', `A merchant has at most ${MEMBERS_LIMIT} members.`);
  }
  const member = await tx.member.upsert({
    where: { merchantId_email: { merchantId, email } },
    create: { id: newId(), merchantId, email, role, invitedAt: now },
    update: { role, removedAt: null, ...(known?.removedAt ? { invitedAt: now, joinedAt: null } : {}) },
  });
  if (member.joinedAt === null)
    await addJob(tx, mailInvitationJob, { memberId: member.id }, { key: `invite:${member.id}` });
  await recordInvitation(tx, { known, member });
  return member;
}

/** Inviting a member again without a change sends another mail and records nothing. */
async function recordInvitation(
  tx: DatabaseTransaction,
  { known, member }: { known: Member | undefined; member: Member },
): Promise<void> {
  const record = { owner: { merchantId: member.merchantId }, target: { type: 'Member', id: member.id } } as const;
  const after = { email: member.email, role: member.role };
  if (!known || known.removedAt !== null) {
    await recordAction(tx, { ...record, action: 'member.invited', after });
  } else if (known.role !== member.role) {
    const before = { email: known.email, role: known.role };
    await recordAction(tx, { ...record, action: 'member.role_changed', before, after });
  }
}

export function lastOwner(): GatewayError {
  return new GatewayError('CONFLICT', 'A merchant must have at least one owner.');
}
