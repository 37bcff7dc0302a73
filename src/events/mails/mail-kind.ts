/**
 * The mails that the gateway sends about events, other than invoices, invitations and one-time passwords.
 *
 * - *Payer mails* go to a customer's address in the merchant's name. Each app switches them on one by one; none is sent by default.
 * - *Member mails* go to members of the merchant. Each member switches them on; none is sent by default.
 * - *Source*: what a mail is about: an event, or a name that the gateway assigns. There is at most one mail per source, kind and recipient.
 *
 * ```
 * QUEUED ──accepted by the mail server──► SENT
 *   │ ▲ a temporary failure, at most 8 tries
 *   ├──refused for good, or no try left──► FAILED
 *   └──recipient removed or unsubscribed──► CANCELLED
 * HELD ──counted in the member's summary──► SUMMARIZED
 *   └────recipient removed or unsubscribed──► CANCELLED
 * ```
 *
 * Authority: the mail server for whether a mail was accepted. A worker that is killed after that and before it is recorded sends the mail
 * again with the same Message-ID.
 */
export const payerMailKinds = ['RECEIPT', 'REFUND', 'RENEWAL_REMINDER', 'RENEWAL_FAILED', 'DISPUTE'] as const;
export type PayerMailKind = (typeof payerMailKinds)[number];

export const memberMailKinds = ['PAYMENT', 'DISPUTE', 'RENEWAL_FAILED', 'WEBHOOK_DISABLED', 'LOW_BALANCE'] as const;
export type MemberMailKind = (typeof memberMailKinds)[number];

export type MailKind = PayerMailKind | `MEMBER_${MemberMailKind}` | 'MEMBER_SUMMARY';
export const mailKinds: readonly MailKind[] = [
  ...payerMailKinds,
  ...memberMailKinds.map((kind) => `MEMBER_${kind}` as const),
  'MEMBER_SUMMARY',
];

export const mailLanguages = ['en', 'de'] as const;
export type MailLanguage = (typeof mailLanguages)[number];

export function isMailKind(text: string): text is MailKind {
  return mailKinds.some((kind) => kind === text);
}

export function isPayerMailKind(text: string): text is PayerMailKind {
  return payerMailKinds.some((kind) => kind === text);
}

/** The kind that a member switches on to receive a mail; null for mails to payers and for summaries. */
export function memberMailKindOf(kind: MailKind): MemberMailKind | null {
  return memberMailKinds.find((memberKind) => kind === `MEMBER_${memberKind}`) ?? null;
}

export function mailLanguageOf(text: string | null | undefined): MailLanguage | null {
  return mailLanguages.find((language) => language === text) ?? null;
}

/** Only members who operate the installation receive it, because the keys belong to no merchant. */
export function isForOperators(kind: MemberMailKind): boolean {
  return kind === 'LOW_BALANCE';
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The delays after each failed try but the last. */
const retryMs = [1, 5, 30].map((minutes) => minutes * MINUTE_MS).concat([2, 6, 12, 24].map((hours) => hours * HOUR_MS));

/** When a mail is sent again after `attempts` failed attempts; null if it has failed for good. */
export function nextTryAt(attempts: number, now: Date): Date | null {
  const delay = retryMs[attempts - 1];
  return delay === undefined ? null : new Date(now.getTime() + delay);
}

/** Mails that one member receives within an hour. Further ones are counted in a summary. */
export const MEMBER_MAILS_PER_HOUR = 10;
