import type { Database, PaymentIntent, PaymentTerms } from '../../../../prisma/client.ts';
import { isAccepted, type PaymentKey } from '../../payment-key.ts';

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
  const found = await database.paymentTerms.findUnique({
    where: { chainId_termsHash: key },
    include: { paymentIntent: true },
  });
  if (!found) return null;
  const { paymentIntent: intent, ...terms } = found;
  const [relay] = await database.transaction.findMany({
    where: { paymentIntentId: intent.id, type: 'AUTHORIZE', ...key },
    orderBy: { createdAt: 'desc' },
    take: 1,
  });
  const shared = { intent, terms, answeredAt: intent.x402AnsweredAt, answeredTo: intent.x402AnsweredTo };
  if (isAccepted(intent, key)) return { ...shared, kind: 'PAID', txHash: intent.authorizationTxHash, error: null };
  const isOver = relay?.status === 'FAILED' || intent.status === 'CANCELLED';
  return {
    ...shared,
    kind: isOver ? 'FAILED' : 'PENDING',
    txHash: relay?.txHash ?? null,
    error: relay?.error ?? (isOver ? 'The payment expired before it was mined.' : null),
  };
}
