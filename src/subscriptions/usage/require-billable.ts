/** Usage is recorded only if the next invoice of its subscription can hold it, because a larger invoice could never be issued. */
import type { DatabaseTransaction, Prisma } from '../../../prisma/client.ts';
import { LARGEST_TOTAL } from '../../checkout/checkout-session.ts';
import { type FieldFault, invalid } from '../../errors.ts';
import { renewalBill } from '../renewal/renewal-lines.ts';
import { pricedUsage, usageLine } from './usage-line.ts';

const priced = { include: { productPlan: { include: { taxRate: true } } } } as const;
const toBill = {
  productPlanPrice: priced,
  nextPlanPrice: priced,
  usagePeriods: { where: { closedAt: null }, include: pricedUsage },
  adjustments: { where: { invoiceId: null, amount: { gt: 0 } } },
} as const satisfies Prisma.SubscriptionInclude;
type BilledSubscription = Prisma.SubscriptionGetPayload<{ include: typeof toBill }>;

/**
 * Throws VALIDATION_ERROR, naming the quantity of each event of the subscription, if its base fee, the usage that is not billed yet and
 * other charges, with tax and before coupons and credits, exceed what an invoice can hold. `recorded` are the subscriptions of new events.
 */
export async function requireBillable(
  tx: DatabaseTransaction,
  { recorded, events, now }: { recorded: readonly string[]; events: readonly { subscriptionId: string }[]; now: Date },
): Promise<void> {
  if (recorded.length === 0) return;
  const subscriptions = await tx.subscription.findMany({ where: { id: { in: [...recorded] } }, include: toBill });
  const beyond = new Set(subscriptions.filter((one) => !isBillable(one, now)).map(({ id }) => id));
  const message = `brings the next invoice, with its base fee and tax, above the ${LARGEST_TOTAL.toFixed(2)} that it can hold`;
  const faults = events.flatMap(({ subscriptionId }, index): FieldFault[] =>
    beyond.has(subscriptionId) ? [{ param: `events[${index}].quantity`, message }] : [],
  );
  if (faults.length > 0) throw invalid(faults);
}

function isBillable(subscription: BilledSubscription, now: Date): boolean {
  const { productPlanPrice, nextPlanPrice, usagePeriods, adjustments } = subscription;
  try {
    const used = usagePeriods.flatMap((period) => usageLine(period, now) ?? []);
    return [productPlanPrice, ...(nextPlanPrice ? [nextPlanPrice] : [])].every((price) => {
      const sold = { plan: price.productPlan, price };
      const due = [...adjustments, ...used];
      const bill = renewalBill({ sold, period: { start: now, end: now }, adjustments: due, discount: null });
      return bill.total.total.lte(LARGEST_TOTAL);
    });
  } catch (error) {
    // The usage of a single period exceeds what a line can hold.
    if (error instanceof RangeError) return false;
    throw error;
  }
}
