import type { DatabaseTransaction, Transaction } from '../../../prisma/client.ts';
import { RELAY_SENDER } from '../../operator/relay.ts';
import { toBigInt } from '../../prices/base-units.ts';
import { requestTransaction } from './request-transaction.ts';

/** The number of simulations of a repeated relay: about ten minutes for what it depends on to be mined again. */
const SIMULATIONS = 16;

/**
 * Queues the call of a relayed authorization again after a reorganization removed it from its block and it then reverted. What it depends
 * on, such as the payer's approval, was in the lost blocks too and may be mined again; the payer's signature is still valid. Returns false
 * and queues nothing if the terms have expired, another payment of the intent counts or is pending, or none of the installation's keys sent
 * the relay.
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
    sender: sent.relayed ? RELAY_SENDER : sent.sender,
    maxFailures: SIMULATIONS,
  });
  return true;
}
