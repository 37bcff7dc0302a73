import type { Database, DatabaseTransaction } from '../../../../prisma/client.ts';

/** Payments of one wallet that are being relayed on a chain: their number, and the base units of one token. */
export type UnderWay = { count: number; amount: bigint };

/**
 * Reads the relayed payments of a wallet that are pending. Each authorization of EIP-3009 has a nonce of its own, so several may be pending
 * at once, as long as the balance covers all of them.
 */
export async function readUnderWay(
  database: Database | DatabaseTransaction,
  wallet: { chainId: number; tokenKey: string; payer: string },
): Promise<UnderWay> {
  const [row] = await database.$queryRaw<{ count: bigint; amount: string }[]>`
    SELECT count(*) AS count,
      coalesce(sum(quote.crypto_amount) FILTER (WHERE quote.token_key = ${wallet.tokenKey}), 0)::text AS amount
    FROM transaction sent
    JOIN quote ON quote.chain_id = sent.chain_id AND quote.terms_hash = sent.terms_hash
      AND quote.payment_intent_id = sent.payment_intent_id
    WHERE sent.type = 'AUTHORIZE' AND sent.status = 'PENDING' AND sent.chain_id = ${wallet.chainId}
      AND quote.method <> 'DIRECT' AND lower(quote.wallet_address) = ${wallet.payer.toLowerCase()}`;
  return { count: Number(row?.count ?? 0n), amount: BigInt(row?.amount ?? '0') };
}
