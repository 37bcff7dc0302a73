/** The texts that the server prints, by language: its pages and its mails. */
import { liabilitiesWords } from '../../src/api/liabilities/liabilities-words.ts';
import { renewalWords } from '../../src/api/renewals/renewal-words.ts';
import { unsubscribeWords } from '../../src/api/serve-unsubscribe.ts';
import { invitationWords } from '../../src/auth/members/mail-invitation.ts';
import { codeWords } from '../../src/auth/one-time-password/mail-one-time-password.ts';
import { disputeSteps, type MailContent } from '../../src/events/mails/mail-content.ts';
import { mailKinds } from '../../src/events/mails/mail-kind.ts';
import { sampleContent } from '../../src/events/mails/sample-content.ts';
import { english } from '../../src/events/mails/words/english.ts';
import { german } from '../../src/events/mails/words/german.ts';
import type { MailFormat, MailWords } from '../../src/events/mails/words/mail-words.ts';
import { invoiceWords } from '../../src/invoices/page/invoice-words.ts';
import { renewalCauseCodes } from '../../src/subscriptions/renewal/renewal-cause.ts';

type Language = 'en' | 'de';
type Text = [where: string, text: string];

const now = new Date('2027-03-31T22:30:00Z');
const mails: Record<Language, MailWords> = { en: english, de: german };
const format: MailFormat = {
  money: () => '12.50',
  date: () => '2027-03-31',
  time: () => '2027-03-31 22:30',
  percent: () => '50 %',
  token: (text) => text,
};
const figures = { needed: '10 USDC', cap: '12 USDC', allowance: '3 USDC', balance: '1 USDC' };

export function serverTexts(language: Language): Text[] {
  const { cause, ...renewal } = renewalWords[language];
  return [
    ...mailTexts(mails[language]),
    ...flat(invoiceWords[language], 'invoice'),
    ...flat(renewal, 'renewal'),
    ...renewalCauseCodes.flatMap((code): Text[] => [
      [`renewal.cause.${code}`, cause(code, figures)],
      [`renewal.cause.${code}`, cause(code, null)],
    ]),
    ...flat(unsubscribeWords[language], 'unsubscribe'),
    ...flat(liabilitiesWords[language], 'liabilities'),
    ...flat(codeWords[language], 'code'),
    ...flat(invitationWords[language], 'invitation'),
  ];
}

/** Every kind of mail, for each cause, step and outcome that changes its text. */
function mailTexts({ text, labels, footer, ...rest }: MailWords): Text[] {
  const variants: Partial<MailContent>[] = [
    {},
    { isMetered: true },
    ...renewalCauseCodes.flatMap((cause) => [{ cause }, { cause, isPastDue: true }]),
    ...disputeSteps.map((step) => ({ dispute: disputeAt(step, 'OPEN') })),
    ...['RESOLVED_MERCHANT', 'RESOLVED_PAYER', 'RESOLVED_SPLIT'].map((status) => ({
      dispute: disputeAt('RESOLVED', status),
    })),
  ];
  const printed = mailKinds.flatMap((kind) =>
    variants.flatMap((variant) => {
      const content = { ...sampleContent(kind, { appName: 'Tea house', now }), ...variant };
      const { subject, title, paragraphs, action = '', after = [] } = text[kind](content, format);
      return [subject, title, ...paragraphs, action, ...after].map((text): Text => [`mail.${kind}`, text]);
    }),
  );
  const footers = [footer('Tea house', true), footer('Tea house', false)].map((text): Text => ['mail.footer', text]);
  return [...printed, ...flat(labels, 'mail.labels'), ...footers, ...flat(rest, 'mail')];
}

function disputeAt(step: (typeof disputeSteps)[number], status: string): NonNullable<MailContent['dispute']> {
  return { id: 'x', step, status, deadline: now.toISOString(), payerPercent: '50' };
}

/** Texts with blanks are functions, which take texts. */
function flat(value: unknown, path: string): Text[] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value === 'function') return [[path, String(value('5 X', '6 X', '7 X'))]];
  if (typeof value !== 'object' || value === null) throw new Error(`${path} is neither text nor a group.`);
  return Object.entries(value).flatMap(([key, inner]) => flat(inner, `${path}.${key}`));
}
