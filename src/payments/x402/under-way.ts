import type { Address } from 'viem';
import type { Database, DatabaseTransaction } from '../../../prisma/client.ts';
import type { Refusal } from './x402-types.ts';

/** Paid calls of one wallet that are being relayed on a chain: their number, and the base units of one token that they will move. */
export type UnderWay = { count: number; amount: bigint };

type Wallet = { chainId: number; tokenKey: string; payer: string };

/** Payments of one wallet that may be relayed at the same time on one chain. The installation pays their gas. */
const UNDER_WAY_LIMIT = 20;

/**
 * Reads the payments of a wallet that are pending, of both schemes. Each authorization of EIP-3009 has a nonce of its own, so several may be
 * pending at once, as long as the balance covers all of them. The wallet's lock makes the result hold until the transaction ends.
 */
export async function readUnderWay(database: Database | DatabaseTransaction, wallet: Wallet): Promise<UnderWay> {
  const payer = wallet.payer.toLowerCase();
  // The balance shows an exact payment once it is in a block.
  const [row] = await database.$queryRaw<{ count: bigint; amount: string }[]>`
    SELECT count(*) AS count, coalesce(sum(amount) FILTER (WHERE token_key = ${wallet.tokenKey}), 0)::text AS amount FROM (
      SELECT quote.token_key, quote.crypto_amount AS amount
      FROM transaction sent
      JOIN quote ON quote.chain_id = sent.chain_id AND quote.terms_hash = sent.terms_hash
        AND quote.payment_intent_id = sent.payment_intent_id
      WHERE sent.type = 'AUTHORIZE' AND sent.status = 'PENDING' AND sent.chain_id = ${wallet.chainId}
        AND quote.method <> 'DIRECT' AND lower(quote.wallet_address) = ${payer}
      UNION ALL
      SELECT token_key, amount FROM exact_authorization
      WHERE chain_id = ${wallet.chainId} AND status = 'PENDING' AND tx_hash IS NULL AND payer = ${payer}
    ) AS pending`;
  return { count: Number(row?.count ?? 0n), amount: BigInt(row?.amount ?? '0') };
}

/** Why a wallet with so many pending payments must wait, or null. */
export function underWayFault({ count }: UnderWay, payer: Address): Refusal | null {
  if (count < UNDER_WAY_LIMIT) return null;
  const message = `${count} payments of this wallet are under way; wait for one of them.`;
  return { reason: 'too_many_payments_under_way', message, payer };
}
