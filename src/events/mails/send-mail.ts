import { type Database, type Mail, Prisma } from '../../../prisma/client.ts';
import type { SecretKeys } from '../../auth/tokens/secret-keys.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { hasResponded, isRefusedForGood, type Mailer } from '../../platform/mail/mail.ts';
import { brandOf, ownBrand } from './mail-brand.ts';
import { mailContentSchema } from './mail-content.ts';
import { classifyMailError, type MailCancellation } from './mail-error.ts';
import { isMailKind, mailLanguageOf, nextTryAt } from './mail-kind.ts';
import { actionUrl, subscriberOf, unsubscribeUrl } from './mail-links.ts';
import { printMail } from './print-mail.ts';
import { readCancellation } from './read-cancellation.ts';

export type MailWorld = {
  database: Database;
  clock: Clock;
  log: Log;
  mailer: Mailer;
  config: { publicUrl: string };
  secretKeys: SecretKeys;
};

/** Maximum number of characters of a mail server's response in the log. */
const LOGGED_LENGTH = 500;

/**
 * Sends a QUEUED mail that this worker has leased, and records the outcome. A mail whose recipient has been removed or has unsubscribed
 * since it was queued is CANCELLED. A temporary failure is tried again, at most 8 times; a recipient or mail that the server refuses for
 * good, and the last try, make it FAILED. The mail server is called outside of any transaction. Returns false if the server was called
 * and has not responded.
 */
export async function sendMail(world: MailWorld, mail: Mail): Promise<boolean> {
  try {
    const cancellation = await readCancellation(world.database, mail);
    if (cancellation !== null) {
      await cancel(world, mail, cancellation);
      return true;
    }
    await world.mailer.send(await outgoing(world, mail));
  } catch (error) {
    await recordFailure(world, mail, error);
    return hasResponded(error);
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
  return true;
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

/** The call of this turn does not count as a try. */
async function cancel({ database, log }: MailWorld, mail: Mail, error: MailCancellation): Promise<void> {
  const { id: mailId, kind } = mail;
  log.info({ mailId, kind, error }, 'A mail was cancelled before it was sent.');
  await database.mail.updateMany({
    where: { id: mailId, status: 'QUEUED' },
    data: {
      status: 'CANCELLED',
      error,
      content: Prisma.DbNull,
      tries: { decrement: 1 },
      leasedUntil: null,
      nextTryAt: null,
    },
  });
}

async function recordFailure({ database, clock, log }: MailWorld, mail: Mail, error: unknown): Promise<void> {
  const now = clock.now();
  const text = (error instanceof Error ? error.message : String(error)).slice(0, LOGGED_LENGTH);
  const category = classifyMailError(error);
  const next = isRefusedForGood(error) ? null : nextTryAt(mail.tries, now);
  const { id: mailId, kind, tries } = mail;
  log.warn({ mailId, kind, tries, category, error: text, isFinal: next === null }, 'A mail could not be sent.');
  await database.mail.updateMany({
    where: { id: mailId, status: 'QUEUED' },
    data: {
      error: category,
      leasedUntil: null,
      nextTryAt: next,
      ...(next === null ? { status: 'FAILED', content: Prisma.DbNull } : {}),
    },
  });
}
