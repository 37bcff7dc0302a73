import { z } from 'zod';
import type { DatabaseTransaction, PaymentIntent } from '../../../prisma/client.ts';
import { recordAction } from '../../auth/audit/record-action.ts';
import { GatewayError, invalid } from '../../errors.ts';
import { captureCall } from '../../escrow/calldata.ts';
import { idempotently } from '../../platform/idempotency/idempotently.ts';
import { parseInput } from '../../platform/parse-input.ts';
import { requestTransaction } from '../transactions/request-transaction.ts';
import type { ActionWorld, PaymentRequest } from './action-world.ts';
import { type HeldPayment, heldPayment, requireNoMoneyOut } from './held-payment.ts';
import { lockPayment } from './lock-payment.ts';
import { baseUnitsSchema } from './refund-amount.ts';
import { requireTransition } from './require-transition.ts';

/** The number of captures sent before the payment is given up. */
export const maxCaptureAttempts = 3;
const SIMULATIONS_PER_ATTEMPT = 4;

/** The input of a capture: `amount` in base units, by default all that is held. */
export const captureSchema = z.object({ amount: baseUnitsSchema.nullish() });

/**
 * Captures a held payment: `amount` base units of what is left, or all of it; the rest returns to the payer in the same
 * transaction. Writes and queues a PENDING CAPTURE transaction; the contract's event makes the payment CAPTURED. Throws
 * NOT_FOUND, INVALID_STATE (not AUTHORIZED, deadline passed, another transaction pending) and VALIDATION_ERROR.
 */
export async function capturePaymentIntent(
  world: ActionWorld,
  request: PaymentRequest & { amount?: string | null | undefined },
): Promise<PaymentIntent> {
  return await idempotently(world.database, request.idempotency, async (write) => {
    const { amount: given } = parseInput(captureSchema, request);
    const asked = typeof given === 'string' ? BigInt(given) : null;
    return await write(async (tx) => {
      const intent = await lockPayment(tx, request);
      requireTransition(intent, 'CAPTURE');
      const held = await heldPayment(tx, { registry: world.registry, intent });
      if (held.terms.captureBy < world.clock.now().getTime() / 1000) {
        throw new GatewayError('INVALID_STATE', 'The deadline for capturing this payment has passed.');
      }
      await requireNoMoneyOut(tx, held);
      const amount = asked ?? held.remainingAmount;
      if (amount > held.remainingAmount)
        throw invalid([{ param: 'amount', message: `exceeds the ${held.remainingAmount} held` }]);
      await requestCapture(tx, { world, intent, held, amount });
      await recordAction(tx, {
        action: 'payment_intent.captured',
        owner: { appId: intent.appId },
        target: { type: 'PaymentIntent', id: intent.id },
        before: { heldAmount: held.remainingAmount },
        after: { capturedAmount: amount, returnedAmount: held.remainingAmount - amount, tokenKey: held.tokenKey },
      });
      return await tx.paymentIntent.update({ where: { id: intent.id }, data: { captureAttempts: { increment: 1 } } });
    });
  });
}

/** Records and queues the capture transaction; also used to repeat a failed capture. */
export async function requestCapture(
  tx: DatabaseTransaction,
  {
    world,
    intent,
    held,
    amount,
  }: { world: Pick<ActionWorld, 'operator'>; intent: PaymentIntent; held: HeldPayment; amount: bigint },
): Promise<void> {
  await requestTransaction(tx, {
    paymentIntentId: intent.id,
    chainId: held.chain.chainId,
    termsHash: held.termsHash,
    type: 'CAPTURE',
    call: captureCall({ escrow: held.escrow, terms: held.terms, amount, expectedLeft: held.remainingAmount }),
    amount,
    sender: world.operator.address,
    maxFailures: SIMULATIONS_PER_ATTEMPT,
  });
}
