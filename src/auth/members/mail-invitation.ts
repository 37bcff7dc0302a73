import type { Database } from '../../../prisma/client.ts';
import { escapeHtml, type Mailer } from '../../platform/mail.ts';

/** Sends the invitation mail. The mail grants no access; the person logs in with a one-time password. */
export async function mailInvitation(
  world: { database: Database; mailer: Mailer; config: { publicUrl: string } },
  request: { memberId: string },
): Promise<void> {
  const member = await world.database.member.findUnique({
    where: { id: request.memberId },
    include: { merchant: { select: { name: true } } },
  });
  if (!member || member.removedAt !== null || member.joinedAt !== null) return;
  const { name } = member.merchant;
  const link = `${world.config.publicUrl}/dashboard`;
  const sentence = `You are invited to the payments of ${name}, as ${member.role.toLowerCase()}.`;
  const how = `Log in with this mail address, ${member.email}:`;
  await world.mailer.send({
    to: member.email,
    subject: `You are invited to ${name}`,
    text: `${sentence}\n\n${how}\n${link}\n`,
    html: `<p>${escapeHtml(sentence)}</p>\n<p>${escapeHtml(how)} <a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p>\n`,
  });
}
