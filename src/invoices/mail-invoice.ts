import type { App, CustomerAccount, Database, Invoice, InvoiceItem } from '../../prisma/client.ts';
import { imageAddress } from '../auth/tokens/image-address.ts';
import type { SecretKeys } from '../auth/tokens/secret-keys.ts';
import { readableAccent, surfaces } from '../catalog/accent.ts';
import { sessionUrl } from '../checkout/checkout-session.ts';
import type { Config } from '../config/config.ts';
import { GatewayError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { escapeHtml, type Mail, type Mailer } from '../platform/mail.ts';
import { printFiat } from '../prices/money.ts';
import { createInvoiceCheckout } from './create-invoice-checkout.ts';
import { invoiceUrl } from './page/invoice-link.ts';

/** The longest allowed session, because the link in an email is not opened at once. */
const LINK_MINUTES = 1440;

type PrintedInvoice = Invoice & { items: InvoiceItem[]; app: App; customerAccount: CustomerAccount };

type MailingWorld = {
  database: Database;
  clock: Clock;
  log: Log;
  mailer: Mailer;
  config: Pick<Config, 'publicUrl'>;
  secretKeys: SecretKeys;
};

/**
 * Sends an invoice by email with a link to pay it, valid for a day, and a link to its page. An invoice that is no longer payable
 * when it is read, when its link is created, or right before the email is sent, is not sent. If the mail server rejects the email
 * and the invoice is no longer payable by then, it is not retried. Neither is a failure, and the log states the reason. Voiding a
 * sent invoice ends the link. Throws the errors of the mail server and the database while the invoice is still payable.
 */
export async function mailInvoice(world: MailingWorld, request: { invoiceId: string }): Promise<void> {
  const reason = await mailUnlessEnded(world, request);
  if (reason !== null) world.log.info({ ...request, reason }, 'An invoice is not mailed.');
}

/** Why it was not sent; null if it was. */
async function mailUnlessEnded(world: MailingWorld, { invoiceId }: { invoiceId: string }): Promise<string | null> {
  const { database, mailer } = world;
  const invoice = await database.invoice.findUnique({
    where: { id: invoiceId },
    include: { items: { orderBy: { position: 'asc' } }, app: true, customerAccount: true },
  });
  const reason = reasonAgainst(invoice);
  const to = invoice?.customerAccount.email;
  if (reason !== null || !invoice) return reason;
  if (!to) return 'Its customer has no email address any more.';
  const opened = await openCheckout(world, invoice);
  if (typeof opened === 'string') return opened;
  const endedNow = async () => reasonAgainst(await database.invoice.findUnique({ where: { id: invoiceId } }));
  const ended = await endedNow();
  if (ended !== null) return ended;
  const link = sessionUrl(world.config.publicUrl, opened.session.id, opened.clientSecret);
  try {
    const logoPath = imageAddress(world.secretKeys, invoice.app.logoUrl);
    const logoUrl = logoPath === null ? null : `${world.config.publicUrl}${logoPath}`;
    await mailer.send({ to, ...printInvoice(invoice, { link, page: invoiceUrl(world, invoice.id), logoUrl }) });
  } catch (error) {
    const endedMeanwhile = await endedNow();
    if (endedMeanwhile === null) throw error;
    return endedMeanwhile;
  }
  return null;
}

/** Why an invoice cannot be paid; null if it can. */
function reasonAgainst(invoice: Pick<Invoice, 'status'> | null): string | null {
  if (invoice === null) return 'There is no such invoice any more.';
  return invoice.status === 'OPEN' || invoice.status === 'PAST_DUE' ? null : `The invoice is ${invoice.status}.`;
}

/** The session that pays it, or why there is none: it has ended since it was read, or its payment is pending. */
async function openCheckout(world: MailingWorld, invoice: PrintedInvoice) {
  try {
    return await createInvoiceCheckout(world, {
      scope: { merchantId: invoice.app.merchantId, appId: invoice.appId },
      invoiceId: invoice.id,
      options: { expiresInMinutes: LINK_MINUTES },
    });
  } catch (error) {
    if (!(error instanceof GatewayError) || (error.code !== 'INVALID_STATE' && error.code !== 'NOT_FOUND')) throw error;
    return reasonAgainst(await world.database.invoice.findUnique({ where: { id: invoice.id } })) ?? error.message;
  }
}

const DEFAULT_ACCENT = '#1f5eff';

type InvoiceMailLinks = { link: string; page: string; logoUrl: string | null };

function printInvoice(invoice: PrintedInvoice, { link, page, logoUrl }: InvoiceMailLinks): Omit<Mail, 'to'> {
  const money = (amount: { toFixed(places: number): string }) => `${printFiat(amount)} ${invoice.currency}`;
  const lines = invoice.items.map((item) => `${item.quantity} × ${item.description}: ${money(item.amount)}`);
  const sums = [
    ...(invoice.discountAmount.isZero() ? [] : [`Discount: ${money(invoice.discountAmount.negated())}`]),
    `Subtotal: ${money(invoice.subtotal)}`,
    `Tax: ${money(invoice.taxAmount)}`,
    `Total: ${money(invoice.total)}`,
  ];
  const title = `Invoice ${invoice.invoiceNumber ?? ''} from ${invoice.app.name}`;
  const due = invoice.dueDate === null ? [] : [`Due on ${invoice.dueDate.toISOString().slice(0, 10)}.`];
  const memo = invoice.memo === null ? [] : [invoice.memo];
  const { accentColor, footerText } = invoice.app;
  const footer = footerText === null ? [] : [footerText];
  const paragraphs = [title, lines.join('\n'), sums.join('\n'), ...due, ...memo];
  const printed = (text: string) => `<p>${escapeHtml(text).replaceAll('\n', '<br>')}</p>`;
  const colors = readableAccent(accentColor ?? DEFAULT_ACCENT, surfaces.light);
  const button = `display:inline-block;padding:12px 20px;background:${colors?.accent};color:${colors?.onAccent};text-decoration:none;font-weight:600`;
  const logo =
    logoUrl === null
      ? ''
      : `<img src="${escapeHtml(logoUrl)}" alt="" height="40" style="display:block;height:40px;max-width:200px">\n`;
  const html = `${logo}${paragraphs.map(printed).join('\n')}`;
  return {
    subject: title,
    text: `${[...paragraphs, `Pay within 24 hours using this link:\n${link}`, `View, print or pay the invoice later:\n${page}`, ...footer].join('\n\n')}\n`,
    html: `${html}\n<p><a href="${escapeHtml(link)}" style="${button}">Pay ${escapeHtml(money(invoice.total))}</a></p>\n<p>This link is valid for 24 hours. You can <a href="${escapeHtml(page)}">view, print or pay the invoice</a> later.</p>\n${footer.map(printed).join('\n')}\n`,
  };
}
