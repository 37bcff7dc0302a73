/** The queries of renewals. */
import type { Database, DatabaseTransaction, PaymentIntentStatus, RenewalAttempt } from '../../../prisma/client.ts';
import type { PaymentKey } from '../../payments/payment-key.ts';
import { type RenewableSubscription, renewalIncludes } from './renewal-world.ts';

/** Under its row lock, the first of all locks; null where there is none of this id. */
export async function lockRenewable(tx: DatabaseTransaction, id: string): Promise<RenewableSubscription | null> {
  const locked = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM subscription WHERE id = ${id}::uuid FOR UPDATE`;
  if (locked.length === 0) return null;
  return await tx.subscription.findUniqueOrThrow({ where: { id }, include: renewalIncludes });
}

/** The attempt whose charge is under way; at most one of a subscription. */
export function openAttempt(
  database: Database | DatabaseTransaction,
  subscriptionId: string,
): Promise<RenewalAttempt | null> {
  return database.renewalAttempt.findFirst({ where: { subscriptionId, status: 'PENDING' } });
}

/** The payment of an attempt's charge; null where it failed before one was signed. */
export function chargeKey({ chainId, termsHash }: RenewalAttempt): PaymentKey | null {
  return chainId === null || termsHash === null ? null : { chainId, termsHash };
}

/** The period that the newest attempt of an invoice spent, or would have; null before the first that named one. */
export async function keptPeriod(database: Database | DatabaseTransaction, invoiceId: string): Promise<number | null> {
  const attempt = await database.renewalAttempt.findFirst({
    where: { invoiceId, period: { not: null } },
    orderBy: { id: 'desc' },
    select: { period: true },
  });
  return attempt?.period ?? null;
}

/** In these the merchant has (had) the money; what is refunded later was paid all the same. */
export const paidStatuses: ReadonlySet<PaymentIntentStatus> = new Set([
  'CAPTURED',
  'SETTLED',
  'REFUND_PENDING',
  'REFUNDED',
]);
