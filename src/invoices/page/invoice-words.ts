/** The words of an invoice's page and of the mail that sends it. Values are inserted as plain text; the layouts escape them. */
import type { InvoiceStatus } from '../../../prisma/client.ts';

export type InvoiceLanguage = 'en' | 'de';

/** A page with a title and one sentence. */
type Sentence = { title: string; text: string };

export type InvoiceWords = {
  invoice: (number: string | null) => string;
  status: Record<InvoiceStatus, string>;
  /** `total` and `day` are formatted. */
  state: {
    draft: string;
    charged: (total: string) => string;
    dueOn: (total: string, day: string) => string;
    due: (total: string) => string;
    paid: (total: string, day: string | null) => string;
    void: string;
    uncollectible: string;
  };
  date: string;
  customer: string;
  dueDate: string;
  period: string;
  paidOn: string;
  voidedOn: string;
  description: string;
  quantity: string;
  unitPrice: string;
  amount: string;
  discount: string;
  subtotal: string;
  tax: string;
  total: string;
  included: (name: string, percent: string) => string;
  added: (name: string, percent: string) => string;
  pay: (total: string) => string;
  notFound: Sentence;
  conflict: Sentence;
  tryLater: Sentence;
  method: Sentence;
  mail: {
    subject: (invoice: string, from: string) => string;
    dueOn: (day: string) => string;
    payLink: string;
    pageLink: string;
    valid: string;
    view: string;
  };
};

const english: InvoiceWords = {
  invoice: (number) => (number === null ? 'Invoice' : `Invoice ${number}`),
  status: {
    DRAFT: 'Draft',
    OPEN: 'Open',
    PAID: 'Paid',
    PAST_DUE: 'Past due',
    VOID: 'Void',
    UNCOLLECTIBLE: 'Uncollectible',
  },
  state: {
    draft: 'This invoice is a draft. No payment is due.',
    charged: (total) => `${total} is charged to the wallet of your subscription automatically.`,
    dueOn: (total, day) => `${total} due on ${day}`,
    due: (total) => `${total} due`,
    paid: (total, day) => (day === null ? `${total} paid` : `${total} paid on ${day}`),
    void: 'This invoice was voided. No payment is due.',
    uncollectible: 'This invoice is closed. No payment is due.',
  },
  date: 'Invoice date',
  customer: 'Bill to',
  dueDate: 'Due date',
  period: 'Billing period',
  paidOn: 'Date paid',
  voidedOn: 'Date voided',
  description: 'Description',
  quantity: 'Qty',
  unitPrice: 'Unit price',
  amount: 'Amount',
  discount: 'Discount',
  subtotal: 'Subtotal excluding tax',
  tax: 'Tax',
  total: 'Total',
  included: (name, percent) => `${name} (${percent}% included)`,
  added: (name, percent) => `${name} (${percent}%)`,
  pay: (total) => `Pay ${total}`,
  notFound: { title: 'Invoice not found', text: 'The link is incomplete or invalid. Ask the merchant for a new link.' },
  conflict: {
    title: 'This invoice cannot be paid now',
    text: 'It was paid or voided, or a payment is in progress. Reload the invoice to see its status.',
  },
  tryLater: { title: 'Too many requests', text: 'Please try again in a moment.' },
  method: { title: 'Request not supported', text: 'Open the invoice with the link that you received.' },
  mail: {
    subject: (invoice, from) => `${invoice} from ${from}`,
    dueOn: (day) => `Due on ${day}`,
    payLink: 'Pay this invoice within 24 hours:',
    pageLink: 'View, print or pay the invoice later:',
    valid: 'This link is valid for 24 hours.',
    view: 'View invoice',
  },
};

const german: InvoiceWords = {
  invoice: (number) => (number === null ? 'Rechnung' : `Rechnung ${number}`),
  status: {
    DRAFT: 'Entwurf',
    OPEN: 'Offen',
    PAID: 'Bezahlt',
    PAST_DUE: 'Überfällig',
    VOID: 'Storniert',
    UNCOLLECTIBLE: 'Uneinbringlich',
  },
  state: {
    draft: 'Diese Rechnung ist ein Entwurf. Es ist keine Zahlung fällig.',
    charged: (total) => `${total} werden automatisch von der Wallet Ihres Abonnements abgebucht.`,
    dueOn: (total, day) => `${total} fällig am ${day}`,
    due: (total) => `${total} fällig`,
    paid: (total, day) => (day === null ? `${total} bezahlt` : `${total} bezahlt am ${day}`),
    void: 'Diese Rechnung wurde storniert. Es ist keine Zahlung fällig.',
    uncollectible: 'Diese Rechnung ist geschlossen. Es ist keine Zahlung fällig.',
  },
  date: 'Rechnungsdatum',
  customer: 'Rechnungsempfänger',
  dueDate: 'Fälligkeitsdatum',
  period: 'Abrechnungszeitraum',
  paidOn: 'Bezahlt am',
  voidedOn: 'Storniert am',
  description: 'Beschreibung',
  quantity: 'Menge',
  unitPrice: 'Einzelpreis',
  amount: 'Betrag',
  discount: 'Rabatt',
  subtotal: 'Zwischensumme ohne Steuer',
  tax: 'Steuer',
  total: 'Gesamtbetrag',
  included: (name, percent) => `${name} (${percent}\u00a0% enthalten)`,
  added: (name, percent) => `${name} (${percent}\u00a0%)`,
  pay: (total) => `${total} bezahlen`,
  notFound: {
    title: 'Rechnung nicht gefunden',
    text: 'Der Link ist unvollständig oder ungültig. Bitten Sie den Händler um einen neuen Link.',
  },
  conflict: {
    title: 'Diese Rechnung kann derzeit nicht bezahlt werden',
    text: 'Sie wurde bezahlt oder storniert, oder eine Zahlung wird gerade verarbeitet. Laden Sie die Rechnung neu, um ihren Status zu sehen.',
  },
  tryLater: { title: 'Zu viele Anfragen', text: 'Bitte versuchen Sie es in Kürze erneut.' },
  method: {
    title: 'Anfrage nicht unterstützt',
    text: 'Öffnen Sie die Rechnung mit dem Link, den Sie erhalten haben.',
  },
  mail: {
    subject: (invoice, from) => `${invoice} von ${from}`,
    dueOn: (day) => `Fällig am ${day}`,
    payLink: 'Diese Rechnung innerhalb von 24 Stunden bezahlen:',
    pageLink: 'Rechnung später ansehen, drucken oder bezahlen:',
    valid: 'Dieser Link ist 24 Stunden lang gültig.',
    view: 'Rechnung ansehen',
  },
};

export const invoiceWords: Record<InvoiceLanguage, InvoiceWords> = { en: english, de: german };

type Formats = {
  /** In the invoice's currency, exactly. */
  money: (amount: { toFixed(places: number): string }) => string;
  quantity: (quantity: number) => string;
  percent: (percentage: { toString(): string }) => string;
  /** In UTC, like billing periods. */
  day: (instant: Date) => string;
};

const MINOR_DIGITS = 2;
const PERCENT_DIGITS = 8;

export function invoiceFormats(language: InvoiceLanguage, { currency }: { currency: string }): Formats {
  const locale = language === 'de' ? 'de-DE' : 'en-US';
  const money = new Intl.NumberFormat(locale, { style: 'currency', currency, maximumFractionDigits: MINOR_DIGITS });
  const plain = new Intl.NumberFormat(locale, { maximumFractionDigits: PERCENT_DIGITS });
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  return {
    // A string is formatted exactly, with all of its digits.
    money: (amount) => money.format(amount.toFixed(MINOR_DIGITS) as Intl.StringNumericLiteral),
    quantity: (quantity) => plain.format(quantity),
    percent: (percentage) => plain.format(percentage.toString() as Intl.StringNumericLiteral),
    day: (instant) => day.format(instant),
  };
}
