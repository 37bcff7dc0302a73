import { type MailLook, mailCards, plainLook } from '../platform/mail/mail-page.ts';
import { readableAccent } from './accent.ts';

/** How an app's mails look. `accentColor` is adjusted until it is readable; the default applies for anything but #rrggbb. */
export function mailLookOf(brand: { name: string; accentColor: string | null; logoUrl: string | null }): MailLook {
  const { name, accentColor, logoUrl } = brand;
  const on = (card: keyof typeof mailCards) =>
    (accentColor === null ? undefined : readableAccent(accentColor, mailCards[card])) ?? plainLook[card];
  return { name, logoUrl, light: on('light'), dark: on('dark') };
}
