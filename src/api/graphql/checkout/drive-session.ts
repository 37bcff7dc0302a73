/** Routes the operations on a session by its mode: payments to checkout, subscriptions to subscriptions. */
import type { Scope } from '../../../auth/principal.ts';
import { scopedDatabase } from '../../../auth/scoped-database.ts';
import type { SessionWithItems } from '../../../checkout/checkout-session.ts';
import { type ConfirmInput, confirmCheckout } from '../../../checkout/confirm-checkout.ts';
import { type PreparedCheckout, prepareCheckout } from '../../../checkout/prepare-checkout.ts';
import type { WayToPay } from '../../../checkout/way-to-pay.ts';
import type { IdempotencyRequest } from '../../../platform/idempotency/idempotency-request.ts';
import { confirmConsent } from '../../../subscriptions/consent/confirm-consent.ts';
import { prepareConsent } from '../../../subscriptions/consent/prepare-consent.ts';
import type { World } from '../server/world.ts';

type SessionName = { scope: Scope; sessionId: string };

export async function prepareSession(
  world: World,
  request: SessionName & { input: WayToPay; idempotency: IdempotencyRequest | undefined },
): Promise<PreparedCheckout> {
  const isRecurring = await isSubscription(world, request);
  return isRecurring ? await prepareConsent(world, request) : await prepareCheckout(world, request);
}

export async function confirmSession(
  world: World,
  request: SessionName & { input: ConfirmInput; idempotency: IdempotencyRequest | undefined },
): Promise<SessionWithItems> {
  const isRecurring = await isSubscription(world, request);
  return isRecurring ? await confirmConsent(world, request) : await confirmCheckout(world, request);
}

/** Returns false for a session of another merchant, for which the operation then throws NOT_FOUND. */
async function isSubscription(world: World, { scope, sessionId }: SessionName): Promise<boolean> {
  const sessions = scopedDatabase(world.database, scope).checkoutSession;
  return (await sessions.count({ where: { id: sessionId, mode: 'SUBSCRIPTION' } })) > 0;
}
