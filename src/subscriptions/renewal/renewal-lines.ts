/** The lines of a renewal's invoice: the period at its price, then what plan changes owe; the total is never negative. */
import { Decimal } from 'decimal.js';
import type { SubscriptionAdjustment } from '../../../prisma/client.ts';
import { type Discount, discountLines } from '../../catalog/coupons/discount.ts';
import { type TaxableLine, type TaxedLine, type TaxedTotal, taxTotal } from '../../catalog/tax.ts';
import { taxRuleOf } from '../../catalog/tax-rate.ts';
import type { Period } from '../billing-period.ts';
import { settleLines } from '../plan-change/proration.ts';
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
};

type Figure = { toString(): string };

/** An amount owed after a plan change, negative for a credit to the customer, as in a row of SubscriptionAdjustment. */
export type OwedLine = Pick<
  SubscriptionAdjustment,
  'description' | 'taxInclusive' | 'taxRateId' | 'productPlanId' | 'productPlanPriceId'
> & { amount: Figure; taxAmount: Figure };

export type RenewalBill = {
  lines: RenewalLine[];
  /** What a coupon takes off the lines as priced. */
  discountAmount: Decimal;
  total: TaxedTotal;
  /** The customer's remaining credit, to be applied to the next invoice; null if there is none. */
  carried: TaxedLine | null;
};

export function renewalBill(request: {
  sold: SoldPrice;
  period: Period;
  adjustments: readonly OwedLine[];
  /** Of the period's price; what plan changes owe is not reduced. */
  discount: Discount | null;
}): RenewalBill {
  const { sold, period } = request;
  const rate = sold.plan.taxRate?.isActive ? sold.plan.taxRate : null;
  const amount = new Decimal(sold.price.amount.toString());
  const main: RenewalLine = {
    description: `${periodName(sold)}, ${day(period.start)} to ${day(period.end)}`,
    amount,
    ...discounted({ amount, quantity: 1, tax: taxRuleOf(rate) }, request.discount),
    taxRateId: rate?.id ?? null,
    productPlanId: sold.plan.id,
    productPlanPriceId: sold.price.id,
  };
  const lines = [main, ...request.adjustments.map(adjustmentLine)];
  const { carried } = settleLines(lines.map((line) => line.taxed));
  const whole = carried === null ? lines : [...lines, carriedLine(carried)];
  const discountAmount = whole.reduce((sum, line) => sum.plus(line.discountAmount), new Decimal(0));
  return { lines: whole, discountAmount, total: taxTotal(whole.map((line) => line.taxed)), carried };
}

function discounted(line: TaxableLine, discount: Discount | null): Pick<RenewalLine, 'discountAmount' | 'taxed'> {
  const [reduced] = discountLines([line], discount);
  if (!reduced) throw new Error('One line makes one discounted line.');
  return { discountAmount: reduced.discount, taxed: reduced.taxed };
}

/** For example "Gold (yearly)". */
export function periodName({ plan, price }: SoldPrice): string {
  return price.nickname === null ? plan.name : `${plan.name} (${price.nickname})`;
}

export function adjustmentLine(adjustment: OwedLine): RenewalLine {
  const amount = new Decimal(adjustment.amount.toString());
  const taxAmount = new Decimal(adjustment.taxAmount.toString());
  const taxed = adjustment.taxInclusive
    ? { net: amount.minus(taxAmount), taxAmount, gross: amount }
    : { net: amount, taxAmount, gross: amount.plus(taxAmount) };
  const { description, taxRateId, productPlanId, productPlanPriceId } = adjustment;
  return { description, amount, discountAmount: new Decimal(0), taxed, taxRateId, productPlanId, productPlanPriceId };
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
  };
}

function day(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}
