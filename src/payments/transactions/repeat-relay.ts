import type { DatabaseTransaction, Transaction } from '../../../prisma/client.ts';
import { toBigInt } from '../../prices/base-units.ts';
import { requestTransaction } from './request-transaction.ts';

/** Simulations of a repeated relay: some ten minutes for what it builds on to come back. */
const SIMULATIONS = 16;

/**
 * Queues the call of a relayed authorization again, after a reorganization took it out of its block and it then reverted.
 * What it relies on, such as the payer's approval, was in the lost blocks too and may come back after it; the payer's
 * signature still stands. Answers false, and queues nothing, where the terms are over, another payment of the intent
 * counts or is under way, or none of our keys had sent it.
 */
export async function repeatRelay(
  tx: DatabaseTransaction,
  { relay, now }: { relay: Transaction; now: Date },
): Promise<boolean> {
  const { paymentIntentId, chainId, termsHash } = relay;
  if (termsHash === null) return false;
  const sent = await tx.outgoingTransaction.findUnique({ where: { transactionId: relay.id } });
  const terms = await tx.paymentTerms.findUnique({ where: { chainId_termsHash: { chainId, termsHash } } });
  if (!sent || !terms || terms.authorizeBy <= now) return false;
  const others = { paymentIntentId, type: 'AUTHORIZE', id: { not: relay.id } } as const;
  if ((await tx.transaction.count({ where: { ...others, status: { in: ['PENDING', 'CONFIRMED'] } } })) > 0)
    return false;
  await requestTransaction(tx, {
    paymentIntentId,
    chainId,
    termsHash,
    type: 'AUTHORIZE',
    call: { to: sent.toAddress, data: sent.data, value: toBigInt(sent.valueWei) },
    amount: relay.amount === null ? null : toBigInt(relay.amount),
    sender: sent.sender,
    maxFailures: SIMULATIONS,
  });
  return true;
}
