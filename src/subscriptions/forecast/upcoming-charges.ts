/**
 * The charges of a subscription if nothing changes, computed with the calendar, lines and credit of renewals, but without writing
 * anything. The fiat price is certain; its amount in tokens is determined when it is charged.
 */
import type { Decimal } from 'decimal.js';
import type { Invoice } from '../../../prisma/client.ts';
import { consentFromJson } from '../../escrow/consent.ts';
import { afterInvoice, nextDiscount, type SubscriptionDiscount } from '../discount/subscription-discount.ts';
import { chargeableFrom } from '../renewal/charging/charge-period.ts';
import { nextPeriod } from '../renewal/next-period.ts';
import { type Adjustment, renewalBill } from '../renewal/renewal-lines.ts';
import { intervalOf, nextPrice, type RenewableSubscription } from '../renewal/renewal-world.ts';
import { type PricedUsage, usageSoFar } from '../usage/usage-line.ts';

/** Amounts in `currency`, with 2 decimals. */
export type UpcomingCharge = {
  /** The start of the period, when it is charged. */
  dueAt: Date;
  periodEnd: Date;
  subtotal: string;
  taxAmount: string;
  total: string;
  /** What a coupon takes off the lines as priced; the other amounts are after it. */
  discountAmount: string;
  currency: string;
  productPlanPriceId: string;
  /** The invoice that is already open for it, for example while a charge is retried. */
  invoiceId: string | null;
};

type Charged = Pick<
  RenewableSubscription,
  | 'status'
  | 'currentPeriodEnd'
  | 'billingCycleAnchor'
  | 'cancelAt'
  | 'productPlan'
  | 'productPlanPrice'
  | 'nextPlanPrice'
  | 'consent'
> &
  SubscriptionDiscount;

/**
 * At most `limit` charges, earliest first. Empty while the subscription is not charged, and limited by its end and its consent's.
 */
export function upcomingCharges(request: {
  subscription: Charged;
  /** What plan changes owe on the next invoice. */
  adjustments: readonly Adjustment[];
  /** Usage that has not been billed. It is part of the charge of the next period that has no invoice. */
  usage?: readonly PricedUsage[];
  /** The unpaid invoice of the next period; null before it is created. */
  openInvoice: Pick<
    Invoice,
    'id' | 'periodStart' | 'periodEnd' | 'subtotal' | 'taxAmount' | 'total' | 'discountAmount'
  > | null;
  now: Date;
  limit: number;
}): UpcomingCharge[] {
  const { subscription, openInvoice, now, limit } = request;
  const { status, consent, currentPeriodEnd } = subscription;
  const isCharged = status === 'ACTIVE' || status === 'PAST_DUE';
  if (!isCharged || currentPeriodEnd === null || (consent !== null && consent.revokedAt !== null)) return [];
  const until = endOf(subscription);
  const sold = nextPrice(subscription);
  const { id: productPlanPriceId, currency } = sold.price;
  const charges: UpcomingCharge[] = [];
  let [anchor, end] = [subscription.billingCycleAnchor, currentPeriodEnd];
  if (openInvoice?.periodStart && openInvoice.periodEnd && limit > 0) {
    const { id: invoiceId, periodStart: dueAt, periodEnd } = openInvoice;
    const amounts = printed(openInvoice);
    charges.push({ dueAt, periodEnd, ...amounts, currency, productPlanPriceId, invoiceId });
    end = periodEnd;
  }
  let due = [...request.adjustments, ...usageSoFar(request.usage ?? [], end)];
  // An invoice that is open has used up its period of the coupon.
  let { coupon, couponPeriodsLeft }: SubscriptionDiscount = subscription;
  while (charges.length < limit) {
    const chargeable = charges.length === 0 ? chargeableFrom(consent, now) : new Date(0);
    const period = nextPeriod({ anchor, ...intervalOf(sold) }, { currentPeriodEnd: end, chargeableFrom: chargeable });
    if (until !== null && period.start >= until) break;
    const discount = nextDiscount({ coupon, couponPeriodsLeft });
    const { total, discountAmount, carried } = renewalBill({ sold, period, adjustments: due, discount });
    const { start: dueAt, end: periodEnd } = period;
    const amounts = printed({ ...total, discountAmount });
    charges.push({ dueAt, periodEnd, ...amounts, currency, productPlanPriceId, invoiceId: null });
    ({ coupon, couponPeriodsLeft } = afterInvoice({ coupon, couponPeriodsLeft }));
    due = carried === null ? [] : [creditLine(carried)];
    [anchor, end] = [period.anchor, period.end];
  }
  return charges;
}

/** The instant after which nothing is charged; null if there is none. */
function endOf({ cancelAt, consent }: Charged): Date | null {
  const consentEnd = consent === null ? 0 : consentFromJson(consent.consent).end;
  const ends = [cancelAt, consentEnd === 0 ? null : new Date(consentEnd * 1000)].filter((end) => end !== null);
  return ends.length === 0 ? null : new Date(Math.min(...ends.map((end) => end.getTime())));
}

type Figure = { toFixed(places: number): string };

function printed(amounts: { subtotal: Figure; taxAmount: Figure; total: Figure; discountAmount: Figure }) {
  const { subtotal, taxAmount, total, discountAmount } = amounts;
  return {
    subtotal: subtotal.toFixed(2),
    taxAmount: taxAmount.toFixed(2),
    total: total.toFixed(2),
    discountAmount: discountAmount.toFixed(2),
  };
}

/** Credit that one invoice could not use up is applied to the next, as in `openRenewalInvoice`. */
function creditLine(carried: { net: Decimal; taxAmount: Decimal }): Adjustment {
  return {
    description: '',
    amount: carried.net.negated(),
    taxAmount: carried.taxAmount.negated(),
    taxInclusive: false,
    taxRateId: null,
    productPlanId: null,
    productPlanPriceId: null,
  };
}
