/** The queries of checkout sessions; requests of callers are scoped to their merchant. */
import type { Database, DatabaseTransaction, Prisma } from '../../prisma/client.ts';
import { appScope } from '../auth/app-scope.ts';
import type { Scope } from '../auth/principal.ts';
import { GatewayError, notFound } from '../errors.ts';

export const inOrder = { items: { orderBy: { position: 'asc' } } } as const satisfies Prisma.CheckoutSessionInclude;

const toPay = {
  ...inOrder,
  paymentIntent: true,
  app: { include: { payoutAddresses: true } },
} as const satisfies Prisma.CheckoutSessionInclude;

/** A session with everything that paying it needs. */
export type SessionToPay = Prisma.CheckoutSessionGetPayload<{ include: typeof toPay }>;

/** Throws NOT_FOUND both for a missing session and for another merchant's. */
export async function requireSession(
  database: Database | DatabaseTransaction,
  request: { scope: Scope; id: string },
): Promise<SessionToPay> {
  const session = await database.checkoutSession.findFirst({
    where: { id: request.id, ...appScope(request.scope) },
    include: toPay,
  });
  if (!session) throw notFound('checkout session');
  return session;
}

/**
 * Throws CONFLICT if a setting that goes into terms, or a payout address of the app, has changed since the session was read.
 * Prices and chains are queried in between, and terms signed with the old settings must not be stored.
 */
export async function requireSameSettings(tx: DatabaseTransaction, expected: SessionToPay['app']): Promise<void> {
  const { include } = toPay.app;
  const present = await tx.app.findUniqueOrThrow({ where: { id: expected.id }, include });
  if (agreedSettings(present) === agreedSettings(expected)) return;
  throw new GatewayError('CONFLICT', 'The settings of the app have just changed. Prepare the checkout again.', {
    meta: { appId: expected.id },
  });
}

function agreedSettings(app: SessionToPay['app']): string {
  const payouts = app.payoutAddresses.map(({ family, address }) => `${family} ${address}`).sort();
  return [
    app.timelockDuration,
    app.disputeStartDuration,
    app.disputeTimeout,
    app.disputeTimeoutPayerBps,
    app.captureDeadline,
    app.platformFeeBps,
    app.subscriptionCapMultiplier.toString(),
    ...payouts,
  ].join();
}

/** Locks a payment, which is always locked before its sessions. */
export async function lockPaymentIntent(tx: DatabaseTransaction, id: string): Promise<void> {
  await tx.$queryRaw`SELECT id FROM payment_intent WHERE id = ${id}::uuid FOR UPDATE`;
}

export async function lockSession(tx: DatabaseTransaction, id: string): Promise<void> {
  await tx.$queryRaw`SELECT id FROM checkout_session WHERE id = ${id}::uuid FOR UPDATE`;
}

/** Held until the transaction ends, so that relays of one wallet on one chain are decided one at a time. */
export async function lockWallet(tx: DatabaseTransaction, wallet: { chainId: number; address: string }): Promise<void> {
  const name = `wallet:${wallet.chainId}:${wallet.address.toLowerCase()}`;
  await tx.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))::text`;
}

/** The id of a payment with a pending relayed authorization from this wallet, if any. */
export async function relayUnderWay(
  database: Database | DatabaseTransaction,
  wallet: { chainId: number; address: string },
): Promise<string | undefined> {
  const rows = await database.$queryRaw<{ payment_intent_id: string }[]>`
    SELECT t.payment_intent_id
    FROM transaction t
    JOIN quote q ON q.chain_id = t.chain_id AND q.terms_hash = t.terms_hash AND q.payment_intent_id = t.payment_intent_id
    WHERE t.type = 'AUTHORIZE' AND t.status = 'PENDING' AND t.chain_id = ${wallet.chainId}
      AND q.method <> 'DIRECT' AND lower(q.wallet_address) = ${wallet.address.toLowerCase()}
    LIMIT 1`;
  return rows[0]?.payment_intent_id;
}

/** Chains that accept no new payments: an operator paused them, or their state is no longer known. */
export async function pausedChains(database: Database): Promise<Set<number>> {
  const rows = await database.chainCursor.findMany({
    where: { OR: [{ pausedAt: { not: null } }, { haltedAt: { not: null } }] },
    select: { chainId: true },
  });
  return new Set(rows.map((row) => row.chainId));
}
