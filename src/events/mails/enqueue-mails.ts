import type { DatabaseTransaction, Prisma } from '../../../prisma/client.ts';
import { newId } from '../../platform/identifier.ts';
import { addJob, addJobs } from '../../platform/jobs.ts';
import { SEND_NOW, sendMailsJob, summarizeMailsJob, summaryKey } from './jobs.ts';
import type { MailContent } from './mail-content.ts';
import { type MailKind, type MailLanguage, MEMBER_MAILS_PER_HOUR } from './mail-kind.ts';

export type NewMail = {
  appId: string | null;
  /** The member who receives it; null for a payer or the operator's address. */
  memberId: string | null;
  source: string;
  kind: MailKind;
  recipient: string;
  language: MailLanguage;
  resourceId: string | null;
  content: MailContent;
};

const HOUR_MS = 3_600_000;

/**
 * Queues mails that are not queued yet, and the job that sends them. A member's mails beyond 10 in an hour are held for a summary, which
 * is sent an hour after the first of them. Idempotent by source, kind and recipient.
 */
export async function enqueueMails(
  tx: DatabaseTransaction,
  { mails, now }: { mails: readonly NewMail[]; now: Date },
): Promise<void> {
  if (mails.length === 0) return;
  const capacity = await capacityOf(tx, { mails, now });
  const rows = (await unknownOf(tx, mails)).map((mail) => {
    const remaining = mail.memberId === null ? 1 : (capacity.get(mail.memberId) ?? 0);
    if (mail.memberId !== null) capacity.set(mail.memberId, remaining - 1);
    const status = remaining > 0 ? ('QUEUED' as const) : ('HELD' as const);
    return { id: newId(), ...mail, content: mail.content as Prisma.InputJsonObject, status, createdAt: now };
  });
  if (rows.length === 0) return;
  const made = await tx.mail.createManyAndReturn({
    data: rows,
    skipDuplicates: true,
    select: { id: true, status: true, memberId: true },
  });
  if (made.some(({ status }) => status === 'QUEUED')) await addJob(tx, sendMailsJob, {}, { key: SEND_NOW, runAt: now });
  const held = new Set(made.flatMap(({ status, memberId }) => (status === 'HELD' && memberId ? [memberId] : [])));
  await scheduleSummaries(tx, { memberIds: [...held], now });
}

/** How many more mails each member may receive within the hour. Locks the members' settings, so that no two count at once. */
async function capacityOf(
  tx: DatabaseTransaction,
  { mails, now }: { mails: readonly NewMail[]; now: Date },
): Promise<Map<string, number>> {
  const ids = [...new Set(mails.flatMap(({ memberId }) => memberId ?? []))].sort();
  if (ids.length === 0) return new Map();
  await tx.$queryRaw`SELECT 1 FROM member_notifications WHERE member_id = ANY(${ids}::uuid[]) ORDER BY member_id FOR UPDATE`;
  const counts = await tx.mail.groupBy({
    by: ['memberId'],
    where: {
      memberId: { in: ids },
      status: { in: ['QUEUED', 'SENT', 'FAILED'] },
      kind: { not: 'MEMBER_SUMMARY' },
      createdAt: { gt: new Date(now.getTime() - HOUR_MS) },
    },
    _count: true,
  });
  const counted = new Map(counts.map(({ memberId, _count }) => [memberId, _count]));
  return new Map(ids.map((id) => [id, Math.max(0, MEMBER_MAILS_PER_HOUR - (counted.get(id) ?? 0))]));
}

async function unknownOf(tx: DatabaseTransaction, mails: readonly NewMail[]): Promise<NewMail[]> {
  const known = await tx.mail.findMany({
    where: { source: { in: [...new Set(mails.map(({ source }) => source))] } },
    select: { source: true, kind: true, recipient: true },
  });
  const keyOf = ({ source, kind, recipient }: { source: string; kind: string; recipient: string }) =>
    JSON.stringify([source, kind, recipient]);
  const keys = new Set(known.map(keyOf));
  return mails.filter((mail) => !keys.has(keyOf(mail)));
}

/** Leaves a summary that is scheduled already at its time. */
async function scheduleSummaries(
  tx: DatabaseTransaction,
  { memberIds, now }: { memberIds: readonly string[]; now: Date },
): Promise<void> {
  if (memberIds.length === 0) return;
  const waiting = await tx.$queryRaw<{ key: string }[]>`
    SELECT key FROM graphile_worker.jobs
    WHERE key = ANY(${memberIds.map(summaryKey)}) AND locked_at IS NULL AND attempts < max_attempts`;
  const known = new Set(waiting.map(({ key }) => key));
  await addJobs(
    tx,
    summarizeMailsJob,
    memberIds
      .filter((id) => !known.has(summaryKey(id)))
      .map((memberId) => ({
        payload: { memberId },
        key: summaryKey(memberId),
        runAt: new Date(now.getTime() + HOUR_MS),
      })),
  );
}
