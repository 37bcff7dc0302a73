/** The line of an invoice that charges the usage of a period. */
import { Decimal } from 'decimal.js';
import type { Prisma, UsagePeriod } from '../../../prisma/client.ts';
import { meteredAmount, printQuantity, scaled, storedMetering } from '../../catalog/metering.ts';
import { taxLine } from '../../catalog/tax.ts';
import { taxRuleOf } from '../../catalog/tax-rate.ts';
import { type Adjustment, day, periodName } from '../renewal/renewal-lines.ts';
import type { UsageOfLine } from './usage-of-line.ts';

/** What a usage period is priced with. */
export const pricedUsage = {
  productPlanPrice: { include: { productPlan: { include: { taxRate: true } } } },
} as const satisfies Prisma.UsagePeriodInclude;

export type PricedUsage = Pick<UsagePeriod, 'quantity' | 'startsAt' | 'endsAt' | 'isFree'> &
  Pick<Prisma.UsagePeriodGetPayload<{ include: typeof pricedUsage }>, 'productPlanPrice'>;

export type UsageLine = Adjustment & { amount: Decimal; taxAmount: Decimal; usage: UsageOfLine };

/** The line for the usage so far; null if there is nothing to show. `until` is the end of the period if it has none yet. */
export function usageLine(period: PricedUsage, until: Date): UsageLine | null {
  const { productPlanPrice: price, isFree, startsAt, quantity: total } = period;
  const metering = storedMetering(price.metering);
  const quantity = printQuantity(scaled(total.toFixed()));
  if (metering === null || isFree || total.isZero()) return null;
  const { productPlan: plan } = price;
  const rate = plan.taxRate?.isActive ? plan.taxRate : null;
  const metered = meteredAmount(metering, quantity);
  const amount = new Decimal(metered.amount);
  const end = period.endsAt ?? until;
  const { unitName, scheme, includedUnits } = metering;
  return {
    description: `${periodName({ plan, price })}, usage: ${quantity} × ${unitName}, ${day(startsAt)} to ${day(end)}`,
    amount,
    taxAmount: taxLine({ amount, quantity: 1, tax: taxRuleOf(rate) }).taxAmount,
    taxInclusive: rate?.inclusive ?? false,
    taxRateId: rate?.id ?? null,
    productPlanId: plan.id,
    productPlanPriceId: price.id,
    usage: {
      quantity,
      unitName,
      scheme,
      includedUnits,
      periodStart: startsAt.toISOString(),
      periodEnd: end.toISOString(),
      taxPercentage: rate?.percentage.toString() ?? null,
      tiers: metered.tiers,
      isAboveCap: false,
    },
  };
}

/** The lines for the usage that has not been billed and was used before `until`, the end of the period. */
export function usageSoFar(periods: readonly PricedUsage[], until: Date): UsageLine[] {
  return periods.flatMap((period) => {
    const line = period.startsAt < until ? usageLine(period, until) : null;
    return line === null ? [] : [line];
  });
}
