import type { App, CustomerAccount, Database, Invoice, InvoiceItem } from '../../prisma/client.ts';
import { imageAddress } from '../auth/tokens/image-address.ts';
import type { SecretKeys } from '../auth/tokens/secret-keys.ts';
import { mailLookOf } from '../catalog/mail-look.ts';
import { sessionUrl } from '../checkout/checkout-session.ts';
import type { Config } from '../config/config.ts';
import { GatewayError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Mail, Mailer } from '../platform/mail/mail.ts';
import { type MailRow, mailPage } from '../platform/mail/mail-page.ts';
import { createInvoiceCheckout } from './create-invoice-checkout.ts';
import { invoiceUrl } from './page/invoice-link.ts';
import { type InvoiceLanguage, invoiceFormats, invoiceWords } from './page/invoice-words.ts';

/** The longest allowed session, because the link in an email is not opened at once. */
const LINK_MINUTES = 1440;

type PrintedInvoice = Invoice & {
  items: InvoiceItem[];
  app: App & { mailSettings: { language: string } | null };
  customerAccount: CustomerAccount;
};

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
  if (reason !== null) world.log.info({ ...request, reason }, 'An invoice was not emailed.');
}

/** Why it was not sent; null if it was. */
async function mailUnlessEnded(world: MailingWorld, { invoiceId }: { invoiceId: string }): Promise<string | null> {
  const { database, mailer } = world;
  const invoice = await database.invoice.findUnique({
    where: { id: invoiceId },
    include: {
      items: { orderBy: { position: 'asc' } },
      app: { include: { mailSettings: { select: { language: true } } } },
      customerAccount: true,
    },
  });
  const reason = reasonAgainst(invoice);
  const to = invoice?.customerAccount.email;
  if (reason !== null || !invoice) return reason;
  if (!to) return 'Its customer no longer has an email address.';
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
  if (invoice === null) return 'The invoice no longer exists.';
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

type InvoiceMailLinks = { link: string; page: string; logoUrl: string | null };

function printInvoice(invoice: PrintedInvoice, { link, page, logoUrl }: InvoiceMailLinks): Omit<Mail, 'to'> {
  const language = languageOf(invoice);
  const words = invoiceWords[language];
  const { money, day } = invoiceFormats(language, invoice);
  const { name, accentColor, footerText } = invoice.app;
  const subject = words.mail.subject(words.invoice(invoice.invoiceNumber), name);
  const lines = linesOf(invoice, language);
  const sums = sumsOf(invoice, language);
  const due = invoice.dueDate === null ? [] : [words.mail.dueOn(day(invoice.dueDate))];
  const memo = invoice.memo === null ? [] : [invoice.memo];
  const footer = footerText === null ? [] : [footerText];
  const printed = (rows: readonly MailRow[]) => rows.map(({ label, value }) => `${label}: ${value}`).join('\n');
  const { payLink, pageLink, valid, view } = words.mail;
  const total = words.pay(money(invoice.total));
  return {
    subject,
    text: `${[subject, printed(lines), printed(sums), ...due, ...memo, `${payLink}\n${link}`, `${pageLink}\n${page}`, ...footer].join('\n\n')}\n`,
    html: mailPage({
      language,
      subject,
      title: subject,
      look: mailLookOf({ name, accentColor, logoUrl }),
      blocks: [
        ...due.map((text) => ({ kind: 'text', text }) as const),
        { kind: 'rows', rows: [...lines, ...sums] },
        ...memo.map((text) => ({ kind: 'text', text }) as const),
        { kind: 'action', action: { label: total, url: link } },
      ],
      footer: [...footer, valid],
      footerLink: { label: view, url: page },
    }),
  };
}

function linesOf(invoice: PrintedInvoice, language: InvoiceLanguage): MailRow[] {
  const { money, quantity } = invoiceFormats(language, invoice);
  return invoice.items.map((item) => ({
    label: `${quantity(item.quantity)} × ${item.description}`,
    value: money(item.amount.times(item.quantity)),
    isAmount: true,
  }));
}

function sumsOf(invoice: PrintedInvoice, language: InvoiceLanguage): MailRow[] {
  const words = invoiceWords[language];
  const { money } = invoiceFormats(language, invoice);
  const { discountAmount, subtotal, taxAmount, total } = invoice;
  const sums: MailRow[] = [
    ...(discountAmount.isZero() ? [] : [{ label: words.discount, value: money(discountAmount.negated()) }]),
    { label: words.subtotal, value: money(subtotal) },
    { label: words.tax, value: money(taxAmount) },
    { label: words.total, value: money(total), isTotal: true },
  ];
  return sums.map((sum) => ({ ...sum, isAmount: true }));
}

/** The customer's language, or the one that the app's mails are written in. */
function languageOf({ customerAccount, app }: PrintedInvoice): InvoiceLanguage {
  const known = [customerAccount.locale, app.mailSettings?.language].find((one) => one === 'en' || one === 'de');
  return known === 'de' ? 'de' : 'en';
}
