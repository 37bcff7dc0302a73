import type { Database, OneTimePasswordPurpose } from '../../../prisma/client.ts';
import type { Clock } from '../../platform/clock.ts';
import { escapeHtml, type Mail, type Mailer } from '../../platform/mail.ts';
import { unseal } from '../../platform/secret-box.ts';
import type { SecretKeys } from '../tokens/secret-keys.ts';
import { CODE_SECONDS, isOpen } from './one-time-password.ts';

/** Mails a code while it is valid. Codes for the dashboard are mailed to members only. */
export async function mailOneTimePassword(
  world: { database: Database; clock: Clock; mailer: Mailer; secretKeys: SecretKeys },
  request: { requestId: string; sealedCode: string },
): Promise<void> {
  const password = await world.database.oneTimePassword.findUnique({ where: { id: request.requestId } });
  if (!password || !isOpen(password, world.clock.now())) return;
  const { email: to, purpose } = password;
  if (purpose === 'DASHBOARD') {
    const member = await world.database.member.findFirst({ where: { email: to, removedAt: null } });
    if (!member) return;
  }
  await world.mailer.send({ to, ...printPassword(unseal(world.secretKeys.mails, request.sealedCode), purpose) });
}

const openings = {
  CARD: 'Your login code',
  DASHBOARD: 'Your dashboard login code',
} as const satisfies Record<OneTimePasswordPurpose, string>;

function printPassword(code: string, purpose: OneTimePasswordPurpose): Omit<Mail, 'to'> {
  const opening = openings[purpose];
  const rest = [
    `It is good for ${CODE_SECONDS / 60} minutes and for one login.`,
    'Nobody will ever ask you for it. If you did not ask for it, ignore this mail.',
  ];
  const shown = `<p style="font-size:28px;letter-spacing:4px;font-family:monospace"><strong>${escapeHtml(code)}</strong></p>`;
  return {
    subject: `${opening}: ${code}`,
    text: `${[`${opening} is ${code}.`, ...rest].join('\n\n')}\n`,
    html: `<p>${escapeHtml(opening)}:</p>\n${shown}\n${rest.map((text) => `<p>${escapeHtml(text)}</p>`).join('\n')}\n`,
  };
}
