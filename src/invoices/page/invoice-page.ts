/** An invoice as a printable page: no scripts, one style sheet, and safe for names with any content. */
import type { Prisma } from '../../../prisma/client.ts';
import { escapeHtml } from '../../platform/mail/mail.ts';
import { type InvoiceLanguage, type InvoiceWords, invoiceFormats, invoiceWords } from './invoice-words.ts';
import { pageStyle, styleOf } from './page-style.ts';

export type PrintedInvoice = Prisma.InvoiceGetPayload<{
  include: { items: { include: { taxRate: true } }; app: true; customerAccount: true };
}>;

type Amount = { toFixed(places: number): string };

type InvoicePage = {
  language: InvoiceLanguage;
  /** The target of the form that starts a payment; null if the invoice cannot be paid manually. */
  payAction: string | null;
  /** A path of this installation; null without a logo. */
  logoPath: string | null;
};

type Print = ReturnType<typeof invoiceFormats> & { words: InvoiceWords };

export function invoicePage(invoice: PrintedInvoice, { language, payAction, logoPath }: InvoicePage): string {
  const print: Print = { words: invoiceWords[language], ...invoiceFormats(language, invoice) };
  const { words } = print;
  const name = words.invoice(invoice.invoiceNumber);
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(`${name} · ${invoice.app.name}`)}</title>
<style>${styleOf(invoice.app.accentColor)}</style>
</head>
<body>
<main class="branded">
${logoPath === null ? '' : `<img class="logo" src="${escapeHtml(logoPath)}" alt="">`}
<header>
<div><p class="from">${escapeHtml(invoice.app.name)}</p><h1>${escapeHtml(name)}</h1></div>
<p class="status ${invoice.status.toLowerCase()}">${words.status[invoice.status]}</p>
</header>
<p class="lead">${escapeHtml(stateOf(invoice, print))}</p>
<dl>
${facts(invoice, print)
  .map(([term, value]) => `<div><dt>${term}</dt><dd>${escapeHtml(value)}</dd></div>`)
  .join('\n')}
</dl>
${table(invoice, print)}
${invoice.memo === null ? '' : `<p class="memo">${escapeHtml(invoice.memo)}</p>`}
${payAction === null ? '' : payForm(words.pay(print.money(invoice.total)), payAction)}
${invoice.app.footerText === null ? '' : `<footer>${escapeHtml(invoice.app.footerText)}</footer>`}
</main>
</body>
</html>
`;
}

/** A page with a title and one sentence, for addresses without an invoice to show. */
export function invoiceSentencePage(
  language: InvoiceLanguage,
  { title, text }: { title: string; text: string },
): string {
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${pageStyle}</style></head><body><main><h1>${title}</h1><p>${text}</p></main></body></html>\n`;
}

function payForm(label: string, action: string): string {
  return `<form method="post" action="${escapeHtml(action)}"><button type="submit">${escapeHtml(label)}</button></form>`;
}

function table(invoice: PrintedInvoice, print: Print): string {
  const { words, money, quantity } = print;
  const cell = (amount: Amount) => escapeHtml(money(amount));
  const rows = invoice.items.map(
    (item) => `<tr><th scope="row">${escapeHtml(item.description)}${taxNote(item, print)}</th>
<td>${quantity(item.quantity)}</td><td>${cell(item.amount)}</td><td>${cell(item.amount.times(item.quantity))}</td></tr>`,
  );
  const sum = (label: string, amount: Amount, kind = '') =>
    `<tr${kind}><th scope="row" colspan="3">${label}</th><td>${cell(amount)}</td></tr>`;
  const heads = [words.description, words.quantity, words.unitPrice, words.amount];
  return `<table>
<thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
<tfoot>
${invoice.discountAmount.isZero() ? '' : sum(words.discount, invoice.discountAmount.negated())}
${sum(words.subtotal, invoice.subtotal)}
${sum(words.tax, invoice.taxAmount)}
${sum(words.total, invoice.total, ' class="total"')}
</tfoot>
</table>`;
}

function taxNote({ taxRate }: PrintedInvoice['items'][number], { words, percent }: Print): string {
  if (taxRate === null) return '';
  const note = taxRate.inclusive ? words.included : words.added;
  return `<span>${escapeHtml(note(taxRate.displayName, percent(taxRate.percentage)))}</span>`;
}

function facts(invoice: PrintedInvoice, { words, day }: Print): [term: string, value: string][] {
  const customer = [invoice.customerAccount.name, invoice.customerAccount.email].filter(Boolean).join(', ');
  const found: [string, string][] = [[words.date, day(invoice.createdAt)]];
  if (customer !== '') found.push([words.customer, customer]);
  if (invoice.dueDate) found.push([words.dueDate, day(invoice.dueDate)]);
  if (invoice.periodStart && invoice.periodEnd) {
    found.push([words.period, `${day(invoice.periodStart)} – ${day(invoice.periodEnd)}`]);
  }
  if (invoice.paidAt) found.push([words.paidOn, day(invoice.paidAt)]);
  if (invoice.voidedAt) found.push([words.voidedOn, day(invoice.voidedAt)]);
  return found;
}

function stateOf(invoice: PrintedInvoice, { words, money, day }: Print): string {
  const total = money(invoice.total);
  const { state } = words;
  switch (invoice.status) {
    case 'DRAFT':
      return state.draft;
    case 'OPEN':
    case 'PAST_DUE':
      if (invoice.subscriptionId !== null && invoice.usageReason === null) return state.charged(total);
      return invoice.dueDate ? state.dueOn(total, day(invoice.dueDate)) : state.due(total);
    case 'PAID':
      return state.paid(total, invoice.paidAt && day(invoice.paidAt));
    case 'VOID':
      return state.void;
    case 'UNCOLLECTIBLE':
      return state.uncollectible;
    default:
      return invoice.status satisfies never;
  }
}
