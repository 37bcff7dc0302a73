import type { ProviderWebhookPayload, WebhookActionResult } from '@medusajs/framework/types';
import { MedusaError, PaymentActions } from '@medusajs/framework/utils';
import { type Sluice, WebhookVerificationError, webhooks } from '@sluice/sdk';
import { isCaptured, sessionStatusOf } from './payment-state.ts';

/** The name under which an intent's metadata has Medusa's payment session. */
export const SESSION_KEY = 'medusaSessionId';

/**
 * Medusa may verify a webhook long after it arrived: its queue delays and retries. An old or repeated webhook does no harm,
 * because nothing but the id of the payment is taken from it.
 */
const TOLERANCE_SECONDS = 86_400;

const ignored: WebhookActionResult = { action: PaymentActions.NOT_SUPPORTED };

/**
 * Verifies the webhook and reads its payment intent anew, so that the answer depends on what is true now and not on when, how
 * often or in which order webhooks arrive. Events of other integrations of the app are ignored. Throws UNAUTHORIZED if the
 * webhook was not signed by the gateway.
 */
export async function readWebhook(
  { sluice, secret }: { sluice: Sluice; secret: string | readonly string[] },
  { rawData, headers }: ProviderWebhookPayload['payload'],
): Promise<WebhookActionResult> {
  const event = await verify({ body: rawData, headers: headers as Record<string, string>, secret });
  const { id } = (event.data ?? {}) as { id?: unknown };
  if (!isOfInterest(event.type) || typeof id !== 'string') return ignored;
  const intent = await sluice.paymentIntents.get(id);
  const sessionId = intent.metadata[SESSION_KEY];
  if (typeof sessionId !== 'string') return ignored;
  const data = { session_id: sessionId, amount: intent.amount };
  switch (event.type) {
    case 'payment_intent.authorized':
      // A payment that is captured by now has an event of its own for that.
      return intent.status === 'AUTHORIZED' && sessionStatusOf(intent) === 'authorized'
        ? { action: PaymentActions.AUTHORIZED, data }
        : ignored;
    case 'payment_intent.captured':
      return isCaptured(intent) ? { action: PaymentActions.SUCCESSFUL, data } : ignored;
    case 'payment_intent.cancelled':
      return intent.status === 'CANCELLED' ? { action: PaymentActions.CANCELED, data } : ignored;
    case 'payment_intent.failed':
      return intent.status === 'FAILED' ? { action: PaymentActions.FAILED, data } : ignored;
    default:
      return event.type satisfies never;
  }
}

const eventsOfInterest = [
  'payment_intent.authorized',
  'payment_intent.captured',
  'payment_intent.cancelled',
  'payment_intent.failed',
] as const;

function isOfInterest(type: string): type is (typeof eventsOfInterest)[number] {
  return eventsOfInterest.some((one) => one === type);
}

async function verify(webhook: {
  body: string | Buffer;
  headers: Record<string, string>;
  secret: string | readonly string[];
}): Promise<{ type: string; data?: unknown }> {
  try {
    return await webhooks.verify({ ...webhook, toleranceSeconds: TOLERANCE_SECONDS });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    throw new MedusaError(MedusaError.Types.UNAUTHORIZED, `Sluice: the webhook was refused. ${error.message}`);
  }
}
