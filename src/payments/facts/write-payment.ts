import type { DatabaseTransaction, PaymentIntent } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import { type SolanaTerms, strayOf } from '../../escrow/solana/solana-terms.ts';
import { appendEvents, type NewEvent } from '../../events/append-events.ts';
import { factKey } from '../../facts/chain-fact.ts';
import { foldPayment, type PaymentState } from '../fold.ts';
import { paymentIntentFields } from '../payment-intent-fields.ts';
import { applyAccepted } from './apply-accepted.ts';
import { bookLedger } from './book-ledger.ts';
import { finalityOf } from './finality.ts';
import type { FoldingWorld, PaymentChange, PaymentEvidence } from './folding-world.ts';
import { recordSteps } from './record-steps.ts';
import { standingFacts } from './standing-facts.ts';

/**
 * Writes a payment's state, transactions, books and events as its facts have them, under the intent's lock. Runs any
 * number of times: what is written already is not written again. Throws CONFLICT when the facts have changed since the
 * evidence was read.
 */
export async function writePayment(
  tx: DatabaseTransaction,
  world: FoldingWorld,
  evidence: PaymentEvidence,
): Promise<void> {
  const { terms, facts } = evidence;
  const intent = await lockIntent(tx, terms.paymentIntentId);
  const standing = await standingFacts(tx, { chainId: terms.chainId, termsHash: terms.termsHash });
  const state = foldPayment(facts);
  if (!state || standing.map(factKey).join() !== facts.map(factKey).join()) {
    throw new GatewayError('CONFLICT', `The facts of payment ${terms.termsHash} have changed since they were read.`);
  }
  const now = world.clock.now();
  const steps = await recordSteps(tx, { evidence, now });
  await bookLedger(tx, { evidence, now });
  const change = { evidence, intent, state, steps };
  const stray = strayOf(terms.terms);
  const events =
    stray === null && counts(intent, terms.termsHash, state)
      ? await applyAccepted(tx, world, change)
      : await giveBack(tx, world, { change, stray });
  await appendEvents(tx, intent.appId, events);
}

async function lockIntent(tx: DatabaseTransaction, id: string): Promise<PaymentIntent> {
  await tx.$queryRaw`SELECT 1 FROM payment_intent WHERE id = ${id}::uuid FOR UPDATE`;
  return await tx.paymentIntent.findUniqueOrThrow({ where: { id } });
}

/** The accepted payment, or the first one of an intent that waits for one. */
function counts(intent: PaymentIntent, termsHash: string, state: PaymentState): boolean {
  if (intent.acceptedTermsHash !== null) return intent.acceptedTermsHash === termsHash;
  return intent.status === 'CREATED' && state.authorization !== null;
}

/** A payment beside the accepted one, or of an intent that is not to be paid any more: recorded, told, and returned. */
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

/** Nothing was paid yet, and this was not it. */
function isMispaid(stray: SolanaTerms['stray']): boolean {
  return stray?.reason === 'SHORT' || stray?.reason === 'WRONG_TOKEN';
}
