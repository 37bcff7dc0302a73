import { factKey } from '../../facts/chain-fact.ts';
import type { FoldingWorld } from '../facts/folding-world.ts';
import { claimsAfter, creditsOf, emitterOf } from './credit-facts.ts';
import { isEmitted, type Receipts } from './emitted-logs.ts';
import { foldPayouts } from './payout.ts';

/** The `factKey`s of the claims that are trusted. */
export type BelievedClaims = ReadonlySet<string>;

/**
 * Returns, of the claims in the inbox that would deliver what these payments were credited, those that the node has in their
 * blocks or that were trusted before. A claim that the node does not have delivers nothing, and its own group of facts waits.
 * Throws CHAIN_UNAVAILABLE.
 */
export async function readBelievedClaims(
  { database, registry }: Pick<FoldingWorld, 'database' | 'registry'>,
  { chainId, termsHashes, receipts }: { chainId: number; termsHashes: readonly string[]; receipts: Receipts },
): Promise<BelievedClaims> {
  const emitter = emitterOf(registry, chainId);
  if (!emitter || termsHashes.length === 0) return new Set();
  const credits = await creditsOf(database, { ...emitter, termsHashes });
  const claims = await claimsAfter(database, { ...emitter, credits });
  const { escrow } = emitter;
  // Solana claims were read from final transactions; there is no second source to check them against.
  if (claims.length === 0 || escrow === null) return new Set(claims.map(factKey));
  const believed = await believedBefore(database, { chainId, termsHashes });
  const doubted = new Set<string>();
  for (;;) {
    const rest = claims.filter((claim) => !doubted.has(factKey(claim)));
    const delivering = new Map(
      foldPayouts(credits, rest).flatMap(({ claim }) => (claim ? [[factKey(claim), claim]] : [])),
    );
    const asked = [...delivering].filter(([key]) => !believed.has(key));
    if (asked.length === 0) return believed;
    for (const [key, claim] of asked) {
      const found = await isEmitted({ ...claim, address: escrow }, receipts);
      (found ? believed : doubted).add(key);
    }
  }
}

async function believedBefore(
  database: FoldingWorld['database'],
  { chainId, termsHashes }: { chainId: number; termsHashes: readonly string[] },
): Promise<Set<string>> {
  const rows = await database.creditedPayout.findMany({
    where: { chainId, termsHash: { in: [...termsHashes] }, NOT: { deliveredAt: null } },
    select: { deliveredBlockHash: true, deliveredLogIndex: true },
  });
  return new Set(
    rows.flatMap(({ deliveredBlockHash: blockHash, deliveredLogIndex: logIndex }) =>
      blockHash !== null && logIndex !== null ? [factKey({ blockHash, logIndex })] : [],
    ),
  );
}
