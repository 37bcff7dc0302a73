import { Decimal } from 'decimal.js';
import type { Database, DatabaseTransaction } from '../../../prisma/client.ts';
import type { Scope } from '../../auth/principal.ts';
import { readSelection } from '../../chains/chain-selection.ts';
import { type SessionWithItems, sessionExpiry } from '../../checkout/checkout-session.ts';
import { type NewCheckoutSession, openCheckoutSession } from '../../checkout/open-checkout-session.ts';
import { appendEvents } from '../../events/append-events.ts';
import { invoiceItems } from '../../invoices/invoice-items.ts';
import type { Clock } from '../../platform/clock.ts';
import type { IdempotencyRequest } from '../../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../../platform/idempotency/idempotently.ts';
import { sealed, unsealed } from '../../platform/idempotency/sealed.ts';
import { currencyOf } from '../../prices/money.ts';
import { type DueInvoice, findDueRenewal, requireRunning } from '../consent/due-renewal.ts';
import { nextPrice, type RenewableSubscription } from '../renewal/renewal-world.ts';
import { lockRenewable } from '../renewal/store.ts';
import { lockOwnSubscription } from '../store.ts';
import { type SubscriptionSessionOptions, soldForPeriod } from './subscription-session.ts';

type Answer = { session: SessionWithItems; clientSecret: string };

/**
 * Opens the session in which the payer of a running subscription signs a consent that replaces the present one, from the same or
 * another wallet. The session shows the open invoice of the period that could not be charged, or else the next period's price. It has
 * no payment: the subscription charges the invoice under the new consent as it charges every renewal. A replay returns the same client
 * secret. Throws NOT_FOUND, and INVALID_STATE if the subscription is neither ACTIVE nor PAST_DUE.
 */
export async function createConsentRenewal(
  world: { database: Database; clock: Clock },
  request: {
    scope: Scope;
    subscriptionId: string;
    options: SubscriptionSessionOptions;
    idempotency?: IdempotencyRequest | undefined;
  },
): Promise<Answer> {
  const { idempotency, options, scope, subscriptionId } = request;
  const reveal = (answer: Answer) => ({ ...answer, clientSecret: unsealed(idempotency, answer.clientSecret) });
  const stored = await idempotently<Answer>(world.database, idempotency, (write) =>
    write(async (tx) => {
      const locked = await lockOwnSubscription(tx, { scope, id: subscriptionId });
      requireRunning(locked);
      const subscription = await lockRenewable(tx, locked.id);
      if (!subscription) throw new Error(`Subscription ${locked.id} was locked and is missing.`);
      const now = world.clock.now();
      const opened = await openCheckoutSession(tx, {
        ...(await soldTo(tx, subscription)),
        app: subscription.app,
        now,
        expiresAt: sessionExpiry(now, options.expiresInMinutes),
        mode: 'SUBSCRIPTION',
        uiMode: options.uiMode,
        payment: { kind: 'none' },
        source: { type: 'SUBSCRIPTION', id: subscription.id },
        subscriptionId: subscription.id,
        renewsConsent: true,
        customerAccountId: subscription.customerAccountId,
        selection: readSelection(subscription),
        successUrl: options.successUrl,
        cancelUrl: options.cancelUrl,
        metadata: options.metadata,
      });
      await appendEvents(tx, subscription.appId, opened.events);
      return { session: opened.session, clientSecret: sealed(idempotency, opened.clientSecret) };
    }),
  );
  return reveal(stored);
}

type Sold = Pick<NewCheckoutSession, 'currency' | 'total' | 'taxRateId' | 'couponId' | 'items'>;

async function soldTo(tx: DatabaseTransaction, subscription: RenewableSubscription): Promise<Sold> {
  const { invoice } = await findDueRenewal(tx, subscription);
  return invoice ? soldOn(invoice) : soldForPeriod(subscription, nextPrice(subscription));
}

function soldOn(invoice: DueInvoice): Sold {
  return {
    currency: currencyOf(invoice.currency),
    total: {
      subtotal: new Decimal(invoice.subtotal.toString()),
      taxAmount: new Decimal(invoice.taxAmount.toString()),
      total: new Decimal(invoice.total.toString()),
    },
    taxRateId: invoice.taxRateId,
    items: invoiceItems(invoice.items),
  };
}
