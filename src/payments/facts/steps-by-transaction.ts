import type { PaymentTerms } from '../../../prisma/client.ts';
import type { ChainLog } from '../../facts/chain-fact.ts';
import type { PaymentEvidence } from './folding-world.ts';

/** The place of a chain transaction, and the payments of which it has new steps, by their terms hashes. */
export type StepsOfTransaction = Pick<
  ChainLog,
  'chainId' | 'blockNumber' | 'blockHash' | 'blockTimestamp' | 'txHash'
> & { payments: Map<string, PaymentTerms> };

/**
 * Returns the chain transactions that contain the payments' new confirmed facts, optionally of some kinds only. A batch contains the steps of
 * many payments, and its receipt is searched once.
 */
export function stepsByTransaction(
  evidence: readonly PaymentEvidence[],
  kinds?: ReadonlySet<string>,
): StepsOfTransaction[] {
  const found = new Map<string, StepsOfTransaction>();
  for (const { group, terms } of evidence) {
    for (const fact of group.facts) {
      if (fact.status !== 'CONFIRMED' || (kinds && !kinds.has(fact.kind))) continue;
      const { chainId, blockNumber, blockHash, blockTimestamp, txHash } = fact;
      const key = `${blockHash}-${txHash}`;
      const known = found.get(key);
      if (known) known.payments.set(terms.termsHash, terms);
      else {
        const payments = new Map([[terms.termsHash, terms]]);
        found.set(key, { chainId, blockNumber, blockHash, blockTimestamp, txHash, payments });
      }
    }
  }
  return [...found.values()];
}
