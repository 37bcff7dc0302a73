import { type Database, Prisma, transaction } from '../../../prisma/client.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/identifier.ts';
import { addJob } from '../../platform/jobs.ts';
import { SEND_NOW, sendMailsJob } from './jobs.ts';
import type { MailCancellation } from './mail-error.ts';
import { isMailKind, mailLanguageOf, memberMailKindOf } from './mail-kind.ts';

/**
 * Queues one mail that counts what is held for a member, and marks those mails SUMMARIZED. Mails of kinds that the member has switched
 * off since, and all mails of a member who was removed, are CANCELLED and not counted. Does nothing if nothing is held.
 */
export async function summarizeMails(
  { database, clock }: { database: Database; clock: Clock },
  { memberId }: { memberId: string },
): Promise<void> {
  await transaction(database, async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM member_notifications WHERE member_id = ${memberId}::uuid FOR UPDATE`;
    const groups = await tx.mail.groupBy({ by: ['kind'], where: { memberId, status: 'HELD' }, _count: true });
    if (groups.length === 0) return;
    const member = await tx.member.findUniqueOrThrow({ where: { id: memberId }, include: { notifications: true } });
    const isGone = member.removedAt !== null;
    const received = isGone ? [] : (member.notifications?.kinds ?? []);
    const counted = groups.filter(({ kind }) => isReceived(received, kind));
    await tx.mail.updateMany({
      where: { memberId, status: 'HELD', kind: { in: counted.map(({ kind }) => kind) } },
      data: { status: 'SUMMARIZED', content: Prisma.DbNull },
    });
    await tx.mail.updateMany({
      where: { memberId, status: 'HELD' },
      data: {
        status: 'CANCELLED',
        error: (isGone ? 'RECIPIENT_REMOVED' : 'UNSUBSCRIBED') satisfies MailCancellation,
        content: Prisma.DbNull,
      },
    });
    if (counted.length === 0) return;
    const now = clock.now();
    const id = newId();
    const counts = Object.fromEntries(counted.map(({ kind, _count }) => [kind, _count]));
    await tx.mail.create({
      data: {
        id,
        memberId,
        source: `summary:${id}`,
        kind: 'MEMBER_SUMMARY',
        recipient: member.email,
        language: mailLanguageOf(member.notifications?.language) ?? 'en',
        content: { appName: null, counts },
        createdAt: now,
      },
    });
    await addJob(tx, sendMailsJob, {}, { key: SEND_NOW, runAt: now });
  });
}

function isReceived(received: readonly string[], kind: string): boolean {
  const memberKind = isMailKind(kind) ? memberMailKindOf(kind) : null;
  return memberKind !== null && received.includes(memberKind);
}
