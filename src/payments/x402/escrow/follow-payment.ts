import { termsFromJson } from '../../../escrow/terms.ts';
import { keyText, type PaymentKey } from '../../payment-key.ts';
import { awaitOutcome, readTogether } from '../await-outcome.ts';
import { isSameAttempt, type SettleAnswer } from '../x402-types.ts';
import type { X402World } from '../x402-world.ts';
import { failureOf, type Outcome, readOutcomes } from './read-outcome.ts';

const look = readTogether(keyText, readOutcomes);

/**
 * Waits for the outcome of an accepted payment. The first attempt that learns of its success gets a response that is not `replayed`, also
 * when it repeats the request, because the row records it.
 */
export async function followPayment(
  world: X402World,
  request: PaymentKey & { appId: string; network: string; attemptId: string | null; waitMs: number },
): Promise<SettleAnswer> {
  const { appId, network, attemptId, waitMs, ...key } = request;
  const { outcome, isKnown } = await awaitOutcome(world, { appId, waitMs }, async () => {
    const found = await look(world.database, key);
    if (!found) throw new Error('A payment that was taken has no terms.');
    return { outcome: found, isKnown: found.kind !== 'PENDING' };
  });
  if (!isKnown) return pending({ outcome, network });
  return outcome.kind === 'PAID' ? await paid(world, { outcome, network, attemptId }) : failed({ outcome, network });
}

type FollowedPayment = { outcome: Outcome; network: string };

async function paid(
  { database, clock }: X402World,
  { attemptId, ...followed }: FollowedPayment & { attemptId: string | null },
): Promise<SettleAnswer> {
  const { id } = followed.outcome.intent;
  const first = await database.paymentIntent.updateMany({
    where: { id, x402AnsweredAt: null },
    data: { x402AnsweredAt: clock.now(), x402AnsweredTo: attemptId },
  });
  if (first.count > 0) return { ...answer(followed), success: true };
  const { x402AnsweredTo } = await database.paymentIntent.findUniqueOrThrow({
    where: { id },
    select: { x402AnsweredTo: true },
  });
  return { ...answer(followed), success: true, replayed: !isSameAttempt(x402AnsweredTo, attemptId) };
}

function failed(followed: FollowedPayment): SettleAnswer {
  const { reason, message } = failureOf(followed.outcome);
  return { ...answer(followed), errorReason: reason, errorMessage: message };
}

function pending(followed: FollowedPayment): SettleAnswer {
  return {
    ...answer(followed),
    errorReason: 'settlement_pending',
    errorMessage: 'The settlement is under way. Ask again with the same payment.',
    retryable: true,
  };
}

function answer({ outcome, network }: FollowedPayment): SettleAnswer {
  const { terms, intent, txHash } = outcome;
  const { payer, amount } = termsFromJson(terms.terms);
  return {
    success: false,
    transaction: txHash ?? '',
    network,
    payer,
    amount: amount.toString(),
    errorReason: null,
    errorMessage: null,
    retryable: false,
    replayed: false,
    paymentIntentId: intent.id,
  };
}
