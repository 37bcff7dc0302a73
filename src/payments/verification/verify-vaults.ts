import type { Database, PaymentTerms, SolanaWatch } from '../../../prisma/client.ts';
import type { SolanaNodes } from '../../chains/solana/open-solana-nodes.ts';
import { readVaultBalances } from '../../chains/solana/read-vault-balances.ts';
import { solanaTermsFromJson, solanaTermsHash } from '../../escrow/solana/solana-terms.ts';
import { standingFacts, toPaymentFacts } from '../facts/standing-facts.ts';
import { foldPayment, type PaymentFact, type PaymentState } from '../fold.ts';
import { heldInVaults } from '../solana/held-in-vaults.ts';
import { heldInBooks } from './held-in-books.ts';

type World = { database: Database; solanaNodes: SolanaNodes };

const PAGE = 100;
const KEPT_MS = 90 * 86_400_000;

/** `left` is what the facts show as left, in base units; `faults` lists where facts, ledger and node differ. */
export type VerifiedVault = {
  state: PaymentState | null;
  left: string;
  booked: string;
  faults: string[];
};

/**
 * Compares one payment on Solana with its node: the hash of its terms, each of its facts with a final transaction in that slot,
 * and the vault's balance in the ledger with its actual balance. Writes nothing. Throws CHAIN_UNAVAILABLE.
 */
export async function verifyVault(world: World, { terms }: { terms: PaymentTerms }): Promise<VerifiedVault> {
  const { database, solanaNodes } = world;
  const { chainId, termsHash } = terms;
  const kept = solanaTermsFromJson(terms.terms);
  const faults: string[] = [];
  const recomputed = solanaTermsHash({ chainId, terms: kept });
  if (recomputed !== termsHash) faults.push(`The kept terms hash to ${recomputed}.`);
  const facts = toPaymentFacts(await standingFacts(database, { chainId, termsHash }));
  const state = facts && foldPayment(facts);
  if (!state) faults.push('The facts make no sense in their order.');
  const balance = await solanaNodes.asking(chainId, async (connection) => {
    for (const fact of facts ?? []) {
      const options = { commitment: 'finalized', maxSupportedTransactionVersion: 0 } as const;
      const found = await connection.getTransaction(fact.txHash, options);
      if (!isSame(fact, found))
        faults.push(`The node has no final transaction ${fact.txHash} in slot ${fact.blockNumber}.`);
    }
    return (await readVaultBalances(connection, [kept])).get(kept.vault) ?? 0n;
  });
  const inVault = (await heldInVaults(database, { chainId, vaults: [kept] })).get(kept.vault) ?? 0n;
  if (inVault !== balance) faults.push(`The books hold ${inVault} in the vault, the vault ${balance}.`);
  const booked = (await heldInBooks(database, { chainId, termsHashes: [termsHash] })).get(termsHash) ?? 0n;
  if (state && booked !== state.left) faults.push(`The books hold ${booked}, the facts say ${state.left}.`);
  return { state, left: String(state?.left ?? 0n), booked: String(booked), faults };
}

function isSame(fact: PaymentFact, found: { slot: number; meta: { err: unknown } | null } | null): boolean {
  return found !== null && BigInt(found.slot) === fact.blockNumber && found.meta?.err === null;
}

/** A vault whose balance differs from the ledger. */
export type VaultDrift = { termsHash: string; paymentIntentId: string; booked: string; left: string };

/** Compares every vault of the last 90 days with the ledger, at the newest final slot. Throws CHAIN_UNAVAILABLE. */
export async function verifyVaults(
  { database, solanaNodes }: World,
  { chainId, now }: { chainId: number; now: Date },
): Promise<{ slot: string; payments: number; drifts: VaultDrift[] }> {
  return await solanaNodes.asking(chainId, async (connection) => {
    const slot = await connection.getSlot('finalized');
    const drifts: VaultDrift[] = [];
    let payments = 0;
    let after: string | undefined;
    for (;;) {
      const page: SolanaWatch[] = await database.solanaWatch.findMany({
        where: {
          chainId,
          payBy: { gte: new Date(now.getTime() - KEPT_MS) },
          ...(after === undefined ? {} : { termsHash: { gt: after } }),
        },
        orderBy: { termsHash: 'asc' },
        take: PAGE,
      });
      const balances = await readVaultBalances(connection, page);
      const held = await heldInVaults(database, { chainId, vaults: page });
      for (const { vault, termsHash, paymentIntentId } of page) {
        const [booked, left] = [held.get(vault) ?? 0n, balances.get(vault) ?? 0n];
        if (booked !== left) drifts.push({ termsHash, paymentIntentId, booked: String(booked), left: String(left) });
      }
      payments += page.length;
      after = page.at(-1)?.termsHash;
      if (page.length < PAGE) return { slot: String(slot), payments, drifts };
    }
  });
}
