import type { Database, DatabaseTransaction, PaymentIntent } from '../../prisma/client.ts';
import { recordAction } from '../auth/audit/record-action.ts';
import type { Scope } from '../auth/principal.ts';
import { moveRedemption } from '../catalog/coupons/redemption.ts';
import type { Config } from '../config/config.ts';
import { GatewayError } from '../errors.ts';
import { appendEvents } from '../events/append-events.ts';
import { cancelUnpaid } from '../payments/actions/cancel-payment-intent.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../platform/idempotency/idempotently.ts';
import { checkoutSessionFields, type SessionWithItems } from './checkout-session.ts';
import { releaseStock } from './links/link-stock.ts';
import { inOrder, lockPaymentIntent, lockSession, requireSession } from './store.ts';

type ExpiryWorld = { database: Database; config: Pick<Config, 'publicUrl'> };

/**
 * Ends an OPEN session early, and cancels an intent that was created with it. Appends `checkout_session.expired`, and
 * `payment_intent.cancelled` for the intent. Throws NOT_FOUND, and INVALID_STATE if the session is not OPEN or its payment is
 * already on chain.
 */
export async function expireCheckoutSession(
  world: ExpiryWorld,
  request: { scope: Scope; sessionId: string; idempotency?: IdempotencyRequest | undefined },
): Promise<SessionWithItems> {
  return await idempotently(world.database, request.idempotency, async (write) => {
    const found = await requireSession(world.database, { scope: request.scope, id: request.sessionId });
    return await write(async (tx) => {
      if (found.paymentIntentId !== null) await lockPaymentIntent(tx, found.paymentIntentId);
      await lockSession(tx, found.id);
      const session = await requireSession(tx, { scope: request.scope, id: found.id });
      if (session.status !== 'OPEN') {
        throw new GatewayError(
          'INVALID_STATE',
          `The checkout session is ${session.status}. Only an OPEN session can be expired.`,
        );
      }
      if (session.paymentIntent && session.paymentIntent.status !== 'CREATED') {
        throw new GatewayError('INVALID_STATE', 'The payment of the checkout session is pending.');
      }
      const { paymentIntentId } = session;
      await recordAction(tx, {
        action: 'checkout_session.expired',
        owner: { appId: session.appId },
        target: { type: 'CheckoutSession', id: session.id },
        before: { status: session.status, paymentIntentId },
        after: { status: 'EXPIRED', paymentIntentId },
      });
      if (session.ownsIntent && session.paymentIntent) await cancelUnpaid(tx, session.paymentIntent);
      return await markExpired(tx, { id: session.id, publicUrl: world.config.publicUrl });
    });
  });
}

/** Marks a locked session EXPIRED, releases its coupon and the units that it holds of its link, and appends its event as the transaction's last statement. */
export async function markExpired(
  tx: DatabaseTransaction,
  request: { id: string; publicUrl: string },
): Promise<SessionWithItems> {
  const session = await tx.checkoutSession.update({
    where: { id: request.id },
    data: { status: 'EXPIRED' },
    include: inOrder,
  });
  await releaseStock(tx, session);
  await moveRedemption(tx, { session, to: 'RELEASED' });
  const data = checkoutSessionFields(session, request.publicUrl);
  await appendEvents(tx, session.appId, [{ type: 'checkout_session.expired', resourceId: session.id, data }]);
  return session;
}

/**
 * Cancels a payment that should no longer be made, and ends its OPEN sessions; money that still arrives is returned. The
 * intent is CREATED, and the caller holds its lock. Appends `payment_intent.cancelled` and `checkout_session.expired`. Throws
 * INVALID_STATE while an authorization of the intent is on chain and not final.
 */
export async function endUnpaidPayment(
  tx: DatabaseTransaction,
  { intent, publicUrl }: { intent: PaymentIntent; publicUrl: string },
): Promise<void> {
  const sessions = await tx.checkoutSession.findMany({
    where: { paymentIntentId: intent.id, status: 'OPEN' },
    orderBy: { id: 'asc' },
    select: { id: true },
  });
  for (const { id } of sessions) await lockSession(tx, id);
  await cancelUnpaid(tx, intent);
  for (const { id } of sessions) await markExpired(tx, { id, publicUrl });
}
