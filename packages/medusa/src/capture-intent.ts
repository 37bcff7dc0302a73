import { MedusaError } from '@medusajs/framework/utils';
import { type Intent, isBeingReturned, isCaptured } from './payment-state.ts';
import { isInvalidState } from './provider-errors.ts';
import { type ProviderWorld, waitForIntent } from './wait-for-intent.ts';

/**
 * Captures all that is held, and resolves when the capture is final: Medusa records a captured payment as money that the merchant
 * has. A payment that is captured already is left as it is. If finality takes longer, throws NOT_ALLOWED; the webhook of the
 * capture then records it in Medusa.
 */
export async function captureIntent(
  world: ProviderWorld,
  { id, idempotencyKey }: { id: string; idempotencyKey: string | undefined },
): Promise<Intent> {
  const { sluice } = world;
  const intent = await sluice.paymentIntents.get(id);
  if (isCaptured(intent)) return intent;
  requireHeld(intent);
  try {
    await sluice.paymentIntents.capture(id, {}, idempotencyKey === undefined ? {} : { idempotencyKey });
  } catch (error) {
    // A capture that was requested before is waited for below.
    if (!isInvalidState(error) || !isCapturePending(await sluice.paymentIntents.get(id))) throw error;
  }
  const captured = await waitForIntent(world, id, ({ status }) => status !== 'AUTHORIZED');
  if (isCaptured(captured)) return captured;
  requireHeld(captured);
  throw new MedusaError(
    MedusaError.Types.NOT_ALLOWED,
    `The capture of payment ${id} has been sent and is not final yet. Medusa records it when it is.`,
  );
}

function requireHeld(intent: Intent): void {
  if (intent.status === 'AUTHORIZED' && !isBeingReturned(intent)) return;
  const why = intent.status === 'AUTHORIZED' ? 'is being returned to the payer' : `is ${intent.status}`;
  throw new MedusaError(MedusaError.Types.NOT_ALLOWED, `Payment ${intent.id} ${why}, and cannot be captured.`);
}

function isCapturePending(intent: Intent): boolean {
  return (
    intent.status === 'CAPTURED' ||
    intent.transactions.some(({ type, status }) => type === 'CAPTURE' && status !== 'FAILED')
  );
}
