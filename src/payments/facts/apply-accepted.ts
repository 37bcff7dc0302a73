import type { DatabaseTransaction, Dispute, PaymentIntent, PaymentTerms } from '../../../prisma/client.ts';
import type { NewEvent } from '../../events/append-events.ts';
import { foldPayment, noPayment, type PaymentFact, type PaymentState } from '../fold.ts';
import { paymentIntentFields } from '../payment-intent-fields.ts';
import { type Decisions, statusOf } from '../payment-status.ts';
import { finalityOf } from './finality.ts';
import type { FoldingWorld, PaymentChange } from './folding-world.ts';
import { intentColumns } from './intent-columns.ts';
import { recordDispute } from './record-dispute.ts';
import { FOUND_REASON } from './record-steps.ts';
import { stepEvents } from './step-events.ts';

/**
 * Updates the intent to what its accepted payment's facts and the gateway's own decisions say, and calls the hooks. Returns the
 * events to append: one `reverted` for everything that a reorganization removed, then one or more per new step with the intent as
 * it was right after that step.
 */
export async function applyAccepted(
  tx: DatabaseTransaction,
  world: FoldingWorld,
  change: PaymentChange,
): Promise<NewEvent[]> {
  const { evidence, intent, state, steps } = change;
  const { view } = evidence.group;
  if (steps.added.length === 0 && steps.removed.length === 0 && steps.moved === 0) return [];
  const decisions = await readDecisions(tx, change);
  const payment = {
    terms: evidence.terms,
    tokenDecimals: world.registry.token(evidence.terms.tokenKey)?.decimals ?? null,
    signature: await payerSignature(tx, evidence.terms.quoteId),
  };
  const written = await tx.paymentIntent.update({
    where: { id: intent.id },
    data: {
      ...intentColumns(payment, state),
      refundReason: await refundReason(tx, change, state),
      // Counts a capture that we did not request (made while authorizing, or by a stranger) as an attempt.
      ...(state.capture && intent.captureAttempts === 0 ? { captureAttempts: 1 } : {}),
      status: statusOf(state, decisions),
    },
  });
  const isDisputable = state.dispute !== null || steps.removed.some((step) => step.type === 'DISPUTE');
  const dispute = isDisputable ? await recordDispute(tx, { evidence, state }) : null;
  await callHooks(tx, world, { change, written, dispute });
  const after = async (prefix: PaymentState): Promise<PaymentIntent> => ({
    ...written,
    ...intentColumns(payment, prefix),
    refundReason: await refundReason(tx, change, prefix),
    status: statusOf(prefix, decisions),
  });
  const events: NewEvent[] = [];
  if (steps.removed.length > 0) {
    const remaining = foldPayment(evidence.facts.filter((fact) => !steps.added.includes(fact))) ?? noPayment;
    const finality = { ...finalityOf(view, view.head.number), confirmations: 0, isFinal: false };
    const data = paymentIntentFields(await after(remaining));
    events.push({ type: 'payment_intent.reverted', resourceId: intent.id, data, finality });
  }
  for (const fact of steps.added) {
    const prefix = foldPayment(upTo(evidence.facts, fact)) ?? state;
    const told = dispute && { ...dispute, ...(isOpenAt(prefix) ? stillOpen : {}) };
    events.push(...stepEvents(view, { fact, intent: await after(prefix), dispute: told }));
  }
  return events;
}

function upTo(facts: readonly PaymentFact[], last: PaymentFact): PaymentFact[] {
  return facts.slice(0, facts.indexOf(last) + 1);
}

const stillOpen = { status: 'OPEN', payerBps: null, resolvedAt: null } as const;

function isOpenAt(state: PaymentState): boolean {
  return state.dispute !== null && state.status === 'CAPTURED';
}

/** What this gateway has decided and the chain does not show. */
async function readDecisions(tx: DatabaseTransaction, { intent, evidence, state }: PaymentChange): Promise<Decisions> {
  const { chainId, termsHash } = evidence.terms;
  // After a reorganization another payment may count; a refund of the one that counted before does not belong to it.
  const ofPayment = { paymentIntentId: intent.id, transaction: { chainId, termsHash } };
  const pending = await tx.refund.count({ where: { ...ofPayment, status: 'PENDING' } });
  const voided = state.status === 'NONE' && (await isVoidAsked(tx, evidence.terms));
  return { cancelled: voided, failed: intent.status === 'FAILED', refundPending: pending > 0 };
}

/** A hold that vanished while we were voiding it is not wanted back. */
async function isVoidAsked(tx: DatabaseTransaction, terms: PaymentTerms): Promise<boolean> {
  const asked = await tx.transaction.findMany({
    where: {
      paymentIntentId: terms.paymentIntentId,
      chainId: terms.chainId,
      termsHash: terms.termsHash,
      type: 'VOID',
      status: { in: ['PENDING', 'REORGED'] },
    },
    select: { id: true },
  });
  const sent = await tx.outgoingTransaction.count({ where: { transactionId: { in: asked.map((row) => row.id) } } });
  return sent > 0;
}

/** The payer's permit or ERC-3009 signature from the quote that was paid. */
async function payerSignature(tx: DatabaseTransaction, quoteId: string | null): Promise<string | null> {
  if (quoteId === null) return null;
  const quote = await tx.quote.findUnique({ where: { id: quoteId }, select: { signature: true } });
  return quote?.signature ?? null;
}

/** The merchant's reason for the latest final refund; null if the refund was not made through this gateway. */
async function refundReason(
  tx: DatabaseTransaction,
  { evidence }: PaymentChange,
  state: PaymentState,
): Promise<string | null> {
  if (!state.refund) return null;
  const refund = await tx.refund.findFirst({
    where: {
      transaction: {
        type: 'REFUND',
        chainId: evidence.terms.chainId,
        termsHash: evidence.terms.termsHash,
        txHash: state.refund.txHash,
        logIndex: state.refund.logIndex,
      },
    },
    select: { reason: true },
  });
  return refund && refund.reason !== FOUND_REASON ? refund.reason : null;
}

async function callHooks(
  tx: DatabaseTransaction,
  { hooks }: FoldingWorld,
  { change, written, dispute }: { change: PaymentChange; written: PaymentIntent; dispute: Dispute | null },
): Promise<void> {
  const { added, removed } = change.steps;
  if (removed.length > 0) await hooks.afterReverted?.(tx, written);
  for (const { event } of added) {
    if (event.kind === 'Authorized') await hooks.afterAuthorized?.(tx, written);
    if (event.kind === 'Captured') await hooks.afterCaptured?.(tx, written);
    if (event.kind === 'Disputed' && dispute) await hooks.afterDisputed?.(tx, written, dispute);
  }
}
