/** A mail as HTML and text, both printed from the same parts. The HTML loads nothing but the merchant's logo. */
import { mailLookOf } from '../../catalog/mail-look.ts';
import { type MailBlock, type MailLink, type MailRow, mailPage } from '../../platform/mail/mail-page.ts';
import { CALL_PRICE_DIGITS } from '../../prices/money.ts';
import type { MailContent } from './mail-content.ts';
import type { MailKind, MailLanguage } from './mail-kind.ts';
import { english } from './words/english.ts';
import { german } from './words/german.ts';
import type { MailFormat, MailText, MailWords } from './words/mail-words.ts';

/** The appearance of a merchant's mails, and the name under which they are sent. */
export type MailBrand = {
  name: string;
  /** #rrggbb; null for the default. */
  accentColor: string | null;
  /** Absolute; null without a logo. */
  logoUrl: string | null;
  /** The merchant's text in receipts. */
  receiptMessage: string | null;
  /** The merchant's text at the end of mails to payers. */
  footerText: string | null;
};

export type MailLinks = { action: string | null; unsubscribe: string | null };

export type PrintedMail = { subject: string; html: string; text: string };

const words: Record<MailLanguage, MailWords> = { en: english, de: german };

export function printMail(mail: {
  kind: MailKind;
  language: MailLanguage;
  content: MailContent;
  brand: MailBrand;
  links: MailLinks;
}): PrintedMail {
  const { kind, language, content, brand, links } = mail;
  const own = words[language];
  const format = formatOf(language);
  const text = own.text[kind](content, format);
  const isToMember = kind.startsWith('MEMBER_');
  const greeting = isToMember ? null : own.greeting(greetedName(content.customerName));
  const parts: Parts = {
    text: {
      ...text,
      title: oneLine(text.title),
      paragraphs:
        kind === 'RECEIPT' && brand.receiptMessage !== null
          ? [...text.paragraphs, oneLine(brand.receiptMessage)]
          : text.paragraphs,
    },
    greeting,
    rows: rowsOf(kind, { content, own, format }),
    action: text.action && links.action ? { label: text.action, url: links.action } : null,
    footer: [isToMember ? null : brand.footerText, own.footer(brand.name, isToMember)]
      .filter((line) => line !== null)
      .map(oneLine),
    unsubscribe: links.unsubscribe === null ? null : { label: own.unsubscribe, url: links.unsubscribe },
  };
  return { subject: oneLine(text.subject), html: printHtml(parts, { language, brand }), text: printText(parts) };
}

type Parts = {
  text: MailText;
  greeting: string | null;
  rows: readonly MailRow[];
  action: MailLink | null;
  footer: readonly string[];
  unsubscribe: MailLink | null;
};

/** More decimals than any token has. */
const TOKEN_DIGITS = 77;

function formatOf(language: MailLanguage): MailFormat {
  const locale = language === 'de' ? 'de-DE' : 'en-US';
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  const percent = new Intl.NumberFormat(locale, { style: 'unit', unit: 'percent' });
  const plain = new Intl.NumberFormat(locale, { maximumFractionDigits: TOKEN_DIGITS });
  const minute = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  return {
    money: ({ amount, currency }) =>
      // A string is formatted exactly, with all of its digits.
      new Intl.NumberFormat(locale, {
        style: 'currency',
        currency,
        minimumFractionDigits: 2,
        maximumFractionDigits: CALL_PRICE_DIGITS,
      }).format(amount as Intl.StringNumericLiteral),
    date: (instant) => day.format(new Date(instant)),
    time: (instant) => `${minute.format(new Date(instant))} UTC`,
    percent: (value) => percent.format(value as Intl.StringNumericLiteral),
    token: (text) => {
      const [, amount, symbol] = /^(\d+(?:\.\d+)?)( \S.*)?$/.exec(text) ?? [];
      return amount === undefined ? text : `${plain.format(amount as Intl.StringNumericLiteral)}${symbol ?? ''}`;
    },
  };
}

function rowsOf(
  kind: MailKind,
  { content, own, format }: { content: MailContent; own: MailWords; format: MailFormat },
): MailRow[] {
  const { labels } = own;
  const { money, token, transaction, at, lines = [] } = content;
  const isRenewal = kind.endsWith('RENEWAL_FAILED') || kind === 'RENEWAL_REMINDER';
  const rows: (MailRow | false | null | undefined | '')[] = [
    ...lines.map((line) => ({ label: line.text, value: format.money(line.money), isAmount: true })),
    content.plan !== undefined && { label: labels.plan, value: content.plan },
    money && { label: labels.amount, value: format.money(money), isAmount: true },
    token !== undefined && { label: kind === 'REFUND' ? labels.refunded : labels.paid, value: format.token(token) },
    content.chain !== undefined && { label: labels.network, value: content.chain },
    at !== undefined && {
      label: isRenewal ? labels.due : labels.date,
      value: isRenewal ? format.date(at) : format.time(at),
    },
    content.nextAttemptAt && { label: labels.nextAttempt, value: format.time(content.nextAttemptAt) },
    content.dispute &&
      content.dispute.step !== 'RESOLVED' && { label: labels.deadline, value: format.time(content.dispute.deadline) },
    content.reason && { label: labels.reason, value: content.reason },
    content.invoiceNumber && { label: labels.invoice, value: content.invoiceNumber },
    content.reference && { label: labels.reference, value: content.reference },
    transaction && { label: labels.transaction, value: transaction.hash, url: transaction.url },
    content.endpointUrl !== undefined && { label: labels.endpoint, value: content.endpointUrl },
    content.sender !== undefined && { label: labels.key, value: content.sender },
    content.balance !== undefined && { label: labels.balance, value: format.token(content.balance) },
  ];
  return rows
    .filter((row) => typeof row === 'object' && row !== null)
    .map((row) => ({ ...row, label: oneLine(row.label), value: oneLine(row.value) }));
}

function printText({ text, greeting, rows, action, footer, unsubscribe }: Parts): string {
  const table = rows.map(({ label, value, url }) => `${label}: ${value}${url ? `\n${url}` : ''}`).join('\n');
  const paragraphs = [
    text.title,
    greeting,
    ...text.paragraphs,
    table,
    action && `${action.label}:\n${action.url}`,
    ...(text.after ?? []),
    `-- \n${footer.join('\n')}${unsubscribe ? `\n${unsubscribe.label}: ${unsubscribe.url}` : ''}`,
  ];
  return `${paragraphs.filter(Boolean).join('\n\n')}\n`;
}

function printHtml(parts: Parts, { language, brand }: { language: MailLanguage; brand: MailBrand }): string {
  const { text, greeting, rows, action, footer, unsubscribe } = parts;
  const block = (text: string): MailBlock => ({ kind: 'text', text });
  const blocks: MailBlock[] = [
    ...(greeting === null ? [] : [greeting]).concat(text.paragraphs).map(block),
    { kind: 'rows', rows },
    ...(action === null ? [] : [{ kind: 'action', action } as const]),
    ...(text.after ?? []).map(block),
  ];
  const { subject, title } = text;
  return mailPage({ language, subject, title, look: mailLookOf(brand), blocks, footer, footerLink: unsubscribe });
}

const GREETED_NAME_LENGTH = 60;

/**
 * The name to greet a payer by; null for a greeting without one. A payer chooses both the name and the address, so a name must not carry a
 * message with a link to another person in the merchant's mail.
 */
function greetedName(name: string | null | undefined): string | null {
  // Mail programs also turn full-width letters into links.
  const plain = name?.normalize('NFKC') ?? '';
  const isMessage = /:\/\/|www\.|@|[\p{Cc}\p{Zl}\p{Zp}]/iu.test(plain) || [...plain].length > GREETED_NAME_LENGTH;
  return plain.trim() === '' || isMessage ? null : oneLine(name ?? '');
}

/** Names and reasons may contain anything, but a subject, a title and a row are one line each. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}
