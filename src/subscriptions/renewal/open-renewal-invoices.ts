import type { Decimal } from 'decimal.js';
import type {
  DatabaseTransaction,
  Invoice,
  PaymentIntent,
  Prisma,
  SubscriptionAdjustment,
} from '../../../prisma/client.ts';
import { readSelection } from '../../chains/chain-selection.ts';
import { consentFromJson } from '../../escrow/consent.ts';
import type { NewEvent } from '../../events/append-events.ts';
import { lockInvoices } from '../../invoices/store.ts';
import { intentCreated } from '../../payments/insert-payment-intent.ts';
import { type NewPaymentIntentRow, newPaymentIntentRow } from '../../payments/new-payment-intent.ts';
import { newId } from '../../platform/identifier.ts';
import { currencyOf } from '../../prices/money.ts';
import type { Period } from '../billing-period.ts';
import { chargeSettings } from '../charge/charge-terms.ts';
import { afterInvoice, consumeCouponPeriods, nextDiscount } from '../discount/subscription-discount.ts';
import type { SplitBill } from '../usage/above-cap.ts';
import { closeUsage } from '../usage/close-usage.ts';
import { noteAboveCap, openAboveCap, splitOf } from '../usage/open-above-cap.ts';
import type { CapRatesOf } from '../usage/read-cap-rates.ts';
import { chargeableFrom } from './charging/charge-period.ts';
import { type InvoiceDraft, insertInvoices, invoiceOpened } from './insert-invoices.ts';
import { nextPeriod } from './next-period.ts';
import { type RenewalBill, renewalBill } from './renewal-lines.ts';
import { intervalOf, nextPrice, type RenewableSubscription, type SoldPrice } from './renewal-world.ts';

const DAY_MS = 86_400_000;
/** Added to the grace period: an intent must not expire before the last attempt of its invoice. */
const INTENT_DAYS = 60;

export type OpenedInvoice = {
  subscription: RenewableSubscription;
  invoice: Invoice;
  /** Null if there is nothing to pay. */
  intent: PaymentIntent | null;
  /** The caller appends these as its last statement. */
  events: NewEvent[];
};

/** A subscription, whose lock the caller holds, and the end of the period before the invoice's. */
type Renewal = { subscription: RenewableSubscription; currentPeriodEnd: Date };

/** Returns the invoice of one subscription's next period as `openRenewalInvoices` does. */
export async function openRenewalInvoice(
  tx: DatabaseTransaction,
  { now, ...renewal }: Renewal & { now: Date },
): Promise<OpenedInvoice> {
  const [opened] = await openRenewalInvoices(tx, { renewals: [renewal], rates: new Map(), now });
  if (!opened) throw new Error(`No invoice was opened for subscription ${renewal.subscription.id}.`);
  return opened;
}

/**
 * Returns the invoices of the next periods, in the caller's transaction: the existing ones, or new ones, numbered and OPEN. They get
 * payment intents if there is something to pay; a cancelled intent is replaced. A plan change scheduled for the period's end takes
 * effect here. The usage of the ended periods is closed and charged; what exceeds a cap at `rates` is charged by invoices of its own.
 * Each new invoice of a period that is reduced by a coupon uses up one of its periods.
 */
export async function openRenewalInvoices(
  tx: DatabaseTransaction,
  { renewals, rates, now }: { renewals: readonly Renewal[]; rates: CapRatesOf; now: Date },
): Promise<OpenedInvoice[]> {
  if (renewals.length === 0) return [];
  const known = await lockKnown(tx, renewals);
  const opened: OpenedInvoice[] = [];
  const fresh: Renewal[] = [];
  for (const renewal of renewals) {
    const invoice = known.get(renewal.subscription.id);
    if (invoice) opened.push(await withIntent(tx, { ...renewal, invoice, now }));
    else fresh.push(renewal);
  }
  return [...opened, ...(await createInvoices(tx, { renewals: fresh, rates, now }))];
}

/** The locked invoice of each subscription's next period, by the subscription's id, where there is one. */
async function lockKnown(tx: DatabaseTransaction, renewals: readonly Renewal[]): Promise<Map<string, Invoice>> {
  const ends = new Map(renewals.map(({ subscription, currentPeriodEnd }) => [subscription.id, currentPeriodEnd]));
  const rows = await tx.invoice.findMany({
    where: {
      subscriptionId: { in: [...ends.keys()] },
      periodStart: { gte: new Date(Math.min(...[...ends.values()].map((end) => end.getTime()))) },
    },
    orderBy: { periodStart: 'desc' },
    select: { id: true, subscriptionId: true, periodStart: true },
  });
  const next = new Map<string, string>();
  for (const { id, subscriptionId, periodStart } of rows) {
    const end = subscriptionId === null ? undefined : ends.get(subscriptionId);
    // The earliest comes last and replaces the others.
    if (subscriptionId !== null && end && periodStart && periodStart >= end) next.set(subscriptionId, id);
  }
  if (next.size === 0) return new Map();
  const invoices = await lockInvoices(tx, [...next.values()]);
  return new Map([...next].flatMap(([subscriptionId, id]) => pairOf(subscriptionId, invoices.get(id))));
}

function pairOf<Value>(key: string, value: Value | undefined): [string, Value][] {
  return value === undefined ? [] : [[key, value]];
}

type Draft = Renewal & {
  id: string;
  sold: SoldPrice;
  period: Period;
  bill: RenewalBill;
  adjustments: SubscriptionAdjustment[];
  split: SplitBill | null;
  intent: NewPaymentIntentRow | null;
};

async function createInvoices(
  tx: DatabaseTransaction,
  { renewals, rates, now }: { renewals: readonly Renewal[]; rates: CapRatesOf; now: Date },
): Promise<OpenedInvoice[]> {
  if (renewals.length === 0) return [];
  const closing = renewals.map(({ subscription, currentPeriodEnd: until }) => ({
    subscription,
    until,
    next: nextPrice(subscription).price,
  }));
  await closeUsage(tx, { closing, now });
  const openAdjustments = await tx.subscriptionAdjustment.findMany({
    where: { subscriptionId: { in: renewals.map(({ subscription }) => subscription.id) }, invoiceId: null },
    orderBy: { id: 'asc' },
  });
  const drafts: Draft[] = [];
  for (const renewal of renewals) {
    const adjustments = openAdjustments.filter(({ subscriptionId }) => subscriptionId === renewal.subscription.id);
    const { anchor, ...draft } = draftOf({ ...renewal, adjustments, rates, now });
    await changePrice(tx, { ...draft, anchor });
    drafts.push(draft);
  }
  const intents = await tx.paymentIntent.createManyAndReturn({
    data: drafts.flatMap(({ intent }) => (intent === null ? [] : [intent])),
  });
  const intentOf = new Map(intents.map((intent) => [intent.id, intent]));
  const splits = openAboveCap({ drafts, now });
  const invoices = await insertInvoices(tx, [...drafts.map((draft) => renewalDraft(draft, now)), ...splits.drafts]);
  await consumeCouponPeriods(
    tx,
    drafts.map(({ subscription }) => subscription),
  );
  const opened: OpenedInvoice[] = [];
  for (const draft of drafts) {
    const invoice = invoices.get(draft.id);
    if (!invoice) throw new Error(`Invoice ${draft.id} was not written.`);
    await settleAdjustments(tx, { draft, invoice, now });
    const intent = intentOf.get(draft.intent?.id ?? '') ?? null;
    const events = [invoiceOpened(invoice), ...(intent ? [intentCreated(intent)] : [])];
    const further = await noteAboveCap(tx, { draft, invoice, splits, invoices, now });
    opened.push({ subscription: afterInvoice(draft.subscription), invoice, intent, events: [...events, ...further] });
  }
  return opened;
}

function renewalDraft({ id, subscription, sold, period, bill, intent }: Draft, createdAt: Date): InvoiceDraft {
  return {
    id,
    subscription,
    currency: sold.price.currency,
    bill,
    paymentIntentId: intent?.id ?? null,
    dueDate: period.start,
    periodStart: period.start,
    periodEnd: period.end,
    createdAt,
  };
}

function draftOf(
  request: Renewal & { adjustments: SubscriptionAdjustment[]; rates: CapRatesOf; now: Date },
): Draft & { anchor: Date } {
  const { subscription, currentPeriodEnd, adjustments, rates, now } = request;
  const sold = nextPrice(subscription);
  const { anchor, ...period } = nextPeriod(
    { anchor: subscription.billingCycleAnchor, ...intervalOf(sold) },
    { currentPeriodEnd, chargeableFrom: chargeableFrom(subscription.consent, now) },
  );
  const fullBill = renewalBill({ sold, period, adjustments, discount: nextDiscount(subscription) });
  const split = splitOf(subscription, { bill: fullBill, rates });
  const bill = split?.within ?? fullBill;
  const { total } = bill.total;
  const intent = total.isZero() ? null : intentRow({ subscription, total, currency: sold.price.currency, now });
  return { subscription, currentPeriodEnd, id: newId(), sold, period, bill, adjustments, split, intent, anchor };
}

/** Writes the price and anchor that apply from now on, if they change. */
async function changePrice(
  tx: DatabaseTransaction,
  { subscription, sold, anchor }: Pick<Draft, 'subscription' | 'sold'> & { anchor: Date },
): Promise<void> {
  const isSame = subscription.nextPlanPriceId === null && subscription.productPlanPriceId === sold.price.id;
  if (isSame && subscription.billingCycleAnchor?.getTime() === anchor.getTime()) return;
  await tx.subscription.update({
    where: { id: subscription.id },
    data: {
      productPlanId: sold.plan.id,
      productPlanPriceId: sold.price.id,
      nextPlanPriceId: null,
      billingCycleAnchor: anchor,
    },
  });
}

/** Assigns to the invoice what plan changes owed, and stores the credit that it could not use up for the next one. */
async function settleAdjustments(
  tx: DatabaseTransaction,
  { draft, invoice, now }: { draft: Draft; invoice: Invoice; now: Date },
): Promise<void> {
  const { subscription, adjustments, bill } = draft;
  if (adjustments.length > 0) {
    await tx.subscriptionAdjustment.updateMany({
      where: { id: { in: adjustments.map((adjustment) => adjustment.id) } },
      data: { invoiceId: invoice.id },
    });
  }
  if (bill.carried === null) return;
  await tx.subscriptionAdjustment.create({
    data: {
      id: newId(),
      subscriptionId: subscription.id,
      description: `Credit kept from ${invoice.invoiceNumber ?? 'the invoice before'}`,
      amount: bill.carried.net.negated(),
      taxAmount: bill.carried.taxAmount.negated(),
      taxInclusive: false,
      createdAt: now,
    },
  });
}

/** Gives an unpaid invoice an intent that can be paid. */
export async function withIntent(
  tx: DatabaseTransaction,
  { subscription, invoice, now }: Pick<Renewal, 'subscription'> & { invoice: Invoice; now: Date },
): Promise<OpenedInvoice> {
  const isPayable = invoice.status === 'OPEN' || invoice.status === 'PAST_DUE';
  if (!isPayable) return { subscription, invoice, intent: null, events: [] };
  if (invoice.paymentIntentId !== null) {
    const intent = await tx.paymentIntent.findUniqueOrThrow({ where: { id: invoice.paymentIntentId } });
    if (intent.status !== 'CANCELLED' && intent.status !== 'FAILED')
      return { subscription, invoice, intent, events: [] };
  }
  if (invoice.total.isZero()) return { subscription, invoice, intent: null, events: [] };
  const { total, currency } = invoice;
  const data: Prisma.PaymentIntentUncheckedCreateInput = intentRow({ subscription, total, currency, now });
  const intent = await tx.paymentIntent.create({ data });
  const updated = await tx.invoice.update({ where: { id: invoice.id }, data: { paymentIntentId: intent.id } });
  return { subscription, invoice: updated, intent, events: [intentCreated(intent)] };
}

/** `total` is in major units of `currency`. */
export function intentRow(request: {
  subscription: RenewableSubscription;
  total: Prisma.Decimal | Decimal;
  currency: string;
  now: Date;
}): NewPaymentIntentRow {
  const { subscription, total, currency, now } = request;
  const { consent, app } = subscription;
  return newPaymentIntentRow({
    app: consent ? chargeSettings(app, consentFromJson(consent.consent)) : app,
    fields: {
      amount: total.toFixed(2),
      currency: currencyOf(currency),
      customerAccountId: subscription.customerAccountId,
      ...readSelection(subscription),
    },
    now,
    source: { type: 'SUBSCRIPTION', id: subscription.id },
    expiresAt: new Date(now.getTime() + (app.subscriptionGraceDays + INTENT_DAYS) * DAY_MS),
  });
}
