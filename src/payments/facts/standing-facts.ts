import type { ChainFact, Database, DatabaseTransaction } from '../../../prisma/client.ts';
import { parseEscrowEvent } from '../../escrow/escrow-event.ts';
import { parseSolanaEvent } from '../../escrow/solana/solana-event.ts';
import { byPlace } from '../../facts/chain-fact.ts';
import { type PaymentFact, paymentEventKinds } from '../fold.ts';

/** A payment's facts that count at the confirmed height, in chain order; `seen` adds those above it. */
export async function standingFacts(
  database: Database | DatabaseTransaction,
  payment: { chainId: number; termsHash: string; seen?: boolean },
): Promise<ChainFact[]> {
  const { chainId, termsHash, seen } = payment;
  const found = await standingFactsOf(database, { chainId, termsHashes: [termsHash], ...(seen ? { seen } : {}) });
  return found.get(termsHash) ?? [];
}

/** The same for several payments of a chain, by terms hash. */
export async function standingFactsOf(
  database: Database | DatabaseTransaction,
  payments: { chainId: number; termsHashes: readonly string[]; seen?: boolean },
): Promise<Map<string, ChainFact[]>> {
  const rows = await database.chainFact.findMany({
    where: {
      chainId: payments.chainId,
      ref: { in: [...payments.termsHashes] },
      kind: { in: paymentEventKinds },
      status: { in: payments.seen ? ['SEEN', 'CONFIRMED', 'FINAL'] : ['CONFIRMED', 'FINAL'] },
    },
  });
  const found = new Map<string, ChainFact[]>(payments.termsHashes.map((termsHash) => [termsHash, []]));
  for (const row of rows.sort(byPlace)) if (row.ref !== null) found.get(row.ref)?.push(row);
  return found;
}

/** Null if the fact's arguments do not match an event of the escrow contract or one on Solana. */
export function toPaymentFact(fact: ChainFact): PaymentFact | null {
  const event = parseEscrowEvent(fact.kind, fact.args) ?? parseSolanaEvent(fact.kind, fact.args);
  if (event === null || !('left' in event)) return null;
  const { chainId, blockNumber, blockHash, blockTimestamp, txHash, logIndex } = fact;
  return { chainId, blockNumber, blockHash, blockTimestamp, txHash, logIndex, event };
}

/** Null if any fact cannot be read, because the rest would then be incomplete. */
export function toPaymentFacts(facts: readonly ChainFact[]): PaymentFact[] | null {
  const read = facts.map(toPaymentFact);
  return read.every((fact) => fact !== null) ? read : null;
}
