import type { DatabaseTransaction, PaymentIntent, Transaction } from '../../../prisma/client.ts';
import { voidCall } from '../../escrow/calldata.ts';
import { appendEvents } from '../../events/append-events.ts';
import type { OutgoingFailure } from '../../operator/outgoing-transaction.ts';
import { addJob } from '../../platform/jobs.ts';
import { toBigInt } from '../../prices/base-units.ts';
import type { ActionWorld } from '../actions/action-world.ts';
import { maxCaptureAttempts, requestCapture } from '../actions/capture-payment-intent.ts';
import { type HeldPayment, heldPayment, pendingMoneyOut } from '../actions/held-payment.ts';
import { lockPayment } from '../actions/lock-payment.ts';
import { paymentEvent } from '../actions/payment-event.ts';
import { returnKey, returnPaymentJob } from '../jobs.ts';
import { nextStatus } from '../payment-intent.ts';
import { isAccepted } from '../payment-key.ts';
import { repeatRelay } from './repeat-relay.ts';
import { requestTransaction } from './request-transaction.ts';

/** How other modules react to a relayed authorization that fails for good; appends no events. */
export type RelayFailed = (
  tx: DatabaseTransaction,
  failure: { paymentIntentId: string; error: string | null },
) => Promise<void>;

const RETURN_AGAIN_MS = 60_000;
/** The delay if the contract will not accept the unchanged call until a person acts or a deadline passes. */
const RETURN_REFUSED_AGAIN_MS = 900_000;

type FailingWorld = Pick<ActionWorld, 'clock' | 'registry' | 'operator'> & { relayFailed: RelayFailed };

/**
 * Marks a payment's transaction that failed for good as FAILED with its error, and continues what waited for it. After a failed
 * refund the payment returns to CAPTURED, with the event `refund_failed`. A capture is repeated until `captureAttempts` reaches
 * its limit or the revert shows that it can never succeed; then the payment is FAILED and its hold is voided. A relay that a
 * reorganization undid is repeated; after any other failed relay the intent stays CREATED and can be prepared again. Called as
 * the last statement of the pump's transaction. What the chain has shown in the meantime takes precedence.
 */
export async function failTransaction(
  tx: DatabaseTransaction,
  world: FailingWorld,
  outgoing: Pick<OutgoingFailure, 'transactionId' | 'txHash' | 'error' | 'verdict'>,
): Promise<void> {
  if (outgoing.transactionId === null) return;
  const found = await tx.transaction.findUnique({ where: { id: outgoing.transactionId } });
  if (!found) return;
  const intent = await lockPayment(tx, { id: found.paymentIntentId, scope: null });
  const failed = await tx.transaction.updateMany({
    where: { id: found.id, status: { in: ['PENDING', 'REORGED'] } },
    data: { status: 'FAILED', error: outgoing.error, txHash: outgoing.txHash },
  });
  if (failed.count === 0) return;
  switch (found.type) {
    case 'AUTHORIZE':
      return await failRelay(tx, { world, intent, transaction: found, outgoing });
    case 'REFUND':
      return await failRefund(tx, { world, intent, transaction: found, outgoing });
    case 'CAPTURE':
      return await failCapture(tx, { world, intent, transaction: found, verdict: outgoing.verdict });
    case 'VOID':
      return await returnAgain(tx, { world, intent, transaction: found, verdict: outgoing.verdict });
    case 'RECLAIM':
    case 'SETTLE':
    case 'DISPUTE':
    case 'RESOLVE':
      // The sweep requests it again if it is still due.
      return;
    default:
      throw new Error(`No such transaction: ${String(found.type satisfies never)}`);
  }
}

/** A relay that a reorganization removed from its block is repeated while it may still succeed. */
async function failRelay(
  tx: DatabaseTransaction,
  { world, intent, transaction, outgoing }: ReportedFailure,
): Promise<void> {
  const { error, verdict } = outgoing;
  const mayPass = transaction.status === 'REORGED' && verdict === 'PASSES' && intent.status === 'CREATED';
  if (mayPass && (await repeatRelay(tx, { relay: transaction, now: world.clock.now() }))) return;
  await world.relayFailed(tx, { paymentIntentId: intent.id, error });
}

async function failRefund(
  tx: DatabaseTransaction,
  { world, intent, transaction, outgoing: { error, verdict } }: ReportedFailure,
): Promise<void> {
  await tx.refund.updateMany({ where: { transactionId: transaction.id }, data: { status: 'FAILED', error } });
  // The refund of a returned payment is not one of the intent's own refunds.
  if (!isAccepted(intent, transaction)) {
    return await returnAgain(tx, { world, intent, transaction, verdict });
  }
  const status = nextStatus(intent.status, 'REFUND_FAILED');
  if (status === null) return;
  const captured = await tx.paymentIntent.update({ where: { id: intent.id }, data: { status } });
  await appendEvents(tx, intent.appId, [paymentEvent('payment_intent.refund_failed', captured)]);
}

type Failed = { world: FailingWorld; intent: PaymentIntent; transaction: Transaction };
type ReportedFailure = Failed & { outgoing: Pick<OutgoingFailure, 'error' | 'verdict'> };
type FailedWithVerdict = Failed & { verdict: OutgoingFailure['verdict'] };

/** Money that must go back is never given up: the verb reads the contract again after a minute, or after a quarter of an hour. */
async function returnAgain(
  tx: DatabaseTransaction,
  { world, intent, transaction, verdict }: FailedWithVerdict,
): Promise<void> {
  const { chainId, termsHash } = transaction;
  if (termsHash === null || (isAccepted(intent, transaction) && intent.status !== 'FAILED')) return;
  const wait = verdict === 'IMPOSSIBLE' ? RETURN_REFUSED_AGAIN_MS : RETURN_AGAIN_MS;
  const runAt = new Date(world.clock.now().getTime() + wait);
  const payment = { chainId, termsHash };
  await addJob(tx, returnPaymentJob, payment, { runAt, key: returnKey(payment) });
}

async function failCapture(
  tx: DatabaseTransaction,
  { world, intent, transaction, verdict }: FailedWithVerdict,
): Promise<void> {
  if (intent.status !== 'AUTHORIZED' || !isAccepted(intent, transaction)) return;
  // Another sender captured or voided it; the projector will report that.
  if (verdict === 'OVERTAKEN') return;
  const held = await heldPayment(tx, { registry: world.registry, intent });
  if ((await isDecidedOnChain(tx, held)) || (await pendingMoneyOut(tx, held))) return;
  const isInTime = held.terms.captureBy >= world.clock.now().getTime() / 1000;
  const mayPass = verdict !== 'LATE' && verdict !== 'IMPOSSIBLE';
  if (mayPass && isInTime && intent.captureAttempts < maxCaptureAttempts) {
    const amount = transaction.amount === null ? held.remainingAmount : toBigInt(transaction.amount);
    await requestCapture(tx, { world, intent, held, amount });
    await tx.paymentIntent.update({ where: { id: intent.id }, data: { captureAttempts: { increment: 1 } } });
    return;
  }
  await requestTransaction(tx, {
    paymentIntentId: intent.id,
    chainId: held.chain.chainId,
    termsHash: held.termsHash,
    type: 'VOID',
    call: voidCall(held),
    amount: held.remainingAmount,
    sender: world.operator.address,
    maxFailures: 20,
  });
  const given = await tx.paymentIntent.update({ where: { id: intent.id }, data: { status: 'FAILED' } });
  await appendEvents(tx, intent.appId, [paymentEvent('payment_intent.failed', given)]);
}

async function isDecidedOnChain(tx: DatabaseTransaction, { chain, termsHash }: HeldPayment): Promise<boolean> {
  const found = await tx.chainFact.findFirst({
    where: {
      chainId: chain.chainId,
      ref: termsHash,
      kind: { in: ['Captured', 'Voided', 'Reclaimed'] },
      status: { not: 'ORPHANED' },
    },
  });
  return found !== null;
}
