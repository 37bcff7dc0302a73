import type { Database, OneTimePasswordPurpose } from '../../../prisma/client.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Mail, Mailer } from '../../platform/mail/mail.ts';
import { mailPage, plainLook } from '../../platform/mail/mail-page.ts';
import { unseal } from '../../platform/secret-box.ts';
import type { SecretKeys } from '../tokens/secret-keys.ts';
import { CODE_SECONDS, isOpen } from './one-time-password.ts';

/** Mails a code while it is valid. Codes for the dashboard are mailed to members only, in the language that they chose for their mails. */
export async function mailOneTimePassword(
  world: { database: Database; clock: Clock; mailer: Mailer; secretKeys: SecretKeys },
  request: { requestId: string; sealedCode: string },
): Promise<void> {
  const password = await world.database.oneTimePassword.findUnique({ where: { id: request.requestId } });
  if (!password || !isOpen(password, world.clock.now())) return;
  const { email: to, purpose } = password;
  let language: MailLanguage = 'en';
  if (purpose === 'DASHBOARD') {
    const member = await world.database.member.findFirst({
      where: { email: to, removedAt: null },
      include: { notifications: { select: { language: true } } },
    });
    if (!member) return;
    if (member.notifications?.language === 'de') language = 'de';
  }
  await world.mailer.send({
    to,
    ...printPassword(unseal(world.secretKeys.mails, request.sealedCode), { language, purpose }),
  });
}

type MailLanguage = 'en' | 'de';
type CodeText = { subject: (code: string) => string; opening: string; sentence: (code: string) => string };
type CodeWords = Record<OneTimePasswordPurpose, CodeText> & { about: readonly string[] };

const minutes = CODE_SECONDS / 60;

/** The words of these mails by language. */
export const codeWords: Record<MailLanguage, CodeWords> = {
  en: {
    CARD: codeText('Your login code', (code) => `Your login code is ${code}.`),
    DASHBOARD: codeText('Your dashboard login code', (code) => `Your dashboard login code is ${code}.`),
    about: [
      `The code expires in ${minutes} minutes and can be used once.`,
      'Do not share this code with anyone. If you did not try to log in, you can ignore this email.',
    ],
  },
  de: {
    CARD: codeText('Ihr Anmeldecode', (code) => `Ihr Anmeldecode lautet ${code}.`),
    DASHBOARD: codeText(
      'Ihr Anmeldecode für das Dashboard',
      (code) => `Ihr Anmeldecode für das Dashboard lautet ${code}.`,
    ),
    about: [
      `Der Code läuft in ${minutes} Minuten ab und kann einmal verwendet werden.`,
      'Geben Sie diesen Code nicht weiter. Wenn Sie sich nicht anmelden wollten, können Sie diese E-Mail ignorieren.',
    ],
  },
};

function codeText(opening: string, sentence: CodeText['sentence']): CodeText {
  return { subject: (code) => `${opening}: ${code}`, opening, sentence };
}

function printPassword(
  code: string,
  { language, purpose }: { language: MailLanguage; purpose: OneTimePasswordPurpose },
): Omit<Mail, 'to'> {
  const { about, [purpose]: text } = codeWords[language];
  return {
    subject: text.subject(code),
    text: `${[text.sentence(code), ...about].join('\n\n')}\n`,
    html: mailPage({
      language,
      subject: text.opening,
      title: text.opening,
      look: plainLook,
      blocks: [{ kind: 'code', code }, ...about.map((line) => ({ kind: 'text', text: line }) as const)],
      footer: [],
    }),
  };
}
