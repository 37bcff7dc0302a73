import type { DatabaseTransaction, PaymentIntent } from '../../../prisma/client.ts';
import { recordAction } from '../../auth/audit/record-action.ts';
import { GatewayError } from '../../errors.ts';
import { voidCall } from '../../escrow/calldata.ts';
import { appendEvents } from '../../events/append-events.ts';
import { idempotently } from '../../platform/idempotency/idempotently.ts';
import { scheduleDeposits } from '../deposits/schedule-deposits.ts';
import { requestTransaction } from '../transactions/request-transaction.ts';
import type { ActionWorld, PaymentRequest } from './action-world.ts';
import { heldPayment, pendingMoneyOut, requireNoMoneyOut } from './held-payment.ts';
import { lockPayment } from './lock-payment.ts';
import { paymentEvent } from './payment-event.ts';
import { requireTransition } from './require-transition.ts';

/**
 * Cancels a payment that has not been captured. A CREATED intent becomes CANCELLED at once, with its event. An AUTHORIZED intent
 * stays AUTHORIZED, with a PENDING VOID transaction, until the void is confirmed on chain. Throws INVALID_STATE while an
 * authorization has been seen and is not final, while a capture is pending, and in any later state.
 */
export async function cancelPaymentIntent(world: ActionWorld, request: PaymentRequest): Promise<PaymentIntent> {
  return await idempotently(world.database, request.idempotency, (write) =>
    write(async (tx) => {
      const intent = await lockPayment(tx, request);
      const next = requireTransition(intent, 'CANCEL');
      if (next !== 'CANCELLED') return await voidHeld(tx, { world, intent });
      await recordCancel(tx, { intent, after: { status: 'CANCELLED' } });
      return await cancelUnpaid(tx, intent);
    }),
  );
}

async function recordCancel(
  tx: DatabaseTransaction,
  { intent, after }: { intent: PaymentIntent; after: Record<string, unknown> },
): Promise<void> {
  await recordAction(tx, {
    action: 'payment_intent.cancelled',
    owner: { appId: intent.appId },
    target: { type: 'PaymentIntent', id: intent.id },
    before: { status: intent.status },
    after,
  });
}

/**
 * Cancels an intent that the caller has locked and that is CREATED; also used by sessions that end together with their intent.
 */
export async function cancelUnpaid(tx: DatabaseTransaction, intent: PaymentIntent): Promise<PaymentIntent> {
  if (await isAuthorizationSeen(tx, intent.id)) {
    throw new GatewayError('INVALID_STATE', 'An authorization of this payment is on the chain but not final yet.', {
      meta: { paymentIntentId: intent.id },
    });
  }
  await dropUnsentRelays(tx, intent.id);
  const cancelled = await tx.paymentIntent.update({ where: { id: intent.id }, data: { status: 'CANCELLED' } });
  await scheduleDeposits(tx, { paymentIntentIds: [intent.id], now: cancelled.updatedAt });
  await appendEvents(tx, intent.appId, [paymentEvent('payment_intent.cancelled', cancelled)]);
  return cancelled;
}

/** Whether an authorization is on chain; deposits that do not pay the terms do not count. */
export async function isAuthorizationSeen(tx: DatabaseTransaction, paymentIntentId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<{ seen: boolean }[]>`
    SELECT EXISTS (
      SELECT 1 FROM payment_terms terms
      JOIN chain_fact fact ON fact.chain_id = terms.chain_id AND fact.ref = terms.terms_hash
      WHERE terms.payment_intent_id = ${paymentIntentId}::uuid
        AND terms.terms->>'stray' IS NULL
        AND fact.kind = 'Authorized' AND fact.status <> 'ORPHANED') AS seen`;
  return rows[0]?.seen ?? false;
}

/** Drops relays that have no nonce yet. One that has a nonce may still be mined; its money is then returned. */
async function dropUnsentRelays(tx: DatabaseTransaction, paymentIntentId: string): Promise<void> {
  const relays = await tx.transaction.findMany({ where: { paymentIntentId, type: 'AUTHORIZE', status: 'PENDING' } });
  for (const relay of relays) {
    const dropped = await tx.outgoingTransaction.updateMany({
      where: { transactionId: relay.id, status: 'QUEUED' },
      data: { status: 'CANCELLED', error: 'The payment was cancelled.' },
    });
    if (dropped.count === 0) continue;
    await tx.transaction.update({
      where: { id: relay.id },
      data: { status: 'FAILED', error: 'The payment was cancelled.' },
    });
  }
}

async function voidHeld(
  tx: DatabaseTransaction,
  { world, intent }: { world: ActionWorld; intent: PaymentIntent },
): Promise<PaymentIntent> {
  const held = await heldPayment(tx, { registry: world.registry, intent });
  // A repeated request has no further effect.
  if ((await pendingMoneyOut(tx, held))?.type === 'VOID') return intent;
  await requireNoMoneyOut(tx, held);
  await recordCancel(tx, {
    intent,
    after: { status: intent.status, returnedAmount: held.remainingAmount, tokenKey: held.tokenKey },
  });
  await requestTransaction(tx, {
    paymentIntentId: intent.id,
    chainId: held.chain.chainId,
    termsHash: held.termsHash,
    type: 'VOID',
    call: voidCall(held),
    amount: held.remainingAmount,
    sender: world.operator.address,
    maxFailures: 10,
  });
  return intent;
}
