import type { StartLinkCheckoutInput } from '../../../checkout/links/link-checkout.ts';
import {
  findLink,
  type LinkName,
  type LinkSessionOptions,
  startLinkCheckout,
} from '../../../checkout/links/start-link-checkout.ts';
import type { IdempotencyRequest } from '../../../platform/idempotency/idempotency-request.ts';
import { startLinkSubscription } from '../../../subscriptions/checkout/start-link-subscription.ts';
import type { World } from '../server/world.ts';

/** Routes a link by what it sells: a SUBSCRIPTION plan starts a subscription, anything else is one payment. */
export async function startLink(
  world: World,
  request: {
    link: LinkName;
    input: StartLinkCheckoutInput;
    options?: LinkSessionOptions;
    idempotency: IdempotencyRequest | undefined;
  },
) {
  const link = await findLink(world.database, request.link);
  const start = link.productPlan?.planType === 'SUBSCRIPTION' ? startLinkSubscription : startLinkCheckout;
  return await start(world, request);
}
