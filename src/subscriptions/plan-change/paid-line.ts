import { Decimal } from 'decimal.js';
import type { Database, DatabaseTransaction } from '../../../prisma/client.ts';
import type { TaxRule } from '../../catalog/tax.ts';
import { taxRuleOf } from '../../catalog/tax-rate.ts';
import type { RenewableSubscription, SoldPrice } from '../renewal/renewal-world.ts';

export type PaidLine = { amount: Decimal; tax: TaxRule | null; taxRateId: string | null; sold: SoldPrice };

/**
 * The cost of a subscription's current period: from its invoice, because the price may have changed since, or from the price if
 * the plan was changed within the period.
 */
export async function paidLine(
  tx: Database | DatabaseTransaction,
  subscription: RenewableSubscription,
): Promise<PaidLine> {
  const { id, currentPeriodStart, productPlan: plan, productPlanPrice: price } = subscription;
  const sold = { plan, price };
  const item = await tx.invoiceItem.findFirst({
    where: {
      productPlanPriceId: price.id,
      position: 0,
      invoice: {
        subscriptionId: id,
        status: 'PAID',
        ...(currentPeriodStart ? { periodStart: currentPeriodStart } : {}),
      },
    },
    include: { taxRate: true },
  });
  if (item) {
    return {
      amount: new Decimal(item.amount.toString()),
      tax: taxRuleOf(item.taxRate),
      taxRateId: item.taxRateId,
      sold,
    };
  }
  const rate = plan.taxRate?.isActive ? plan.taxRate : null;
  return { amount: new Decimal(price.amount.toString()), tax: taxRuleOf(rate), taxRateId: rate?.id ?? null, sold };
}
