import type { CreateCheckoutSessionInput, SessionWithItems } from '../../../checkout/checkout-session.ts';
import { createCheckoutSession } from '../../../checkout/create-checkout-session.ts';
import { requireCustomer } from '../../../customers/require-customer.ts';
import { createInvoiceCheckout } from '../../../invoices/create-invoice-checkout.ts';
import type { IdempotencyRequest } from '../../../platform/idempotency/idempotency-request.ts';
import { createSubscriptionCheckout } from '../../../subscriptions/checkout/create-subscription-checkout.ts';
import { startLink } from '../links/start-link.ts';
import type { World } from '../server/world.ts';

/** Routes the input of a new session by its purpose: an invoice, a subscription, a link, or items and intents. */
export async function openSession(
  world: World,
  request: {
    scope: { merchantId: string; appId: string };
    input: CreateCheckoutSessionInput;
    idempotency: IdempotencyRequest | undefined;
  },
): Promise<{ session: SessionWithItems; clientSecret: string }> {
  const { scope, input, idempotency } = request;
  if (input.invoiceId) {
    return await createInvoiceCheckout(world, { scope, invoiceId: input.invoiceId, options: input, idempotency });
  }
  if (input.paymentLinkId) {
    const { customerAccountId } = input;
    await requireCustomer(world.database, { appId: scope.appId, id: customerAccountId, param: 'customerAccountId' });
    return await startLink(world, {
      link: { id: input.paymentLinkId, scope },
      input: { quantity: input.quantity, couponCode: input.couponCode },
      options: input,
      idempotency,
    });
  }
  if (input.subscriptionId) {
    const { subscriptionId } = input;
    const param = 'subscriptionId';
    return await createSubscriptionCheckout(world, { scope, subscriptionId, param, options: input, idempotency });
  }
  return await createCheckoutSession(world, {
    app: { id: scope.appId, merchantId: scope.merchantId },
    input,
    idempotency,
  });
}
