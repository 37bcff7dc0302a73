import type { Database, MemberRole } from '../../../prisma/client.ts';
import type { Mailer } from '../../platform/mail/mail.ts';
import { mailPage, plainLook } from '../../platform/mail/mail-page.ts';

type InvitationWords = {
  subject: (merchant: string) => string;
  invited: (merchant: string) => string;
  role: Record<MemberRole, string>;
  how: (email: string) => string;
  action: string;
};

/** The words of invitations by language. */
export const invitationWords: Record<'en' | 'de', InvitationWords> = {
  en: {
    subject: (merchant) => `You are invited to ${merchant}`,
    invited: (merchant) => `You are invited to the payments dashboard of ${merchant}`,
    role: { OWNER: 'as owner', DEVELOPER: 'as developer', VIEWER: 'as viewer' },
    how: (email) => `Log in with your email address, ${email}:`,
    action: 'Open dashboard',
  },
  de: {
    subject: (merchant) => `Einladung zu ${merchant}`,
    invited: (merchant) => `Sie wurden zum Zahlungs-Dashboard von ${merchant} eingeladen`,
    role: { OWNER: 'als Inhaber', DEVELOPER: 'als Entwickler', VIEWER: 'mit Lesezugriff' },
    how: (email) => `Melden Sie sich mit Ihrer E-Mail-Adresse ${email} an:`,
    action: 'Dashboard öffnen',
  },
};

/** Sends the invitation mail. The mail grants no access; the person logs in with a one-time password. */
export async function mailInvitation(
  world: { database: Database; mailer: Mailer; config: { publicUrl: string } },
  request: { memberId: string },
): Promise<void> {
  const member = await world.database.member.findUnique({
    where: { id: request.memberId },
    include: { merchant: { select: { name: true } }, notifications: { select: { language: true } } },
  });
  if (!member || member.removedAt !== null || member.joinedAt !== null) return;
  const { name } = member.merchant;
  const language = member.notifications?.language === 'de' ? 'de' : 'en';
  const words = invitationWords[language];
  const link = `${world.config.publicUrl}/dashboard`;
  const sentence = `${words.invited(name)} ${words.role[member.role]}.`;
  const how = words.how(member.email);
  await world.mailer.send({
    to: member.email,
    subject: words.subject(name),
    text: `${sentence}\n\n${how}\n${link}\n`,
    html: mailPage({
      language,
      subject: words.subject(name),
      title: words.subject(name),
      look: { ...plainLook, name },
      blocks: [
        { kind: 'text', text: sentence },
        { kind: 'text', text: how },
        { kind: 'action', action: { label: words.action, url: link } },
      ],
      footer: [],
    }),
  });
}
