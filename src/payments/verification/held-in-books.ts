import { type Database, Prisma } from '../../../prisma/client.ts';

/**
 * The base units in escrow for each payment of a chain according to the ledger, by terms hash. `upTo` leaves out entries of
 * higher blocks.
 */
export async function heldInBooks(
  database: Database,
  payments: { chainId: number; termsHashes: readonly string[]; upTo?: bigint },
): Promise<Map<string, bigint>> {
  const { chainId, termsHashes, upTo } = payments;
  const rows = await database.$queryRaw<{ terms_hash: string; held: string }[]>`
    SELECT entry.terms_hash, sum(entry.amount)::text AS held FROM ledger_entry entry
    WHERE entry.terms_hash = ANY(${[...termsHashes]}::text[]) AND entry.chain_id = ${chainId}
      AND entry.account = 'ESCROW' AND ${isBookedBy(upTo)}
    GROUP BY entry.terms_hash`;
  const held = new Map(termsHashes.map((termsHash) => [termsHash, 0n]));
  for (const row of rows) held.set(row.terms_hash, BigInt(row.held));
  return held;
}

/**
 * The base units in escrow for one token according to the ledger, including undelivered payouts and leaving out entries of blocks
 * above `upTo`.
 */
export async function heldOfToken(
  database: Database,
  { chainId, tokenKey, upTo }: { chainId: number; tokenKey: string; upTo: bigint },
): Promise<bigint> {
  const [row] = await database.$queryRaw<{ held: string }[]>`
    SELECT coalesce(sum(entry.amount), 0)::text AS held FROM ledger_entry entry
    WHERE entry.chain_id = ${chainId} AND entry.token_key = ${tokenKey}
      AND entry.account IN ('ESCROW', 'UNDELIVERED')
      AND ${isBookedBy(upTo)}`;
  return BigInt(row?.held ?? 0);
}

/** An entry without a fact belongs to no block and always counts. */
function isBookedBy(upTo: bigint | undefined): Prisma.Sql {
  if (upTo === undefined) return Prisma.sql`true`;
  return Prisma.sql`NOT EXISTS (SELECT 1 FROM chain_fact fact WHERE fact.chain_id = entry.chain_id
    AND fact.block_hash = entry.block_hash AND fact.log_index = entry.log_index AND fact.block_number > ${upTo})`;
}
