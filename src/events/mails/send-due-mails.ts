import { type Database, type Mail, transaction } from '../../../prisma/client.ts';
import { inParallel } from '../../chains/in-parallel.ts';
import { addJob } from '../../platform/jobs.ts';
import { SEND_LATER, sendMailsJob } from './jobs.ts';
import { type MailWorld, sendMail } from './send-mail.ts';

/** Mails that are leased and sent together. */
const TOGETHER = 4;
/** Longer than the mail server's timeouts together, so that two workers never send one mail at once. */
const LEASE_MS = 60_000;
/** How long one job sends before it yields to other jobs. */
const TURN_MS = 20_000;
/** How long nothing is sent after the mail server has not responded. */
const SILENCE_MS = 60_000;

export type MailSender = { turn(): Promise<void> };

/**
 * Sends due mails, oldest first, a few at a time. While a turn runs in this process, another call only makes it look again. If the mail
 * server does not respond, the turn ends, and the next one begins a minute later; mails that were not tried keep their number of tries. A
 * mail whose sender was killed is sent again with the same Message-ID once its lease has expired.
 */
export function openMailSender(world: MailWorld): MailSender {
  let isRunning = false;
  let isAskedAgain = false;
  return {
    async turn() {
      isAskedAgain = true;
      if (isRunning) return;
      isRunning = true;
      let isSilent = false;
      try {
        const until = performance.now() + TURN_MS;
        while (isAskedAgain && !isSilent) {
          isAskedAgain = false;
          const mails = await leaseDue(world);
          const responded = await inParallel(TOGETHER, mails, (mail) => sendMail(world, mail));
          isSilent = mails.length > 0 && !responded.includes(true);
          isAskedAgain ||= mails.length > 0 && performance.now() < until;
        }
      } finally {
        isRunning = false;
      }
      await scheduleNext(world, { isSilent });
    },
  };
}

async function leaseDue({ database, clock }: MailWorld): Promise<Mail[]> {
  return await transaction(database, async (tx) => {
    const now = clock.now();
    const due = await tx.$queryRaw<{ id: string }[]>`
      SELECT id FROM mail
      WHERE status = 'QUEUED' AND (next_try_at IS NULL OR next_try_at <= ${now}) AND (leased_until IS NULL OR leased_until <= ${now})
      ORDER BY created_at LIMIT ${TOGETHER} FOR UPDATE SKIP LOCKED`;
    if (due.length === 0) return [];
    const leasedUntil = new Date(now.getTime() + LEASE_MS);
    return await tx.mail.updateManyAndReturn({
      where: { id: { in: due.map(({ id }) => id) } },
      data: { leasedUntil, tries: { increment: 1 } },
    });
  });
}

/** Schedules the next turn for the first mail that is due later. */
async function scheduleNext({ database, clock }: MailWorld, { isSilent }: { isSilent: boolean }): Promise<void> {
  const next = await nextDueAt(database);
  if (next === null) return;
  const earliest = new Date(clock.now().getTime() + (isSilent ? SILENCE_MS : 0));
  const runAt = next > earliest ? next : earliest;
  await transaction(database, (tx) => addJob(tx, sendMailsJob, {}, { key: SEND_LATER, runAt }));
}

async function nextDueAt(database: Database): Promise<Date | null> {
  const [row] = await database.$queryRaw<{ at: Date | null }[]>`
    SELECT min(greatest(created_at, next_try_at, leased_until)) AS at FROM mail WHERE status = 'QUEUED'`;
  return row?.at ?? null;
}

/** Schedules a turn if mails are overdue and no job is waiting for them. Covers jobs that were lost or failed too often. */
export async function sweepMails({ database, clock }: Pick<MailWorld, 'database' | 'clock'>): Promise<void> {
  const overdue = new Date(clock.now().getTime() - 2 * SILENCE_MS);
  const next = await nextDueAt(database);
  if (next === null || next > overdue) return;
  const [row] = await database.$queryRaw<{ exist: boolean }[]>`
    SELECT EXISTS (SELECT FROM graphile_worker.jobs
      WHERE task_identifier = ${sendMailsJob.name} AND attempts < max_attempts) AS exist`;
  if (row?.exist) return;
  await transaction(database, (tx) => addJob(tx, sendMailsJob, {}, { key: SEND_LATER, runAt: clock.now() }));
}
