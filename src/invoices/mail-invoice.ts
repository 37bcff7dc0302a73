import type { App, CustomerAccount, Database, Invoice, InvoiceItem } from '../../prisma/client.ts';
import type { SecretKeys } from '../auth/tokens/secret-keys.ts';
import { sessionUrl } from '../checkout/checkout-session.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../platform/clock.ts';
import { escapeHtml, type Mail, type Mailer } from '../platform/mail.ts';
import { printFiat } from '../prices/money.ts';
import { createInvoiceCheckout } from './create-invoice-checkout.ts';
import { invoiceUrl } from './page/invoice-link.ts';

/** The longest a session lives: a link in a mail is not opened at once. */
const LINK_MINUTES = 1440;

type PrintedInvoice = Invoice & { items: InvoiceItem[]; app: App; customerAccount: CustomerAccount };

/** Mails an invoice with a link that pays it, good for a day, and one to its page. Does nothing for one that is no longer to be paid. */
export async function mailInvoice(
  world: {
    database: Database;
    clock: Clock;
    mailer: Mailer;
    config: Pick<Config, 'publicUrl'>;
    secretKeys: SecretKeys;
  },
  request: { invoiceId: string },
): Promise<void> {
  const invoice = await world.database.invoice.findUnique({
    where: { id: request.invoiceId },
    include: { items: { orderBy: { position: 'asc' } }, app: true, customerAccount: true },
  });
  const to = invoice?.customerAccount.email;
  if (!invoice || !to || (invoice.status !== 'OPEN' && invoice.status !== 'PAST_DUE')) return;
  const { session, clientSecret } = await createInvoiceCheckout(world, {
    scope: { merchantId: invoice.app.merchantId, appId: invoice.appId },
    invoiceId: invoice.id,
    options: { expiresInMinutes: LINK_MINUTES },
  });
  const link = sessionUrl(world.config.publicUrl, session.id, clientSecret);
  await world.mailer.send({ to, ...printInvoice(invoice, { link, page: invoiceUrl(world, invoice.id) }) });
}

function printInvoice(invoice: PrintedInvoice, { link, page }: { link: string; page: string }): Omit<Mail, 'to'> {
  const money = (amount: { toFixed(places: number): string }) => `${printFiat(amount)} ${invoice.currency}`;
  const lines = invoice.items.map((item) => `${item.quantity} × ${item.description}: ${money(item.amount)}`);
  const sums = [
    `Subtotal: ${money(invoice.subtotal)}`,
    `Tax: ${money(invoice.taxAmount)}`,
    `Total: ${money(invoice.total)}`,
  ];
  const title = `Invoice ${invoice.invoiceNumber ?? ''} from ${invoice.app.name}`;
  const due = invoice.dueDate === null ? [] : [`Due on ${invoice.dueDate.toISOString().slice(0, 10)}.`];
  const memo = invoice.memo === null ? [] : [invoice.memo];
  const paragraphs = [title, lines.join('\n'), sums.join('\n'), ...due, ...memo];
  const html = paragraphs.map((text) => `<p>${escapeHtml(text).replaceAll('\n', '<br>')}</p>`).join('\n');
  return {
    subject: title,
    text: `${[...paragraphs, `Pay it here within a day:\n${link}`, `See, print or pay it later:\n${page}`].join('\n\n')}\n`,
    html: `${html}\n<p><a href="${escapeHtml(link)}">Pay ${escapeHtml(money(invoice.total))}</a> (this link is good for a day)</p>\n<p><a href="${escapeHtml(page)}">See or print it</a>, or pay it later</p>\n`,
  };
}
