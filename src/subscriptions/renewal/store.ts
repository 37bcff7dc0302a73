/** The queries of renewals. */
import type { Database, DatabaseTransaction, PaymentIntentStatus, RenewalAttempt } from '../../../prisma/client.ts';
import type { PaymentKey } from '../../payments/payment-key.ts';
import { type RenewableSubscription, renewalIncludes } from './renewal-world.ts';

/** Locks the subscription's row, which is always the first lock; null if there is none with this id. */
export async function lockRenewable(tx: DatabaseTransaction, id: string): Promise<RenewableSubscription | null> {
  const locked = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM subscription WHERE id = ${id}::uuid FOR UPDATE`;
  if (locked.length === 0) return null;
  return await tx.subscription.findUniqueOrThrow({ where: { id }, include: renewalIncludes });
}

/** The attempt whose charge is pending; a subscription has at most one. */
export function openAttempt(
  database: Database | DatabaseTransaction,
  subscriptionId: string,
): Promise<RenewalAttempt | null> {
  return database.renewalAttempt.findFirst({ where: { subscriptionId, status: 'PENDING' } });
}

/** The payment of an attempt's charge; null if it failed before one was signed. */
export function chargeKey({ chainId, termsHash }: RenewalAttempt): PaymentKey | null {
  return chainId === null || termsHash === null ? null : { chainId, termsHash };
}

/** The period of the newest attempt of an invoice; null if no attempt has one yet. */
export async function keptPeriod(database: Database | DatabaseTransaction, invoiceId: string): Promise<number | null> {
  const attempt = await database.renewalAttempt.findFirst({
    where: { invoiceId, period: { not: null } },
    orderBy: { id: 'desc' },
    select: { period: true },
  });
  return attempt?.period ?? null;
}

/** Statuses in which the merchant has or had the money; a payment refunded later still counts as paid. */
export const paidStatuses: ReadonlySet<PaymentIntentStatus> = new Set([
  'CAPTURED',
  'SETTLED',
  'REFUND_PENDING',
  'REFUNDED',
]);
