import { type Database, type Mail, Prisma } from '../../../prisma/client.ts';
import type { SecretKeys } from '../../auth/tokens/secret-keys.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { hasResponded, isRefusedForGood, type Mailer } from '../../platform/mail.ts';
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

const ERROR_LENGTH = 500;

/**
 * Sends a QUEUED mail that this worker has leased, and records the outcome. A temporary failure is tried again, at most 8 times; a
 * recipient or mail that the server refuses for good, and the last try, make it FAILED. The mail server is called outside of any
 * transaction. Returns whether the server has responded at all.
 */
export async function sendMail(world: MailWorld, mail: Mail): Promise<boolean> {
  try {
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

async function recordFailure({ database, clock, log }: MailWorld, mail: Mail, error: unknown): Promise<void> {
  const now = clock.now();
  const text = (error instanceof Error ? error.message : String(error)).slice(0, ERROR_LENGTH);
  const next = isRefusedForGood(error) ? null : nextTryAt(mail.tries, now);
  const { id: mailId, kind, tries } = mail;
  log.warn({ mailId, kind, tries, error: text, isFinal: next === null }, 'A mail could not be sent.');
  await database.mail.updateMany({
    where: { id: mailId, status: 'QUEUED' },
    data: {
      error: text,
      leasedUntil: null,
      nextTryAt: next,
      ...(next === null ? { status: 'FAILED', content: Prisma.DbNull } : {}),
    },
  });
}
