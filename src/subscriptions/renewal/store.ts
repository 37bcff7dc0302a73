/** The queries of renewals. */
import type { Database, DatabaseTransaction, PaymentIntentStatus, RenewalAttempt } from '../../../prisma/client.ts';
import type { PaymentKey } from '../../payments/payment-key.ts';
import { type RenewableSubscription, renewalIncludes } from './renewal-world.ts';

/** Locks the subscription's row, which is always the first lock; null if there is none with this id. */
export async function lockRenewable(tx: DatabaseTransaction, id: string): Promise<RenewableSubscription | null> {
  const [subscription] = await lockRenewables(tx, [id]);
  return subscription ?? null;
}

/** Locks the rows of several subscriptions in the order of their ids, in which it returns them; unknown ids are left out. */
export async function lockRenewables(
  tx: DatabaseTransaction,
  ids: readonly string[],
): Promise<RenewableSubscription[]> {
  const locked = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM subscription WHERE id = ANY(${[...ids]}::uuid[]) ORDER BY id FOR UPDATE`;
  if (locked.length === 0) return [];
  return await tx.subscription.findMany({
    where: { id: { in: locked.map((row) => row.id) } },
    include: renewalIncludes,
    orderBy: { id: 'asc' },
  });
}

/** The attempt whose charge is pending; a subscription has at most one. */
export function openAttempt(
  database: Database | DatabaseTransaction,
  subscriptionId: string,
): Promise<RenewalAttempt | null> {
  return database.renewalAttempt.findFirst({ where: { subscriptionId, status: 'PENDING' } });
}

/**
 * Returns those of the subscriptions whose pending charge has no outcome yet: its payment intent is unpaid, and none of its transactions has
 * been confirmed or has failed.
 */
export async function unfinishedCharges(tx: DatabaseTransaction, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT attempt.subscription_id AS id FROM renewal_attempt attempt
    JOIN payment_terms terms ON terms.chain_id = attempt.chain_id AND terms.terms_hash = attempt.terms_hash
    JOIN payment_intent intent ON intent.id = terms.payment_intent_id AND intent.status = 'CREATED'
    WHERE attempt.subscription_id = ANY(${[...ids]}::uuid[]) AND attempt.status = 'PENDING'
      AND NOT EXISTS (SELECT FROM transaction sent
        WHERE sent.chain_id = attempt.chain_id AND sent.terms_hash = attempt.terms_hash AND sent.type = 'AUTHORIZE'
          AND sent.status <> 'PENDING')`;
  return new Set(rows.map(({ id }) => id));
}

/** The payment of an attempt's charge; null if it failed before one was signed. */
export function chargeKey({ chainId, termsHash }: RenewalAttempt): PaymentKey | null {
  return chainId === null || termsHash === null ? null : { chainId, termsHash };
}

/** The period of the newest attempt of each invoice; an invoice without an attempt that has a period is missing. */
export async function keptPeriods(
  database: Database | DatabaseTransaction,
  invoiceIds: readonly string[],
): Promise<Map<string, number>> {
  if (invoiceIds.length === 0) return new Map();
  const attempts = await database.renewalAttempt.findMany({
    where: { invoiceId: { in: [...invoiceIds] }, period: { not: null } },
    orderBy: { id: 'asc' },
    select: { invoiceId: true, period: true },
  });
  return new Map(attempts.flatMap(({ invoiceId, period }) => (period === null ? [] : [[invoiceId, period] as const])));
}

/** Statuses in which the merchant has or had the money; a payment refunded later still counts as paid. */
export const paidStatuses: ReadonlySet<PaymentIntentStatus> = new Set([
  'CAPTURED',
  'SETTLED',
  'REFUND_PENDING',
  'REFUNDED',
]);
