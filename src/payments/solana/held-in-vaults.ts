import type { Database } from '../../../prisma/client.ts';

/** What each vault holds according to the ledger, in base units; a vault without entries is left out. */
export async function heldInVaults(
  database: Database,
  { chainId, vaults }: { chainId: number; vaults: readonly { vault: string; vaultOwner: string }[] },
): Promise<Map<string, bigint>> {
  const owners = [...new Set(vaults.map(({ vaultOwner }) => vaultOwner))];
  const rows = await database.$queryRaw<{ vault: string; held: string }[]>`
    SELECT terms.terms->>'vault' AS vault, sum(ledger.amount)::text AS held
    FROM payment_terms terms JOIN ledger_entry ledger
      ON ledger.payment_intent_id = terms.payment_intent_id AND ledger.chain_id = terms.chain_id
        AND ledger.terms_hash = terms.terms_hash
    WHERE terms.chain_id = ${chainId} AND ledger.account = 'ESCROW'
      AND terms.payment_intent_id IN (
        SELECT payment_intent_id FROM solana_watch WHERE chain_id = ${chainId} AND vault_owner = ANY(${owners}))
    GROUP BY 1`;
  return new Map(rows.map((row) => [row.vault, BigInt(row.held)]));
}
