import type { Decimal } from 'decimal.js';
import type { DatabaseTransaction, Invoice, PaymentIntent, Prisma } from '../../../prisma/client.ts';
import { readSelection } from '../../chains/chain-selection.ts';
import { consentFromJson } from '../../escrow/consent.ts';
import type { NewEvent } from '../../events/append-events.ts';
import { invoiceFields, invoiceNumber } from '../../invoices/invoice.ts';
import { lockInvoice } from '../../invoices/store.ts';
import { insertPaymentIntent } from '../../payments/insert-payment-intent.ts';
import { newId } from '../../platform/identifier.ts';
import { currencyOf } from '../../prices/money.ts';
import type { Period } from '../billing-period.ts';
import { chargeSettings } from '../charge/charge-terms.ts';
import { chargeableFrom } from './charge-period.ts';
import { nextPeriod } from './next-period.ts';
import { type RenewalBill, renewalBill } from './renewal-lines.ts';
import { intervalOf, nextPrice, type RenewableSubscription, type SoldPrice } from './renewal-world.ts';

const DAY_MS = 86_400_000;
/** Added to the grace period: an intent must not expire before the last attempt of its invoice. */
const INTENT_DAYS = 60;

export type OpenedInvoice = {
  invoice: Invoice;
  /** Null if there is nothing to pay. */
  intent: PaymentIntent | null;
  /** The caller appends these as its last statement. */
  events: NewEvent[];
};

type Renewing = { subscription: RenewableSubscription; now: Date };

/**
 * Returns the invoice of the next period, in the caller's transaction, which holds the subscription's lock: the existing one, or
 * a new one, numbered and OPEN. It gets a payment intent if there is something to pay; a cancelled intent is replaced. A plan
 * change scheduled for the period's end takes effect here.
 */
export async function openRenewalInvoice(
  tx: DatabaseTransaction,
  request: Renewing & { currentPeriodEnd: Date },
): Promise<OpenedInvoice> {
  const { subscription, currentPeriodEnd } = request;
  const known = await tx.invoice.findFirst({
    where: { subscriptionId: subscription.id, periodStart: { gte: currentPeriodEnd } },
    orderBy: { periodStart: 'asc' },
    select: { id: true },
  });
  if (known) {
    const invoice = await lockInvoice(tx, known.id);
    const { events, ...paying } = await withIntent(tx, { ...request, invoice });
    return { ...paying, events };
  }
  return await createInvoice(tx, request);
}

async function createInvoice(
  tx: DatabaseTransaction,
  request: Renewing & { currentPeriodEnd: Date },
): Promise<OpenedInvoice> {
  const { subscription, now, currentPeriodEnd } = request;
  const sold = nextPrice(subscription);
  const { anchor, ...period } = nextPeriod(
    { anchor: subscription.billingCycleAnchor, ...intervalOf(sold) },
    { currentPeriodEnd, chargeableFrom: chargeableFrom(subscription.consent, now) },
  );
  const adjustments = await tx.subscriptionAdjustment.findMany({
    where: { subscriptionId: subscription.id, invoiceId: null },
    orderBy: { id: 'asc' },
  });
  const bill = renewalBill({ sold, period, adjustments });
  await tx.subscription.update({
    where: { id: subscription.id },
    data: {
      productPlanId: sold.plan.id,
      productPlanPriceId: sold.price.id,
      nextPlanPriceId: null,
      billingCycleAnchor: anchor,
    },
  });
  const { total } = bill.total;
  const paying = total.isZero() ? null : await insertIntent(tx, { ...request, total, currency: sold.price.currency });
  const paymentIntentId = paying?.intent.id ?? null;
  const invoice = await insertInvoice(tx, { ...request, sold, period, bill, paymentIntentId });
  if (adjustments.length > 0) {
    await tx.subscriptionAdjustment.updateMany({
      where: { id: { in: adjustments.map((adjustment) => adjustment.id) } },
      data: { invoiceId: invoice.id },
    });
  }
  if (bill.carried) await carryOver(tx, { ...request, invoice, carried: bill.carried });
  return {
    invoice,
    intent: paying?.intent ?? null,
    events: [
      { type: 'invoice.opened', resourceId: invoice.id, data: invoiceFields(invoice) },
      ...(paying ? [paying.created] : []),
    ],
  };
}

/**
 * Inserts the invoice with the app's next number, which blocks other renewals of the app until the commit and is therefore taken
 * as late as possible.
 */
async function insertInvoice(
  tx: DatabaseTransaction,
  request: Renewing & { sold: SoldPrice; period: Period; bill: RenewalBill; paymentIntentId: string | null },
): Promise<Invoice> {
  const { subscription, sold, period, bill, paymentIntentId, now } = request;
  const { appId, customerAccountId, allowedChains, allowedTokens } = subscription;
  const { currency } = sold.price;
  const counter = await tx.invoiceCounter.upsert({
    where: { appId },
    create: { appId, lastNumber: 1 },
    update: { lastNumber: { increment: 1 } },
  });
  return await tx.invoice.create({
    data: {
      id: newId(),
      appId,
      customerAccountId,
      subscriptionId: subscription.id,
      paymentIntentId,
      invoiceNumber: invoiceNumber(counter.lastNumber),
      status: 'OPEN',
      ...bill.total,
      currency,
      taxRateId: bill.lines[0]?.taxRateId ?? null,
      dueDate: period.start,
      periodStart: period.start,
      periodEnd: period.end,
      allowedChains: allowedChains ?? 'ALL',
      allowedTokens: allowedTokens ?? 'ALL',
      createdAt: now,
      items: {
        create: bill.lines.map(({ taxed, ...line }, position) => ({
          ...line,
          id: newId(),
          position,
          currency,
          taxAmount: taxed.taxAmount,
        })),
      },
    },
  });
}

/** Stores the credit that this invoice could not use up for the next one. */
async function carryOver(
  tx: DatabaseTransaction,
  request: Renewing & { invoice: Invoice; carried: NonNullable<RenewalBill['carried']> },
): Promise<void> {
  const { subscription, invoice, carried, now } = request;
  await tx.subscriptionAdjustment.create({
    data: {
      id: newId(),
      subscriptionId: subscription.id,
      description: `Credit kept from ${invoice.invoiceNumber ?? 'the invoice before'}`,
      amount: carried.net.negated(),
      taxAmount: carried.taxAmount.negated(),
      taxInclusive: false,
      createdAt: now,
    },
  });
}

/** Gives an unpaid invoice an intent that can be paid. */
async function withIntent(tx: DatabaseTransaction, request: Renewing & { invoice: Invoice }): Promise<OpenedInvoice> {
  const { invoice } = request;
  if (invoice.status !== 'OPEN' && invoice.status !== 'PAST_DUE') return { invoice, intent: null, events: [] };
  if (invoice.paymentIntentId !== null) {
    const intent = await tx.paymentIntent.findUniqueOrThrow({ where: { id: invoice.paymentIntentId } });
    if (intent.status !== 'CANCELLED' && intent.status !== 'FAILED') return { invoice, intent, events: [] };
  }
  if (invoice.total.isZero()) return { invoice, intent: null, events: [] };
  const { intent, created } = await insertIntent(tx, { ...request, total: invoice.total, currency: invoice.currency });
  const updated = await tx.invoice.update({ where: { id: invoice.id }, data: { paymentIntentId: intent.id } });
  return { invoice: updated, intent, events: [created] };
}

/** `total` is in major units of `currency`. */
async function insertIntent(
  tx: DatabaseTransaction,
  request: Renewing & { total: Prisma.Decimal | Decimal; currency: string },
): Promise<{ intent: PaymentIntent; created: NewEvent }> {
  const { subscription, total, currency, now } = request;
  const { consent, app } = subscription;
  return await insertPaymentIntent(tx, {
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
