/** A mail as HTML and text, both printed from the same parts. The HTML loads nothing but the merchant's logo. */
import { readableAccent } from '../../catalog/accent.ts';
import { escapeHtml } from '../../platform/mail.ts';
import { CALL_PRICE_DIGITS } from '../../prices/money.ts';
import type { MailContent } from './mail-content.ts';
import type { MailKind, MailLanguage } from './mail-kind.ts';
import { english } from './words/english.ts';
import { german } from './words/german.ts';
import type { MailFormat, MailText, MailWords } from './words/mail-words.ts';

/** How a merchant's mails look, and the name that they are sent in. */
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
const DEFAULT_ACCENT = '#1f5eff';
const LIGHT_CARD = '#ffffff';
const DARK_CARD = '#1f2228';

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

type Row = { label: string; value: string; url?: string | null };
type Link = { label: string; url: string };
type Parts = {
  text: MailText;
  greeting: string | null;
  rows: readonly Row[];
  action: Link | null;
  footer: readonly string[];
  unsubscribe: Link | null;
};

function formatOf(language: MailLanguage): MailFormat {
  const locale = language === 'de' ? 'de-DE' : 'en-US';
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  const percent = new Intl.NumberFormat(locale, { style: 'unit', unit: 'percent' });
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
  };
}

function rowsOf(
  kind: MailKind,
  { content, own, format }: { content: MailContent; own: MailWords; format: MailFormat },
): Row[] {
  const { labels } = own;
  const { money, token, transaction, at, lines = [] } = content;
  const isRenewal = kind.endsWith('RENEWAL_FAILED') || kind === 'RENEWAL_REMINDER';
  const rows: (Row | false | null | undefined | '')[] = [
    ...lines.map((line) => ({ label: line.text, value: format.money(line.money) })),
    content.plan !== undefined && { label: labels.plan, value: content.plan },
    money && { label: labels.amount, value: format.money(money) },
    token !== undefined && { label: kind === 'REFUND' ? labels.refunded : labels.paid, value: token },
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
    content.balance !== undefined && { label: labels.balance, value: content.balance },
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
  const [light, dark] = [LIGHT_CARD, DARK_CARD].map((card) => shadeOn(brand.accentColor, card));
  const logo =
    brand.logoUrl === null
      ? ''
      : `<img src="${escapeHtml(brand.logoUrl)}" alt="" height="40" style="display:block;height:40px;max-width:200px;margin-bottom:8px">`;
  const paragraph = (said: string) => `<p style="margin:0 0 16px">${escapeHtml(said).replaceAll('\n', '<br>')}</p>`;
  const row = ({ label, value, url }: Row) => {
    const shown = escapeHtml(value);
    const cell = url ? `<a href="${escapeHtml(url)}" style="color:inherit">${shown}</a>` : shown;
    return `<tr><td class="quiet" style="padding:6px 16px 6px 0;vertical-align:top;color:#5c6370">${escapeHtml(label)}</td><td style="padding:6px 0;text-align:right;word-break:break-word">${cell}</td></tr>`;
  };
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(text.subject)}</title>
<style>:root{color-scheme:light dark}@media (prefers-color-scheme:dark){.page{background:#15171b!important}.card{background:${DARK_CARD}!important;color:#eceef2!important}.quiet{color:#a7adb8!important}.card{border-top-color:${dark?.accent}!important}.action{background:${dark?.accent}!important;color:${dark?.onAccent}!important}}</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f3f4f6">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f3f4f6"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;background:${LIGHT_CARD};color:#16181d;border-top:4px solid ${light?.accent};font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:15px;line-height:1.5"><tr><td style="padding:24px">
${logo}<p style="margin:0 0 16px;font-weight:600">${escapeHtml(brand.name)}</p>
<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3">${escapeHtml(text.title)}</h1>
${[...(greeting === null ? [] : [greeting]), ...text.paragraphs].map(paragraph).join('\n')}
${rows.length === 0 ? '' : `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="margin:0 0 16px;font-size:14px">${rows.map(row).join('\n')}</table>`}
${action === null ? '' : `<p style="margin:0 0 16px"><a href="${escapeHtml(action.url)}" class="action" style="display:inline-block;padding:12px 20px;background:${light?.accent};color:${light?.onAccent};text-decoration:none;font-weight:600">${escapeHtml(action.label)}</a></p>`}
${(text.after ?? []).map(paragraph).join('\n')}
<p class="quiet" style="margin:24px 0 0;font-size:13px;color:#5c6370">${footer.map(escapeHtml).join('<br>')}${unsubscribe === null ? '' : ` <a href="${escapeHtml(unsubscribe.url)}" class="quiet" style="color:#5c6370">${escapeHtml(unsubscribe.label)}</a>`}</p>
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}

/** The accent color as it is readable on a card of the mail; the default for anything but #rrggbb. */
function shadeOn(accentColor: string | null, card: string) {
  return readableAccent(accentColor ?? DEFAULT_ACCENT, card) ?? readableAccent(DEFAULT_ACCENT, card);
}

const GREETED_NAME_LENGTH = 60;

/**
 * The name to greet a payer by; null for a greeting without one. Whoever pays chooses both the name and the address, so a name must not
 * carry a message with a link to somebody else in the merchant's mail.
 */
function greetedName(name: string | null | undefined): string | null {
  // Mail programs also make links of wide letters.
  const plain = name?.normalize('NFKC') ?? '';
  const isMessage = /:\/\/|www\.|@|[\p{Cc}\p{Zl}\p{Zp}]/iu.test(plain) || [...plain].length > GREETED_NAME_LENGTH;
  return plain.trim() === '' || isMessage ? null : oneLine(name ?? '');
}

/** Names and reasons may contain anything, but a subject, a title and a row are one line each. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}
