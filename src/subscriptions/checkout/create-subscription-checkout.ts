import type { Database, DatabaseTransaction, PaymentIntent, ProductPlanPrice } from '../../../prisma/client.ts';
import type { Scope } from '../../auth/principal.ts';
import { holdAgain } from '../../catalog/coupons/redemption.ts';
import { type SessionWithItems, sessionExpiry } from '../../checkout/checkout-session.ts';
import { endUnpaidPayment } from '../../checkout/expire-checkout-session.ts';
import { openCheckoutSession } from '../../checkout/open-checkout-session.ts';
import type { Config } from '../../config/config.ts';
import { GatewayError } from '../../errors.ts';
import { appendEvents } from '../../events/append-events.ts';
import { prolongPayable } from '../../payments/actions/prolong-payable.ts';
import type { Clock } from '../../platform/clock.ts';
import type { IdempotencyRequest } from '../../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../../platform/idempotency/idempotently.ts';
import { sealed, unsealed } from '../../platform/idempotency/sealed.ts';
import { nextDiscount } from '../discount/subscription-discount.ts';
import { lockOwnSubscription, type SubscriptionWithPrice } from '../store.ts';
import {
  beginsUnpaid,
  type PlanWithRate,
  periodPrice,
  type SubscriptionSessionOptions,
  subscriptionSession,
} from './subscription-session.ts';

type Answer = { session: SessionWithItems; clientSecret: string };

/**
 * Opens the session in which the payer of a PENDING subscription signs its consent and pays the first period; with a trial there
 * is nothing to pay yet, and no intent. Sessions of one subscription share the intent while it can be paid, so that a payer with
 * two tabs pays once. If the price has changed since, the intent is cancelled and its sessions end. Appends
 * `payment_intent.created`, and, for the outdated ones, `payment_intent.cancelled` and `checkout_session.expired`. A replay
 * returns the same client secret. Throws NOT_FOUND; INVALID_STATE if the subscription is not PENDING or its first payment is
 * pending; and CONFLICT if its coupon was released with its last session, and has been used up since.
 */
export async function createSubscriptionCheckout(
  world: { database: Database; clock: Clock; config: Pick<Config, 'publicUrl'> },
  request: {
    scope: Scope;
    subscriptionId: string;
    /** The body field with the subscription's id, unless the path contains it. */
    param?: string;
    options: SubscriptionSessionOptions;
    idempotency?: IdempotencyRequest | undefined;
  },
): Promise<Answer> {
  const { idempotency, options } = request;
  const reveal = (answer: Answer) => ({ ...answer, clientSecret: unsealed(idempotency, answer.clientSecret) });
  const stored = await idempotently<Answer>(world.database, idempotency, (write) =>
    write(async (tx) => {
      const { scope, subscriptionId: id, param } = request;
      const subscription = await lockOwnSubscription(tx, { scope, id, param });
      if (subscription.status !== 'PENDING') {
        throw new GatewayError(
          'INVALID_STATE',
          `The subscription is ${subscription.status}. Only a PENDING subscription can be started.`,
        );
      }
      const now = world.clock.now();
      const plan = await tx.productPlan.findUniqueOrThrow({
        where: { id: subscription.productPlanId },
        include: { taxRate: true },
      });
      const price = subscription.productPlanPrice;
      const expiresAt = sessionExpiry(now, options.expiresInMinutes);
      const before = await payableIntent(tx, { subscription, until: expiresAt });
      const intent = before && isSoldAt(before, { subscription, plan, price }) ? before : null;
      if (subscription.coupon) await holdAgain(tx, { subscription, coupon: subscription.coupon });
      const app = await tx.app.findUniqueOrThrow({ where: { id: subscription.appId } });
      const session = subscriptionSession({ app, subscription, plan, price, intent, now, expiresAt, options });
      const opened = await openCheckoutSession(tx, session);
      if (before && !intent) await endOutdated(tx, { intent: before, publicUrl: world.config.publicUrl });
      await appendEvents(tx, app.id, opened.events);
      return { session: opened.session, clientSecret: sealed(idempotency, opened.clientSecret) };
    }),
  );
  return reveal(stored);
}

/** The first payment if it can still be made; null if a new one is needed. */
async function payableIntent(
  tx: DatabaseTransaction,
  { subscription, until }: { subscription: SubscriptionWithPrice; until: Date },
): Promise<PaymentIntent | null> {
  const found = await tx.paymentIntent.findFirst({
    where: { sourceType: 'SUBSCRIPTION', sourceId: subscription.id, appId: subscription.appId },
    orderBy: { id: 'desc' },
    select: { id: true },
  });
  if (!found) return null;
  return await prolongPayable(tx, { ...found, until, name: "The subscription's first payment" });
}

/** Whether the intent's amount is the current price of the first period. */
function isSoldAt(
  intent: PaymentIntent,
  { subscription, plan, price }: { subscription: SubscriptionWithPrice; plan: PlanWithRate; price: ProductPlanPrice },
): boolean {
  if (beginsUnpaid(price) || intent.currency !== price.currency) return false;
  return intent.amount.toFixed(2) === periodPrice(plan, price, nextDiscount(subscription)).total.total.toFixed(2);
}

/** Ends the payment at the previous price, unless its charge is pending, so that only one price is paid. */
async function endOutdated(
  tx: DatabaseTransaction,
  { intent, publicUrl }: { intent: PaymentIntent; publicUrl: string },
): Promise<void> {
  const where = { paymentIntentId: intent.id, type: 'AUTHORIZE', status: 'PENDING' } as const;
  if ((await tx.transaction.count({ where })) > 0) {
    throw new GatewayError('INVALID_STATE', 'The first payment of the subscription is pending at the previous price.', {
      meta: { paymentIntentId: intent.id },
    });
  }
  await endUnpaidPayment(tx, { intent, publicUrl });
}
