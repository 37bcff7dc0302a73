import { type Database, type DatabaseTransaction, type PaymentIntent, transaction } from '../../../prisma/client.ts';
import type { Scope } from '../../auth/principal.ts';
import { type SessionWithItems, sessionExpiry } from '../../checkout/checkout-session.ts';
import { openCheckoutSession } from '../../checkout/open-checkout-session.ts';
import { GatewayError } from '../../errors.ts';
import { appendEvents } from '../../events/append-events.ts';
import { prolongPayable } from '../../payments/actions/prolong-payable.ts';
import type { Clock } from '../../platform/clock.ts';
import { firstAnswer } from '../../platform/idempotency/first-answer.ts';
import type { IdempotencyRequest } from '../../platform/idempotency/idempotency-request.ts';
import { once } from '../../platform/idempotency/once.ts';
import { sealed, unsealed } from '../../platform/idempotency/sealed.ts';
import { lockOwnSubscription, type SubscriptionWithPrice } from '../store.ts';
import { periodPrice, type SubscriptionSessionOptions, subscriptionSession } from './subscription-session.ts';

type Answer = { session: SessionWithItems; clientSecret: string };

/**
 * Opens the session in which the payer of a PENDING subscription signs its consent and pays the first period; with a
 * trial there is nothing to pay yet, and no intent. Sessions of one subscription share the intent while it can be paid,
 * so that two tabs pay once. Appends `payment_intent.created`. A replay answers the same client secret.
 * Throws NOT_FOUND; INVALID_STATE for one that is not PENDING, or whose first payment is under way.
 */
export async function createSubscriptionCheckout(
  world: { database: Database; clock: Clock },
  request: {
    scope: Scope;
    subscriptionId: string;
    options: SubscriptionSessionOptions;
    idempotency?: IdempotencyRequest | undefined;
  },
): Promise<Answer> {
  const { idempotency, options } = request;
  const reveal = (answer: Answer) => ({ ...answer, clientSecret: unsealed(idempotency, answer.clientSecret) });
  const first = await firstAnswer<Answer>(world.database, idempotency);
  if (first) return reveal(first.result);
  const { result } = await transaction(world.database, (tx) =>
    once(tx, idempotency, async () => {
      const subscription = await lockOwnSubscription(tx, { scope: request.scope, id: request.subscriptionId });
      if (subscription.status !== 'PENDING') {
        throw new GatewayError(
          'INVALID_STATE',
          `The subscription is ${subscription.status}; only a PENDING one is started.`,
        );
      }
      const now = world.clock.now();
      const plan = await tx.productPlan.findUniqueOrThrow({
        where: { id: subscription.productPlanId },
        include: { taxRate: true },
      });
      const price = subscription.productPlanPrice;
      const total = periodPrice(plan, price).total.total.toFixed(2);
      const expiresAt = sessionExpiry(now, options.expiresInMinutes);
      const intent = await payableIntent(tx, { subscription, total, until: expiresAt });
      const app = await tx.app.findUniqueOrThrow({ where: { id: subscription.appId } });
      const session = subscriptionSession({ app, subscription, plan, price, intent, now, expiresAt, options });
      const opened = await openCheckoutSession(tx, session);
      await appendEvents(tx, app.id, opened.events);
      return { session: opened.session, clientSecret: sealed(idempotency, opened.clientSecret) };
    }),
  );
  return reveal(result);
}

/** The first payment where it can still be made, at today's price; null where a new one is needed. */
async function payableIntent(
  tx: DatabaseTransaction,
  request: { subscription: SubscriptionWithPrice; total: string; until: Date },
): Promise<PaymentIntent | null> {
  const { subscription, total, until } = request;
  const found = await tx.paymentIntent.findFirst({
    where: { sourceType: 'SUBSCRIPTION', sourceId: subscription.id, appId: subscription.appId },
    orderBy: { id: 'desc' },
    select: { id: true },
  });
  if (!found) return null;
  const intent = await prolongPayable(tx, { ...found, until, name: "The subscription's first payment" });
  return intent?.amount.toFixed(2) === total ? intent : null;
}
