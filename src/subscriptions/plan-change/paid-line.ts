import { Decimal } from 'decimal.js';
import type { Database, DatabaseTransaction, InvoiceItem } from '../../../prisma/client.ts';
import { type Discount, discountLines } from '../../catalog/coupons/discount.ts';
import { appliedDiscount } from '../../catalog/coupons/require-coupon.ts';
import type { TaxRule } from '../../catalog/tax.ts';
import { taxRuleOf } from '../../catalog/tax-rate.ts';
import type { RenewableSubscription, SoldPrice } from '../renewal/renewal-world.ts';

/** `amount` is after the discount of the period. */
export type PaidLine = { amount: Decimal; tax: TaxRule | null; taxRateId: string | null; sold: SoldPrice };

/**
 * The cost of a subscription's current period: from its invoice, because the price may have changed since, or from the price if
 * the plan was changed within the period. `discount` is what a coupon took off the invoice of the period, at whichever price.
 */
export async function paidLine(
  tx: Database | DatabaseTransaction,
  subscription: RenewableSubscription,
): Promise<PaidLine & { discount: Discount | null }> {
  const { id, currentPeriodStart, productPlan: plan, productPlanPrice: price } = subscription;
  const sold = { plan, price };
  const invoice = await tx.invoice.findFirst({
    where: {
      subscriptionId: id,
      status: 'PAID',
      ...(currentPeriodStart ? { periodStart: currentPeriodStart } : {}),
    },
    include: { coupon: true, items: { orderBy: { position: 'asc' }, include: { taxRate: true } } },
  });
  const [item, ...further] = invoice?.items ?? [];
  const discount = invoice?.coupon ? ofBaseFee(appliedDiscount(invoice.coupon), further) : null;
  if (item?.productPlanPriceId === price.id) {
    return {
      amount: new Decimal(item.amount.minus(item.discountAmount).toString()),
      tax: taxRuleOf(item.taxRate),
      taxRateId: item.taxRateId,
      sold,
      discount,
    };
  }
  const rate = plan.taxRate?.isActive ? plan.taxRate : null;
  const amount = reducedBy(discount, new Decimal(price.amount.toString()));
  return { amount, tax: taxRuleOf(rate), taxRateId: rate?.id ?? null, sold, discount };
}

/** What is left of an amount off after the usage was reduced: `further` are the lines of the invoice after the base fee. */
function ofBaseFee(discount: Discount, further: readonly Pick<InvoiceItem, 'discountAmount'>[]): Discount {
  if ('percentOffBps' in discount) return discount;
  // The negative one of usage above the cap is charged by another invoice.
  const reduced = further.filter(({ discountAmount }) => discountAmount.isPositive());
  const amountOff = reduced.reduce(
    (remaining, line) => remaining.minus(line.discountAmount.toString()),
    discount.amountOff,
  );
  return { amountOff };
}

/** A price after the discount of the period. */
export function reducedBy(discount: Discount | null, amount: Decimal): Decimal {
  const [line] = discountLines([{ amount, quantity: 1, tax: null }], discount);
  return amount.minus(line?.discount ?? 0);
}
