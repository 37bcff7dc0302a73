import { isHex } from 'viem';
import { readEscrowState } from '../../../escrow/read-escrow-state.ts';
import { termsFromJson } from '../../../escrow/terms.ts';
import { keyText, type PaymentKey } from '../../payment-key.ts';
import { awaitOutcome, readTogether } from '../await-outcome.ts';
import { isSameAttempt, type SettleAnswer } from '../x402-types.ts';
import type { X402World } from '../x402-world.ts';
import { type Outcome, readOutcomes } from './read-outcome.ts';

const look = readTogether(keyText, readOutcomes);

/**
 * Waits for the outcome of an accepted payment. The first attempt that learns of its success gets a response that is not `replayed`, also
 * when it repeats the request, because the row records it. A relay that failed is looked up on chain before the failure is reported,
 * because another sender may have submitted the same authorization.
 */
export async function followPayment(
  world: X402World,
  request: PaymentKey & { appId: string; network: string; attemptId: string | null; waitMs: number },
): Promise<SettleAnswer> {
  const { appId, network, attemptId, waitMs, ...key } = request;
  const { outcome, isKnown } = await awaitOutcome(world, { appId, waitMs }, async () => {
    const found = await look(world.database, key);
    if (!found) throw new Error('A payment that was taken has no terms.');
    const isFailed = found.kind === 'FAILED' && !(await isOnChain(world, key));
    return { outcome: found, isKnown: found.kind === 'PAID' || isFailed };
  });
  if (!isKnown) return pending({ outcome, network });
  return outcome.kind === 'PAID' ? await paid(world, { outcome, network, attemptId }) : failed({ outcome, network });
}

async function isOnChain({ nodes, registry }: X402World, { chainId, termsHash }: PaymentKey): Promise<boolean> {
  const escrow = registry.chain(chainId)?.escrow;
  if (!escrow || !isHex(termsHash)) return false;
  const state = await nodes.asking(chainId, (client) => readEscrowState({ client, escrow }, { id: termsHash }));
  return state.status !== 'NONE';
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
  const errorMessage = followed.outcome.error ?? 'The payment could not be carried out.';
  return { ...answer(followed), errorReason: 'transaction_failed', errorMessage };
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
