import type { ChainFact, DatabaseTransaction, PaymentIntent } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import { type SolanaTerms, strayOf } from '../../escrow/solana/solana-terms.ts';
import { appendEvents, type NewEvent } from '../../events/append-events.ts';
import { factKey } from '../../facts/chain-fact.ts';
import { traced } from '../../platform/request-trace.ts';
import { foldPayment, type PaymentState } from '../fold.ts';
import { paymentIntentFields } from '../payment-intent-fields.ts';
import { acceptedKey, isAccepted, type PaymentKey } from '../payment-key.ts';
import type { BelievedClaims } from '../payouts/believed-claims.ts';
import { writePayouts } from '../payouts/write-payouts.ts';
import { applyAccepted } from './apply-accepted.ts';
import { bookLedger } from './book-ledger.ts';
import { finalityOf } from './finality.ts';
import type { FoldingWorld, PaymentChange, PaymentEvidence } from './folding-world.ts';
import { lockIntents } from './lock-intents.ts';
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
  const told = new Map<string, NewEvent[]>();
  for (const one of evidence) {
    const { requestId } = one.group;
    const rows = standing.get(one.terms.termsHash) ?? [];
    const { appId, events } = await traced(requestId, () => writePayment(tx, world, { evidence: one, standing: rows }));
    const stamped = events.map((event) => (requestId ? { ...event, requestId } : event));
    told.set(appId, [...(told.get(appId) ?? []), ...stamped]);
  }
  const steps = [...told.values()].flat();
  for (const { appId, event } of await tellPayouts(tx, world, { evidence, believed, told: steps })) {
    told.set(appId, [...(told.get(appId) ?? []), event]);
  }
  for (const appId of [...told.keys()].sort()) await appendEvents(tx, appId, told.get(appId) ?? []);
}

/** Whether any new fact reports a credit, that is, a recipient that could not be paid. */
export function isCredited({ group }: PaymentEvidence): boolean {
  return group.facts.some((fact) => fact.kind === 'Credited');
}

/** The payout events of the credited payments; they follow the events of the steps that caused them. */
async function tellPayouts(
  tx: DatabaseTransaction,
  world: FoldingWorld,
  request: { evidence: readonly PaymentEvidence[]; believed: BelievedClaims; told: readonly NewEvent[] },
): Promise<{ appId: string; event: NewEvent }[]> {
  const { evidence, believed, told } = request;
  const credited = evidence.filter(isCredited);
  const [first] = credited;
  if (!first) return [];
  const reverted = new Set(
    told.filter(({ type }) => type === 'payment_intent.reverted').map(({ resourceId }) => resourceId),
  );
  const payments = credited.map(({ terms }) => terms);
  const events = await writePayouts(tx, world, { view: first.group.view, payments, believed, reverted });
  return events.map(({ appId, termsHash, event }) => {
    const requestId = credited.find(({ terms }) => terms.termsHash === termsHash)?.group.requestId;
    return { appId, event: requestId ? { ...event, requestId } : event };
  });
}

async function writePayment(
  tx: DatabaseTransaction,
  world: FoldingWorld,
  { evidence, standing }: { evidence: PaymentEvidence; standing: readonly ChainFact[] },
): Promise<{ appId: string; events: NewEvent[] }> {
  const { terms, facts } = evidence;
  const state = foldPayment(facts);
  if (!state || standing.map(factKey).join() !== facts.map(factKey).join()) {
    throw new GatewayError('CONFLICT', `The facts of payment ${terms.termsHash} have changed since they were read.`);
  }
  const now = world.clock.now();
  // Read here rather than with the others because two payments of a batch may belong to one intent.
  const intent = await tx.paymentIntent.findUniqueOrThrow({ where: { id: terms.paymentIntentId } });
  const steps = await recordSteps(tx, { evidence, now });
  await bookLedger(tx, { evidence, now });
  const change = { evidence, intent, state, steps };
  const stray = strayOf(terms.terms);
  const events =
    stray === null && counts(intent, terms, state)
      ? await applyAccepted(tx, world, change)
      : await giveBack(tx, world, { change, stray });
  return { appId: intent.appId, events };
}

/** Whether the payment counts: it is the accepted one, or the first one of an intent that still waits for a payment. */
function counts(intent: PaymentIntent, payment: PaymentKey, state: PaymentState): boolean {
  if (acceptedKey(intent) !== null) return isAccepted(intent, payment);
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
    const { status, left } = state;
    await world.hooks.returnPayment?.(tx, { intent, chainId, termsHash, status, left });
  }
  const authorized = steps.added.find((fact) => fact.event.kind === 'Authorized');
  if (!authorized) return [];
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
