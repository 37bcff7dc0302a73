/** Reads of payments that concern tables of no tenant; callers hold a payment that is theirs. */
import type { ChainFact, Database } from '../../prisma/client.ts';

/** A transaction of the payment whose terms have this hash. */
export type TransactionPlace = { chainId: number; termsHash: string; txHash: string };

export function placeKey(place: TransactionPlace): string {
  return `${place.chainId}:${place.termsHash}:${place.txHash}`;
}

/** The place that `placeKey` made a key of. */
export function readPlaceKey(key: string): TransactionPlace {
  const [chainId = '', termsHash = '', txHash = ''] = key.split(':');
  return { chainId: Number(chainId), termsHash, txHash };
}

/** The escrow's logs of transactions that still stand, by `placeKey`, in log order. */
export async function readTransactionFacts(
  database: Database,
  places: readonly TransactionPlace[],
): Promise<Map<string, ChainFact[]>> {
  const byChain = new Map<number, Set<string>>();
  for (const { chainId, termsHash } of places) {
    byChain.set(chainId, (byChain.get(chainId) ?? new Set()).add(termsHash));
  }
  const facts = await database.chainFact.findMany({
    where: {
      status: { not: 'ORPHANED' },
      kind: { not: 'AuthorizationUsed' },
      OR: [...byChain].map(([chainId, hashes]) => ({ chainId, ref: { in: [...hashes] } })),
    },
    orderBy: [{ chainId: 'asc' }, { blockNumber: 'asc' }, { logIndex: 'asc' }],
  });
  const found = new Map<string, ChainFact[]>();
  for (const fact of facts) {
    const key = placeKey({ chainId: fact.chainId, termsHash: fact.ref ?? '', txHash: fact.txHash });
    found.set(key, [...(found.get(key) ?? []), fact]);
  }
  return found;
}

/** The newest block that is known of each chain, by chain id as text. */
export async function readHeads(database: Database): Promise<Map<string, bigint>> {
  const cursors = await database.chainCursor.findMany({ select: { chainId: true, headNumber: true } });
  return new Map(cursors.map((cursor) => [String(cursor.chainId), cursor.headNumber]));
}
