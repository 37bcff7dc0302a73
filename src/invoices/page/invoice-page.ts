/** An invoice as a printable page: no scripts, one style sheet, and safe for names with any content. */
import type { Prisma } from '../../../prisma/client.ts';
import { escapeHtml } from '../../platform/mail.ts';
import { printFiat } from '../../prices/money.ts';
import { styleOf } from './page-style.ts';

export type PrintedInvoice = Prisma.InvoiceGetPayload<{
  include: { items: { include: { taxRate: true } }; app: true; customerAccount: true };
}>;

type Amount = { toFixed(places: number): string };

type InvoicePage = {
  /** The target of the form that starts a payment; null if the invoice cannot be paid manually. */
  payAction: string | null;
  /** A path of this installation; null without a logo. */
  logoPath: string | null;
};

export function invoicePage(invoice: PrintedInvoice, { payAction, logoPath }: InvoicePage): string {
  const name = invoice.invoiceNumber === null ? 'Invoice' : `Invoice ${invoice.invoiceNumber}`;
  return `<!doctype html>
<html lang="en">
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
<p class="status ${invoice.status.toLowerCase()}">${statusWord(invoice)}</p>
</header>
<p class="say">${escapeHtml(statusSentence(invoice))}</p>
<dl>
${facts(invoice)
  .map(([term, value]) => `<div><dt>${term}</dt><dd>${escapeHtml(value)}</dd></div>`)
  .join('\n')}
</dl>
${table(invoice)}
${invoice.memo === null ? '' : `<p class="memo">${escapeHtml(invoice.memo)}</p>`}
${payAction === null ? '' : payForm(invoice, payAction)}
${invoice.app.footerText === null ? '' : `<footer>${escapeHtml(invoice.app.footerText)}</footer>`}
</main>
</body>
</html>
`;
}

function payForm(invoice: PrintedInvoice, action: string): string {
  const label = `Pay ${money(invoice, invoice.total)}`;
  return `<form method="post" action="${escapeHtml(action)}"><button type="submit">${escapeHtml(label)}</button></form>`;
}

function table(invoice: PrintedInvoice): string {
  const rows = invoice.items.map(
    (item) => `<tr><th scope="row">${escapeHtml(item.description)}${taxNote(item)}</th>
<td>${item.quantity}</td><td>${printFiat(item.amount)}</td><td>${printFiat(item.amount.times(item.quantity))}</td></tr>`,
  );
  const sum = (label: string, amount: Amount, kind = '') =>
    `<tr${kind}><th scope="row" colspan="3">${label}</th><td>${escapeHtml(money(invoice, amount))}</td></tr>`;
  return `<table>
<thead><tr><th scope="col">Description</th><th scope="col">Quantity</th><th scope="col">Unit price</th><th scope="col">Amount</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
<tfoot>
${invoice.discountAmount.isZero() ? '' : sum('Discount', invoice.discountAmount.negated())}
${sum('Subtotal, net', invoice.subtotal)}
${sum('Tax', invoice.taxAmount)}
${sum('Total', invoice.total, ' class="total"')}
</tfoot>
</table>`;
}

function taxNote({ taxRate }: PrintedInvoice['items'][number]): string {
  if (taxRate === null) return '';
  const kind = taxRate.inclusive ? 'contained' : 'added';
  return `<span>${escapeHtml(`${taxRate.displayName} ${taxRate.percentage.toString()} %, ${kind}`)}</span>`;
}

function facts(invoice: PrintedInvoice): [term: string, value: string][] {
  const customer = [invoice.customerAccount.name, invoice.customerAccount.email].filter(Boolean).join(', ');
  const found: [string, string][] = [['Date', day(invoice.createdAt)]];
  if (customer !== '') found.push(['For', customer]);
  if (invoice.dueDate) found.push(['Due', day(invoice.dueDate)]);
  if (invoice.periodStart && invoice.periodEnd) {
    found.push(['Period', `${day(invoice.periodStart)} to ${day(invoice.periodEnd)}`]);
  }
  if (invoice.paidAt) found.push(['Paid', day(invoice.paidAt)]);
  if (invoice.voidedAt) found.push(['Voided', day(invoice.voidedAt)]);
  return found;
}

function statusWord({ status }: PrintedInvoice): string {
  const words = {
    DRAFT: 'Draft',
    OPEN: 'To be paid',
    PAID: 'Paid',
    PAST_DUE: 'Past due',
    VOID: 'Void',
    UNCOLLECTIBLE: 'Given up',
  };
  return words[status];
}

function statusSentence(invoice: PrintedInvoice): string {
  const total = money(invoice, invoice.total);
  switch (invoice.status) {
    case 'DRAFT':
      return 'A draft: it is not numbered, and nothing is to be paid.';
    case 'OPEN':
    case 'PAST_DUE':
      if (invoice.subscriptionId !== null && invoice.usageReason === null)
        return `${total} is charged to the wallet of the subscription.`;
      return invoice.dueDate ? `${total} is due on ${day(invoice.dueDate)}.` : `${total} is to be paid.`;
    case 'PAID':
      return `${total} was paid${invoice.paidAt ? ` on ${day(invoice.paidAt)}` : ''}. Nothing is to be paid.`;
    case 'VOID':
      return 'This invoice was taken back. Nothing is to be paid.';
    case 'UNCOLLECTIBLE':
      return 'This invoice was given up. Nothing is to be paid.';
    default:
      return invoice.status satisfies never;
  }
}

function money({ currency }: PrintedInvoice, amount: Amount): string {
  return `${printFiat(amount)} ${currency}`;
}

/** In UTC, like billing periods. */
function day(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}
