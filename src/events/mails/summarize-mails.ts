import { type Database, Prisma, transaction } from '../../../prisma/client.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/identifier.ts';
import { addJob } from '../../platform/jobs.ts';
import { SEND_NOW, sendMailsJob } from './jobs.ts';
import { mailLanguageOf } from './mail-kind.ts';

/** Queues one mail that counts everything held for a member, and marks those SUMMARIZED. Does nothing if nothing is held. */
export async function summarizeMails(
  { database, clock }: { database: Database; clock: Clock },
  { memberId }: { memberId: string },
): Promise<void> {
  await transaction(database, async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM member_notifications WHERE member_id = ${memberId}::uuid FOR UPDATE`;
    const groups = await tx.mail.groupBy({ by: ['kind'], where: { memberId, status: 'HELD' }, _count: true });
    if (groups.length === 0) return;
    const member = await tx.member.findUniqueOrThrow({ where: { id: memberId }, include: { notifications: true } });
    await tx.mail.updateMany({
      where: { memberId, status: 'HELD' },
      data: { status: 'SUMMARIZED', content: Prisma.DbNull },
    });
    if (member.removedAt !== null) return;
    const now = clock.now();
    const id = newId();
    const counts = Object.fromEntries(groups.map(({ kind, _count }) => [kind, _count]));
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
