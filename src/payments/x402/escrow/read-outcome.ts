import type { Database, PaymentIntent, PaymentTerms, Quote, Transaction } from '../../../../prisma/client.ts';
import { readPlan } from '../../../checkout/authorization-plan.ts';
import { isAccepted, keyText, type PaymentKey } from '../../payment-key.ts';
import type { Refusal } from '../x402-types.ts';

/**
 * The outcome of an authorization: it counts for its payment intent, it may still be used, or it failed for good. It counts regardless of
 * what happened to the payment afterwards. A relay that failed does not end it: its transaction is public, and anyone can send the
 * authorization again until it expires.
 */
export type Outcome = {
  kind: 'PAID' | 'PENDING' | 'FAILED';
  intent: PaymentIntent;
  terms: PaymentTerms;
  txHash: string | null;
  error: string | null;
  /** When success was first reported. */
  answeredAt: Date | null;
  /** The attempt to which it was reported. */
  answeredTo: string | null;
};

/** Null if the authorization was never taken. */
export async function readOutcome(database: Database, key: PaymentKey): Promise<Outcome | null> {
  return (await readOutcomes(database, [key])).get(keyText(key)) ?? null;
}

/** The outcomes of the authorizations that were taken, by `keyText`. */
export async function readOutcomes(database: Database, keys: readonly PaymentKey[]): Promise<Map<string, Outcome>> {
  const chainId = { in: [...new Set(keys.map((key) => key.chainId))] };
  const isOneOf = { chainId, termsHash: { in: keys.map(({ termsHash }) => termsHash) } };
  // Before the intents, so that they show every authorization up to the applied block.
  const cursors = await database.chainCursor.findMany({ where: { chainId } });
  const taken = await database.paymentTerms.findMany({ where: isOneOf, include: { paymentIntent: true } });
  const ofIntents = { paymentIntentId: { in: taken.map((one) => one.paymentIntentId) }, ...isOneOf };
  const [relays, quotes] = await Promise.all([
    database.transaction.findMany({ where: { type: 'AUTHORIZE', ...ofIntents }, orderBy: { createdAt: 'desc' } }),
    database.quote.findMany({
      where: ofIntents,
      select: { paymentIntentId: true, chainId: true, termsHash: true, plan: true },
    }),
  ]);
  const outcomes = taken.map(({ paymentIntent: intent, ...terms }) => {
    const isOfTerms = (one: Pick<Transaction, 'paymentIntentId' | 'chainId' | 'termsHash'>) =>
      one.paymentIntentId === intent.id && keyText(one) === keyText(terms);
    const applied = cursors.find((cursor) => cursor.chainId === terms.chainId)?.appliedTimestamp ?? 0n;
    const isExpired = applied >= endOf(terms, quotes.find(isOfTerms));
    return [keyText(terms), outcomeOf({ intent, terms, relay: relays.find(isOfTerms), isExpired })] as const;
  });
  return new Map(outcomes);
}

/** The block time, in Unix seconds, from which the authorization cannot be used. */
function endOf({ authorizeBy }: PaymentTerms, quote: Pick<Quote, 'plan'> | undefined): bigint {
  const plan = quote && readPlan(quote.plan);
  return plan?.kind === 'receive' ? BigInt(plan.validBefore) : BigInt(authorizeBy.getTime() / 1000) + 1n;
}

/** `relay` is the newest one of the authorization. `isExpired`: at the block up to which the chain's facts are applied. */
function outcomeOf({
  intent,
  terms,
  relay,
  isExpired,
}: Pick<Outcome, 'intent' | 'terms'> & { relay: Transaction | undefined; isExpired: boolean }): Outcome {
  const shared = { intent, terms, answeredAt: intent.x402AnsweredAt, answeredTo: intent.x402AnsweredTo };
  if (isAccepted(intent, terms)) return { ...shared, kind: 'PAID', txHash: intent.authorizationTxHash, error: null };
  const isOver = isExpired || intent.status === 'CANCELLED';
  return {
    ...shared,
    kind: isOver ? 'FAILED' : 'PENDING',
    txHash: relay?.txHash ?? null,
    error: relay?.error ?? (isOver ? 'The payment expired before it was mined.' : null),
  };
}

/** The reason of an outcome that is FAILED. */
export function failureOf({ error }: Pick<Outcome, 'error'>): Refusal {
  return { reason: 'transaction_failed', message: error ?? 'The payment could not be carried out.' };
}
