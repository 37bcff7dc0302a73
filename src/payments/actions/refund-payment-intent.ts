import type { DatabaseTransaction, PaymentIntent, Refund } from '../../../prisma/client.ts';
import { recordAction } from '../../auth/audit/record-action.ts';
import { GatewayError } from '../../errors.ts';
import { appendEvents } from '../../events/append-events.ts';
import { idempotently } from '../../platform/idempotency/idempotently.ts';
import { newId } from '../../platform/identifier.ts';
import { toDecimal } from '../../prices/base-units.ts';
import { requestTransaction } from '../transactions/request-transaction.ts';
import type { ActionWorld, PaymentRequest } from './action-world.ts';
import { heldMoney, requireNoMoneyOut, withdrawSettlement } from './held-payment.ts';
import { lockPayment } from './lock-payment.ts';
import { paymentEvent } from './payment-event.ts';
import { refundOrder } from './payout-order.ts';
import { parseRefund, type RefundSize, refundAmount } from './refund-amount.ts';
import { requireTransition } from './require-transition.ts';

/** The result of a refund request; amounts in base units. */
export type RefundAnswer = {
  paymentIntentId: string;
  refundId: string;
  transactionId: string;
  txHash: string | null;
  status: Refund['status'];
  amount: string;
  leftoverAfter: string;
  tokenKey: string;
  reason: string;
};

/**
 * Refunds a captured payment: all that is left, `amount` base units, or `percent` of what is left, rounded down. Writes the
 * refund, a PENDING REFUND transaction and the status REFUND_PENDING with its event, under the payment's lock. The contract
 * rejects the refund if the amount left differs from `expectedLeft`, so that no retry or race refunds twice. On Solana it first
 * withdraws a settlement that waits and is not signed. Throws NOT_FOUND, INVALID_STATE and VALIDATION_ERROR (both sizes given,
 * zero, more than is left, partial on Solana).
 */
export async function refundPaymentIntent(
  world: ActionWorld,
  request: PaymentRequest & {
    reason: string;
    amount?: string | null | undefined;
    percent?: number | null | undefined;
  },
): Promise<RefundAnswer> {
  return await idempotently(world.database, request.idempotency, async (write) => {
    const { reason, size } = parseRefund(request);
    return await write(async (tx) => {
      const intent = await lockPayment(tx, request);
      requireTransition(intent, 'REFUND');
      return await requestRefund(tx, { world, intent, size, reason });
    });
  });
}

async function requestRefund(
  tx: DatabaseTransaction,
  { world, intent, size, reason }: { world: ActionWorld; intent: PaymentIntent; size: RefundSize; reason: string },
): Promise<RefundAnswer> {
  const held = await heldMoney(tx, { registry: world.registry, intent });
  const withdrawn = held.family === 'SOLANA' ? await withdrawSettlement(tx, held) : null;
  await requireNoMoneyOut(tx, held);
  const amount = refundAmount(size, held.remainingAmount);
  if (held.chain.family === 'SOLANA' && amount !== held.remainingAmount) {
    throw new GatewayError('VALIDATION_ERROR', 'A payment on Solana can only be refunded in full.', {
      param: size.kind === 'PERCENT' ? 'percent' : 'amount',
    });
  }
  const sent = await requestTransaction(tx, {
    paymentIntentId: intent.id,
    chainId: held.chain.chainId,
    termsHash: held.termsHash,
    type: 'REFUND',
    ...refundOrder(world.operator, held, amount),
    amount,
  });
  // Every transaction that was signed for the settlement has expired at this slot, so the vault is read at this slot or later.
  if (withdrawn?.blockNumber != null) {
    const { blockNumber } = withdrawn;
    await tx.outgoingTransaction.update({ where: { transactionId: sent.id }, data: { blockNumber } });
  }
  const leftoverAfter = held.remainingAmount - amount;
  const row = await tx.refund.create({
    data: {
      id: newId(),
      paymentIntentId: intent.id,
      transactionId: sent.id,
      amount: toDecimal(amount),
      leftoverAfter: toDecimal(leftoverAfter),
      tokenKey: held.tokenKey,
      reason,
    },
  });
  const { tokenKey } = held;
  await recordAction(tx, {
    action: 'payment_intent.refunded',
    owner: { appId: intent.appId },
    target: { type: 'PaymentIntent', id: intent.id },
    before: { status: intent.status, leftAmount: held.remainingAmount },
    after: { status: 'REFUND_PENDING', leftAmount: leftoverAfter, refundId: row.id, amount, tokenKey, reason },
  });
  const pending = await tx.paymentIntent.update({ where: { id: intent.id }, data: { status: 'REFUND_PENDING' } });
  await appendEvents(tx, intent.appId, [paymentEvent('payment_intent.refund_pending', pending)]);
  return {
    paymentIntentId: intent.id,
    refundId: row.id,
    transactionId: sent.id,
    txHash: sent.txHash,
    status: row.status,
    amount: String(amount),
    leftoverAfter: String(leftoverAfter),
    tokenKey,
    reason,
  };
}
