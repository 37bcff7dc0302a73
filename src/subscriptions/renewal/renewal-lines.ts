/** The lines of a renewal's invoice: the period at its price, then usage and what plan changes owe; the total is never negative. */
import { Decimal } from 'decimal.js';
import type { SubscriptionAdjustment } from '../../../prisma/client.ts';
import { type Discount, discountLines } from '../../catalog/coupons/discount.ts';
import { type TaxedLine, type TaxedTotal, type TaxRule, taxLine, taxTotal } from '../../catalog/tax.ts';
import { taxRuleOf } from '../../catalog/tax-rate.ts';
import type { Period } from '../billing-period.ts';
import { settleLines } from '../plan-change/proration.ts';
import { storedUsage, type UsageOfLine } from '../usage/usage-of-line.ts';
import type { SoldPrice } from './renewal-world.ts';

/** `amount` and `discountAmount` are as priced: before an exclusive tax, or including an inclusive one. `taxed` is after the discount. */
export type RenewalLine = {
  description: string;
  amount: Decimal;
  discountAmount: Decimal;
  taxed: TaxedLine;
  taxRateId: string | null;
  productPlanId: string | null;
  productPlanPriceId: string | null;
  /** The metered usage that it charges; null for every other line. */
  usage: UsageOfLine | null;
};

type Figure = { toString(): string };

/** An amount owed after a plan change, negative for a credit to the customer, as in a row of SubscriptionAdjustment. */
export type Adjustment = Pick<
  SubscriptionAdjustment,
  'description' | 'taxInclusive' | 'taxRateId' | 'productPlanId' | 'productPlanPriceId'
> & {
  amount: Figure;
  taxAmount: Figure;
  /** The usage that it charges, as `UsageOfLine`; absent for what a plan change owes. */
  usage?: unknown;
};

export type RenewalBill = {
  lines: RenewalLine[];
  /** What a coupon takes off the lines as priced. */
  discountAmount: Decimal;
  total: TaxedTotal;
  /** The customer's remaining credit, to be applied to the next invoice; null if there is none. */
  carried: TaxedLine | null;
};

/** A line and how it is taxed. `isReduced` is false for what coupons do not reduce. */
type PricedLine = { line: RenewalLine; tax: TaxRule | null; isReduced: boolean };

export function renewalBill(request: {
  sold: SoldPrice;
  period: Period;
  adjustments: readonly Adjustment[];
  /** Of the base fee and the usage together; what plan changes owe is not reduced. */
  discount: Discount | null;
}): RenewalBill {
  const { sold, period, adjustments, discount } = request;
  const rate = sold.plan.taxRate?.isActive ? sold.plan.taxRate : null;
  const amount = new Decimal(sold.price.amount.toString());
  const tax = taxRuleOf(rate);
  const line: RenewalLine = {
    description: `${periodName(sold)}, ${day(period.start)} to ${day(period.end)}`,
    amount,
    discountAmount: new Decimal(0),
    taxed: taxLine({ amount, quantity: 1, tax }),
    taxRateId: rate?.id ?? null,
    productPlanId: sold.plan.id,
    productPlanPriceId: sold.price.id,
    usage: null,
  };
  return settledBill(discounted([{ line, tax, isReduced: true }, ...adjustments.map(pricedAdjustment)], discount));
}

/** A bill of what is owed without a period's base fee. */
export function billOfAdjustments(adjustments: readonly Adjustment[], discount: Discount | null): RenewalBill {
  return settledBill(discounted(adjustments.map(pricedAdjustment), discount));
}

/** A bill of these lines, and of what brings it up to zero. */
export function settledBill(lines: RenewalLine[]): RenewalBill {
  const { carried } = settleLines(lines.map((line) => line.taxed));
  const allLines = carried === null ? lines : [...lines, carriedLine(carried)];
  const discountAmount = allLines.reduce((sum, line) => sum.plus(line.discountAmount), new Decimal(0));
  return { lines: allLines, discountAmount, total: taxTotal(allLines.map((line) => line.taxed)), carried };
}

/** The lines, those that coupons reduce with their shares of the discount. */
function discounted(lines: readonly PricedLine[], discount: Discount | null): RenewalLine[] {
  const reduced = lines.filter(({ isReduced }) => isReduced);
  const shares = discountLines(
    reduced.map(({ line: { amount }, tax }) => ({ amount, quantity: 1, tax })),
    discount,
  );
  const shareOf = new Map(reduced.map((priced, index) => [priced, shares[index]]));
  return lines.map((priced) => {
    const share = shareOf.get(priced);
    return share ? { ...priced.line, discountAmount: share.discount, taxed: share.taxed } : priced.line;
  });
}

/** Usage that another invoice charges above the cap was taken off with its share of the discount, and is not reduced again. */
function pricedAdjustment(adjustment: Adjustment): PricedLine {
  const line = adjustmentLine(adjustment);
  const { usage } = line;
  const percentage = usage?.taxPercentage ?? null;
  const tax = percentage === null ? null : { percentage: new Decimal(percentage), inclusive: adjustment.taxInclusive };
  return { line, tax, isReduced: usage !== null && !usage.isAboveCap };
}

/** For example "Gold (yearly)". */
export function periodName({ plan, price }: SoldPrice): string {
  return price.nickname === null ? plan.name : `${plan.name} (${price.nickname})`;
}

function adjustmentLine(adjustment: Adjustment): RenewalLine {
  const amount = new Decimal(adjustment.amount.toString());
  const taxAmount = new Decimal(adjustment.taxAmount.toString());
  const taxed = adjustment.taxInclusive
    ? { net: amount.minus(taxAmount), taxAmount, gross: amount }
    : { net: amount, taxAmount, gross: amount.plus(taxAmount) };
  const { description, taxRateId, productPlanId, productPlanPriceId } = adjustment;
  const discountAmount = new Decimal(0);
  const usage = storedUsage(adjustment.usage);
  return { description, amount, discountAmount, taxed, taxRateId, productPlanId, productPlanPriceId, usage };
}

function carriedLine(taxed: TaxedLine): RenewalLine {
  return {
    description: 'Credit kept for the next invoice',
    amount: taxed.net,
    discountAmount: new Decimal(0),
    taxed,
    taxRateId: null,
    productPlanId: null,
    productPlanPriceId: null,
    usage: null,
  };
}

export function day(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}
