import type { Database, Mail } from '../../../prisma/client.ts';
import type { MailCancellation } from './mail-error.ts';
import { isForOperators, isMailKind, memberMailKindOf } from './mail-kind.ts';

/**
 * Why a queued mail must not be sent any more: a member was removed or no longer operates the installation, or the recipient has since
 * switched off mails of its kind. Returns null for a mail that is still to be sent.
 */
export async function readCancellation(
  database: Database,
  { kind, memberId, appId, recipient }: Pick<Mail, 'kind' | 'memberId' | 'appId' | 'recipient'>,
): Promise<MailCancellation | null> {
  if (memberId !== null) return await ofMember(database, { memberId, kind });
  if (kind !== 'RENEWAL_REMINDER' || appId === null) return null;
  const appId_email = { appId, email: recipient.toLowerCase() };
  return (await database.mailOptOut.findUnique({ where: { appId_email } })) ? 'UNSUBSCRIBED' : null;
}

async function ofMember(
  database: Database,
  { memberId, kind }: { memberId: string; kind: string },
): Promise<MailCancellation | null> {
  const member = await database.member.findUnique({ where: { id: memberId }, include: { notifications: true } });
  if (!member || member.removedAt !== null || member.joinedAt === null) return 'RECIPIENT_REMOVED';
  const received = member.notifications?.kinds ?? [];
  if (kind === 'MEMBER_SUMMARY') return received.length === 0 ? 'UNSUBSCRIBED' : null;
  const memberKind = isMailKind(kind) ? memberMailKindOf(kind) : null;
  if (memberKind === null) return null;
  if (isForOperators(memberKind) && !member.isOperator) return 'RECIPIENT_REMOVED';
  return received.includes(memberKind) ? null : 'UNSUBSCRIBED';
}
