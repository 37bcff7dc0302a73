import { type Database, type Mail, Prisma, transaction } from '../../../prisma/client.ts';
import type { SecretKeys } from '../../auth/tokens/secret-keys.ts';
import type { Clock } from '../../platform/clock.ts';
import { addJob } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import { isRefusedForGood, type Mailer } from '../../platform/mail.ts';
import { mailKey, sendMailJob } from './jobs.ts';
import { brandOf, ownBrand } from './mail-brand.ts';
import { mailContentSchema } from './mail-content.ts';
import { isMailKind, mailLanguageOf, nextTryAt } from './mail-kind.ts';
import { actionUrl, subscriberOf, unsubscribeUrl } from './mail-links.ts';
import { printMail } from './print-mail.ts';

export type MailWorld = {
  database: Database;
  clock: Clock;
  log: Log;
  mailer: Mailer;
  config: { publicUrl: string };
  secretKeys: SecretKeys;
};

/** Longer than the mail server's timeouts together, so that two workers never send one mail at once. */
const LEASE_MS = 60_000;
const ERROR_LENGTH = 500;

/**
 * Sends a QUEUED mail and records the outcome. A temporary failure schedules the next of at most 8 tries; a recipient or mail that the
 * server refuses for good, and the last try, make it FAILED. The mail server is called outside of any transaction. A mail whose sender
 * was killed is sent again with the same Message-ID once its lease has expired.
 */
export async function sendMail(world: MailWorld, { mailId }: { mailId: string }): Promise<void> {
  const mail = await lease(world, mailId);
  if (!mail) return;
  try {
    await world.mailer.send(await outgoing(world, mail));
  } catch (error) {
    await recordFailure(world, mail, error);
    return;
  }
  await world.database.mail.updateMany({
    where: { id: mail.id, status: 'QUEUED' },
    data: {
      status: 'SENT',
      sentAt: world.clock.now(),
      content: Prisma.DbNull,
      error: null,
      leasedUntil: null,
      nextTryAt: null,
    },
  });
}

/** Takes the mail for this worker. If another one has it, it is looked at again when that lease expires. */
async function lease({ database, clock }: MailWorld, id: string): Promise<Mail | null> {
  return await transaction(database, async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM mail WHERE id = ${id}::uuid FOR UPDATE`;
    const mail = await tx.mail.findUnique({ where: { id } });
    if (mail?.status !== 'QUEUED') return null;
    const now = clock.now();
    if (mail.leasedUntil !== null && mail.leasedUntil > now) {
      await addJob(tx, sendMailJob, { mailId: id }, { key: mailKey(id), runAt: mail.leasedUntil });
      return null;
    }
    const leasedUntil = new Date(now.getTime() + LEASE_MS);
    return await tx.mail.update({ where: { id }, data: { leasedUntil, tries: { increment: 1 } } });
  });
}

async function outgoing(world: MailWorld, mail: Mail) {
  const { kind } = mail;
  if (!isMailKind(kind)) throw new Error(`No such kind of mail: ${kind}`);
  const content = mailContentSchema.parse(mail.content);
  const app =
    mail.appId && (await world.database.app.findUnique({ where: { id: mail.appId }, include: { mailSettings: true } }));
  const brand = app ? brandOf(world, app) : ownBrand;
  const subscriber = subscriberOf(kind, { memberId: mail.memberId, content });
  const unsubscribe = subscriber === null ? null : unsubscribeUrl(world, subscriber);
  const links = { action: actionUrl(world, kind, content), unsubscribe };
  const printed = printMail({ kind, language: mailLanguageOf(mail.language) ?? 'en', content, brand, links });
  const isToPayer = !kind.startsWith('MEMBER_');
  return {
    to: mail.recipient,
    ...printed,
    messageId: `<${mail.id}@${new URL(world.config.publicUrl).hostname}>`,
    ...(isToPayer && app ? { fromName: brand.name, replyTo: app.mailSettings?.replyTo ?? undefined } : {}),
    ...(unsubscribe === null ? {} : { unsubscribeUrl: unsubscribe }),
  };
}

async function recordFailure({ database, clock, log }: MailWorld, mail: Mail, error: unknown): Promise<void> {
  const now = clock.now();
  const text = (error instanceof Error ? error.message : String(error)).slice(0, ERROR_LENGTH);
  const next = isRefusedForGood(error) ? null : nextTryAt(mail.tries, now);
  const { id: mailId, kind, tries } = mail;
  log.warn({ mailId, kind, tries, error: text, isFinal: next === null }, 'A mail could not be sent.');
  await transaction(database, async (tx) => {
    await tx.mail.updateMany({
      where: { id: mailId, status: 'QUEUED' },
      data: {
        error: text,
        leasedUntil: null,
        nextTryAt: next,
        ...(next === null ? { status: 'FAILED', content: Prisma.DbNull } : {}),
      },
    });
    if (next !== null) await addJob(tx, sendMailJob, { mailId }, { key: mailKey(mailId), runAt: next });
  });
}
