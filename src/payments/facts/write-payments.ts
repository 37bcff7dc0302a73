import type { ChainFact, DatabaseTransaction, PaymentIntent } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import { type SolanaTerms, strayOf } from '../../escrow/solana/solana-terms.ts';
import { appendByApp, type NewEvent, type OwnedEvents } from '../../events/append-events.ts';
import { factKey } from '../../facts/chain-fact.ts';
import { traced } from '../../platform/request-trace.ts';
import { foldPayment, noPayment, type PaymentState } from '../fold.ts';
import { paymentIntentFields } from '../payment-intent-fields.ts';
import { acceptedKey, isAccepted, type PaymentKey } from '../payment-key.ts';
import type { BelievedClaims } from '../payouts/believed-claims.ts';
import { writePayouts } from '../payouts/write-payouts.ts';
import { applyAccepted } from './apply-accepted.ts';
import { bookLedger } from './book-ledger.ts';
import { finalityOf } from './finality.ts';
import type { FoldingWorld, PaymentChange, PaymentEvidence } from './folding-world.ts';
import { lockIntents } from './lock-intents.ts';
import { noteStrayPayment, strayKind } from './note-stray-payment.ts';
import { recordSteps } from './record-steps.ts';
import { standingFactsOf } from './standing-facts.ts';

/**
 * Writes the states, transactions, ledger entries and events of payments from their facts, under the locks of their intents.
 * Idempotent. Throws CONFLICT if the facts of any payment have changed since its evidence was read.
 */
export async function writePayments(
  tx: DatabaseTransaction,
  world: FoldingWorld,
  { evidence, believed }: { evidence: readonly PaymentEvidence[]; believed: BelievedClaims },
): Promise<void> {
  const [first] = evidence;
  if (!first) return;
  await lockIntents(
    tx,
    evidence.map((one) => one.terms.paymentIntentId),
  );
  const termsHashes = evidence.map((one) => one.terms.termsHash);
  const standing = await standingFactsOf(tx, { chainId: first.terms.chainId, termsHashes });
  const states = evidence.map((one) => stateOf(one, standing.get(one.terms.termsHash) ?? []));
  const now = world.clock.now();
  const steps = await recordSteps(tx, { evidence, now });
  await bookLedger(tx, { evidence, now });
  const payments = evidence.map((one, index) => ({
    evidence: one,
    state: states[index] ?? noPayment,
    steps: steps[index] ?? { added: [], removed: [], moved: 0 },
  }));
  const owned = await writeIntents(tx, world, payments);
  const paymentEvents = owned.flatMap(({ events }) => events);
  const payouts = await payoutEvents(tx, world, { evidence, believed, paymentEvents });
  await appendByApp(tx, [...owned, ...payouts.map(({ appId, event }) => ({ appId, events: [event] }))]);
}

/** Throws CONFLICT if the payment's facts have changed since its evidence was read. */
function stateOf({ terms, facts }: PaymentEvidence, standing: readonly ChainFact[]): PaymentState {
  const state = foldPayment(facts);
  if (state && standing.map(factKey).join() === facts.map(factKey).join()) return state;
  throw new GatewayError('CONFLICT', `The facts of payment ${terms.termsHash} have changed since they were read.`);
}

/** Whether any new fact reports a credit, that is, a recipient that could not be paid. */
export function isCredited({ group }: PaymentEvidence): boolean {
  return group.facts.some((fact) => fact.kind === 'Credited');
}

/** The payout events of the credited payments; they follow the events of the steps that caused them. */
async function payoutEvents(
  tx: DatabaseTransaction,
  world: FoldingWorld,
  request: { evidence: readonly PaymentEvidence[]; believed: BelievedClaims; paymentEvents: readonly NewEvent[] },
): Promise<{ appId: string; event: NewEvent }[]> {
  const { evidence, believed, paymentEvents } = request;
  const credited = evidence.filter(isCredited);
  const [first] = credited;
  if (!first) return [];
  const reverted = new Set(
    paymentEvents.filter(({ type }) => type === 'payment_intent.reverted').map(({ resourceId }) => resourceId),
  );
  const payments = credited.map(({ terms }) => terms);
  const events = await writePayouts(tx, world, { view: first.group.view, payments, believed, reverted });
  return events.map(({ appId, termsHash, event }) => {
    const requestId = credited.find(({ terms }) => terms.termsHash === termsHash)?.group.requestId;
    return { appId, event: requestId ? { ...event, requestId } : event };
  });
}

/**
 * Writes the intents of the payments, and returns the events of each payment. Several payments of one intent are written one after another,
 * because the first one that was authorized counts.
 */
async function writeIntents(
  tx: DatabaseTransaction,
  world: FoldingWorld,
  payments: readonly Omit<PaymentChange, 'intent'>[],
): Promise<OwnedEvents[]> {
  const owned: OwnedEvents[] = [];
  let waiting = payments;
  while (waiting.length > 0) {
    const ids = waiting.map(({ evidence }) => evidence.terms.paymentIntentId);
    const next = waiting.filter((_, index) => ids.indexOf(ids[index] ?? '') === index);
    waiting = waiting.filter((payment) => !next.includes(payment));
    owned.push(...(await writeRound(tx, world, next)));
  }
  return owned;
}

/** Writes payments of distinct intents. */
async function writeRound(
  tx: DatabaseTransaction,
  world: FoldingWorld,
  payments: readonly Omit<PaymentChange, 'intent'>[],
): Promise<OwnedEvents[]> {
  const rows = await tx.paymentIntent.findMany({
    where: { id: { in: payments.map(({ evidence }) => evidence.terms.paymentIntentId) } },
  });
  const intents = new Map(rows.map((intent) => [intent.id, intent]));
  const changes = payments.map((payment) => {
    const intent = intents.get(payment.evidence.terms.paymentIntentId);
    if (!intent) throw new Error(`Payment ${payment.evidence.terms.termsHash} has no intent.`);
    return { ...payment, intent, stray: strayOf(payment.evidence.terms.terms) };
  });
  const accepted = changes.filter(
    ({ stray, intent, evidence, state }) => stray === null && counts(intent, evidence.terms, state),
  );
  const eventsByIntent = await applyAccepted(tx, world, accepted);
  const owned: OwnedEvents[] = [];
  for (const change of changes) {
    const { intent, evidence } = change;
    const { requestId } = evidence.group;
    const events =
      eventsByIntent.get(intent.id) ??
      (await traced(requestId, () => giveBack(tx, world, { change, stray: change.stray })));
    owned.push({
      appId: intent.appId,
      events: events.map((event) => (requestId ? { ...event, requestId } : event)),
    });
  }
  return owned;
}

/**
 * Whether the payment counts: it is the accepted one, or the first one of an intent that still waits for a payment. Nothing in the escrow
 * pays an intent of the x402 scheme `exact`, whose outcome is that of its authorization.
 */
function counts(intent: PaymentIntent, payment: PaymentKey, state: PaymentState): boolean {
  if (acceptedKey(intent) !== null) return isAccepted(intent, payment);
  if (intent.x402Scheme === 'exact') return false;
  return intent.status === 'CREATED' && state.authorization !== null;
}

/**
 * Handles a payment that does not count, because another one is accepted or the intent can no longer be paid: records it, reports
 * it, and returns its money.
 */
async function giveBack(
  tx: DatabaseTransaction,
  world: FoldingWorld,
  { change, stray }: { change: PaymentChange; stray: SolanaTerms['stray'] },
): Promise<NewEvent[]> {
  const { evidence, intent, state, steps } = change;
  const { chainId, termsHash } = evidence.terms;
  if (state.status === 'AUTHORIZED' || (state.status === 'CAPTURED' && state.left > 0n)) {
    const { status, left: remainingAmount } = state;
    await world.hooks.returnPayment?.(tx, { intent, chainId, termsHash, status, remainingAmount });
  }
  const authorized = steps.added.find((fact) => fact.event.kind === 'Authorized');
  if (!authorized) return [];
  const kind = strayKind(intent, { isLate: stray?.reason === 'LATE' });
  await noteStrayPayment(tx, { paymentIntentId: intent.id, kind, now: world.clock.now() });
  return [
    {
      type: isMispaid(stray) ? 'payment_intent.mispaid' : 'payment_intent.overpaid',
      resourceId: intent.id,
      data: paymentIntentFields(intent),
      finality: finalityOf(evidence.group.view, authorized.blockNumber),
    },
  ];
}

/** Whether the deposit was too small or in the wrong token, so that the intent is still unpaid. */
function isMispaid(stray: SolanaTerms['stray']): boolean {
  return stray?.reason === 'SHORT' || stray?.reason === 'WRONG_TOKEN';
}
