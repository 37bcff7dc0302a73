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

/** What the earlier attempts of an invoice mean for the next one. */
export type EarlierAttempts = {
  /** The period of the newest attempt under the present consent; null if there is none. */
  period: number | null;
  /** Until when the contract could accept a charge that was signed under a consent that has been replaced since; null if there is none. */
  openUntil: Date | null;
};

/** The earlier attempts of each invoice; an invoice without any is missing. `consentId` is the present consent of its subscription. */
export async function earlierAttempts(
  database: Database | DatabaseTransaction,
  dues: readonly { invoiceId: string; consentId: string }[],
): Promise<Map<string, EarlierAttempts>> {
  if (dues.length === 0) return new Map();
  const attempts = await database.renewalAttempt.findMany({
    where: { invoiceId: { in: dues.map(({ invoiceId }) => invoiceId) }, period: { not: null } },
    orderBy: { id: 'asc' },
    select: { invoiceId: true, consentId: true, period: true, termsHash: true },
  });
  const present = new Map(dues.map(({ invoiceId, consentId }) => [invoiceId, consentId]));
  const isOfPresent = (attempt: (typeof attempts)[number]) => attempt.consentId === present.get(attempt.invoiceId);
  const replaced = attempts.filter((attempt) => !isOfPresent(attempt));
  const ends = await authorizeBys(database, replaced);
  const earlier = new Map<string, EarlierAttempts>();
  for (const attempt of attempts) {
    const known = earlier.get(attempt.invoiceId) ?? { period: null, openUntil: null };
    const end = ends.get(attempt.termsHash ?? '') ?? null;
    const isLater = end !== null && (known.openUntil === null || end > known.openUntil);
    earlier.set(attempt.invoiceId, {
      period: isOfPresent(attempt) ? attempt.period : known.period,
      openUntil: isLater ? end : known.openUntil,
    });
  }
  return earlier;
}

/** Until when the charges of attempts can be accepted, by their terms' hashes. */
async function authorizeBys(
  database: Database | DatabaseTransaction,
  attempts: readonly { termsHash: string | null }[],
): Promise<Map<string, Date>> {
  const hashes = attempts.flatMap(({ termsHash }) => termsHash ?? []);
  if (hashes.length === 0) return new Map();
  const terms = await database.paymentTerms.findMany({
    where: { termsHash: { in: hashes } },
    select: { termsHash: true, authorizeBy: true },
  });
  return new Map(terms.map(({ termsHash, authorizeBy }) => [termsHash, authorizeBy]));
}

/** Statuses in which the merchant has or had the money; a payment refunded later still counts as paid. */
export const paidStatuses: ReadonlySet<PaymentIntentStatus> = new Set([
  'CAPTURED',
  'SETTLED',
  'REFUND_PENDING',
  'REFUNDED',
]);
