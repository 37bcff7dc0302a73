import type { Database, PaymentIntent, PaymentTerms, Transaction } from '../../../../prisma/client.ts';
import { isAccepted, keyText, type PaymentKey } from '../../payment-key.ts';

/**
 * The outcome of an authorization: it counts for its payment intent, its relay is pending, or it failed for good. It counts regardless of
 * what happened to the payment afterwards.
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
  const isOneOf = {
    chainId: { in: [...new Set(keys.map(({ chainId }) => chainId))] },
    termsHash: { in: keys.map(({ termsHash }) => termsHash) },
  };
  const taken = await database.paymentTerms.findMany({ where: isOneOf, include: { paymentIntent: true } });
  const relays = await database.transaction.findMany({
    where: { paymentIntentId: { in: taken.map((one) => one.paymentIntentId) }, type: 'AUTHORIZE', ...isOneOf },
    orderBy: { createdAt: 'desc' },
  });
  const outcomes = taken.map(({ paymentIntent: intent, ...terms }) => {
    const isOfTerms = (one: Transaction) => one.paymentIntentId === intent.id && keyText(one) === keyText(terms);
    return [keyText(terms), outcomeOf({ intent, terms, relay: relays.find(isOfTerms) })] as const;
  });
  return new Map(outcomes);
}

/** `relay` is the newest one of the authorization. */
function outcomeOf({
  intent,
  terms,
  relay,
}: Pick<Outcome, 'intent' | 'terms'> & { relay: Transaction | undefined }): Outcome {
  const shared = { intent, terms, answeredAt: intent.x402AnsweredAt, answeredTo: intent.x402AnsweredTo };
  if (isAccepted(intent, terms)) return { ...shared, kind: 'PAID', txHash: intent.authorizationTxHash, error: null };
  const isOver = relay?.status === 'FAILED' || intent.status === 'CANCELLED';
  return {
    ...shared,
    kind: isOver ? 'FAILED' : 'PENDING',
    txHash: relay?.txHash ?? null,
    error: relay?.error ?? (isOver ? 'The payment expired before it was mined.' : null),
  };
}
