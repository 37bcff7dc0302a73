/** What a subscription owes, or will owe next: what a payer pays with a consent that replaces the present one. */
import type { Database, DatabaseTransaction, Prisma } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import type { SubscriptionWithPrice } from '../store.ts';

const included = {
  items: { orderBy: { position: 'asc' } },
  paymentIntent: true,
} as const satisfies Prisma.InvoiceInclude;

export type DueInvoice = Prisma.InvoiceGetPayload<{ include: typeof included }>;

/** `start` is the first instant that the new consent covers; the invoice is null if nothing is open. */
export type DueRenewal = { invoice: DueInvoice | null; start: Date };

type Renewed = Pick<SubscriptionWithPrice, 'id' | 'currentPeriodEnd'>;

export async function findDueRenewal(
  database: Database | DatabaseTransaction,
  subscription: Renewed,
): Promise<DueRenewal> {
  const { id, currentPeriodEnd } = subscription;
  if (currentPeriodEnd === null) throw new Error(`Subscription ${id} has started without a period.`);
  const invoice = await database.invoice.findFirst({
    where: {
      subscriptionId: id,
      usageReason: null,
      periodStart: { gte: currentPeriodEnd },
      status: { in: ['OPEN', 'PAST_DUE'] },
    },
    orderBy: { periodStart: 'asc' },
    include: included,
  });
  return { invoice, start: invoice?.periodStart ?? currentPeriodEnd };
}

/** Throws INVALID_STATE for a subscription whose consent cannot be replaced, because it is not charged. */
export function requireRunning({ status }: Pick<SubscriptionWithPrice, 'status'>): void {
  if (status === 'ACTIVE' || status === 'PAST_DUE') return;
  throw new GatewayError(
    'INVALID_STATE',
    `The subscription is ${status}. Only the consent of an ACTIVE or PAST_DUE subscription can be replaced.`,
  );
}
