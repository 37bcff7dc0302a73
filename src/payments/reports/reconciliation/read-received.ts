import type { Database, Prisma } from '../../../../prisma/client.ts';
import { toBigInt } from '../../../prices/base-units.ts';
import { plainAddress } from '../../payouts/plain-address.ts';

/** What an address received from the escrow for an app. */
export type Received = { chainId: number; tokenKey: string; address: string; amount: bigint };

/**
 * Sums, by chain, token and address, what the escrow paid to the payout addresses of an app before an instant (Unix seconds): the
 * merchant's shares that were not credited, and the credits that were delivered by then.
 */
export async function readReceived(
  { database }: { database: Database },
  { appId, before }: { appId: string; before: bigint },
): Promise<Received[]> {
  const rows = await database.$queryRaw<
    { chainId: number; tokenKey: string; address: string; amount: Prisma.Decimal }[]
  >`
    SELECT "chainId", "tokenKey", address, sum(amount) AS amount FROM (
      SELECT fact.chain_id AS "chainId", terms.token_key AS "tokenKey", terms.terms->>'merchant' AS address,
        (fact.args->>'merchantAmount')::numeric AS amount
      FROM payment_intent intent
      JOIN payment_terms terms ON terms.payment_intent_id = intent.id
      JOIN chain_fact fact ON fact.chain_id = terms.chain_id AND fact.ref = terms.terms_hash
      WHERE intent.app_id = ${appId}::uuid AND fact.kind IN ('Settled', 'Resolved')
        AND fact.status IN ('CONFIRMED', 'FINAL') AND fact.block_timestamp < ${before}
        AND NOT EXISTS (SELECT 1 FROM chain_fact credit WHERE credit.chain_id = fact.chain_id AND credit.ref = fact.ref
          AND credit.kind = 'Credited' AND credit.status IN ('CONFIRMED', 'FINAL')
          AND credit.args->>'role' IN ('1', 'MERCHANT') AND credit.block_hash = fact.block_hash
          AND credit.tx_hash = fact.tx_hash)
      UNION ALL
      SELECT fact.chain_id, exact.token_key, exact.pay_to, (fact.args->>'amount')::numeric
      FROM payment_intent intent
      JOIN exact_authorization exact ON exact.payment_intent_id = intent.id
      JOIN chain_fact fact ON fact.chain_id = exact.chain_id AND fact.ref = exact.payment_key
      WHERE intent.app_id = ${appId}::uuid AND fact.kind = 'TransferredWithAuthorization'
        AND fact.status IN ('CONFIRMED', 'FINAL') AND fact.block_timestamp < ${before}
      UNION ALL
      SELECT credit.chain_id, terms.token_key, claim.args->>'to', (credit.args->>'amount')::numeric
      FROM payment_intent intent
      JOIN payment_terms terms ON terms.payment_intent_id = intent.id
      JOIN chain_fact credit ON credit.chain_id = terms.chain_id AND credit.ref = terms.terms_hash
      CROSS JOIN LATERAL (
        SELECT fact.args, fact.block_timestamp FROM chain_fact fact
        WHERE fact.chain_id = credit.chain_id AND fact.kind = 'Claimed' AND fact.status IN ('CONFIRMED', 'FINAL')
          AND fact.args->>'recipient' = credit.args->>'recipient' AND fact.args->>'token' = credit.args->>'token'
          AND (credit.args ? 'keptAt' OR fact.address = credit.address)
          AND (fact.block_number, fact.log_index) > (credit.block_number, credit.log_index)
        ORDER BY fact.block_number, fact.log_index LIMIT 1
      ) claim
      WHERE intent.app_id = ${appId}::uuid AND credit.kind = 'Credited' AND credit.status IN ('CONFIRMED', 'FINAL')
        AND credit.args->>'role' IN ('1', 'MERCHANT') AND claim.block_timestamp < ${before}
    ) paid WHERE amount > 0 GROUP BY 1, 2, 3`;
  return rows.map(({ address, amount, ...row }) => ({
    ...row,
    address: plainAddress(address),
    amount: toBigInt(amount),
  }));
}
