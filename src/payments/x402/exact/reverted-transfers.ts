import type { Address } from 'viem';
import type { Database, DatabaseTransaction } from '../../../../prisma/client.ts';
import type { Refusal } from '../x402-types.ts';

/** Transfers of one payer that may revert on a chain within a day. Their simulations have succeeded, and the installation pays their gas. */
const REVERTED_LIMIT = 3;
const DAY_MS = 86_400_000;

/**
 * Why a payer whose transfers reverted in their blocks must wait, or null. Transfers of settled payments do not count, because anyone can
 * make the installation's transfer revert by sending the authorization first.
 */
export async function revertedFault(
  database: Database | DatabaseTransaction,
  { chainId, payer, now }: { chainId: number; payer: Address; now: Date },
): Promise<Refusal | null> {
  const since = new Date(now.getTime() - DAY_MS);
  const validAfter = BigInt(Math.floor(since.getTime() / 1000));
  const [row] = await database.$queryRaw<{ count: bigint }[]>`
    SELECT count(*) AS count FROM exact_authorization exact
    JOIN outgoing_transaction sent
      ON sent.purpose IN ('exact:' || exact.id || ':0', 'exact:' || exact.id || ':1', 'exact:' || exact.id || ':2')
    WHERE exact.chain_id = ${chainId} AND exact.status IN ('PENDING', 'FAILED') AND exact.valid_before > ${validAfter}
      AND exact.payer = ${payer.toLowerCase()}
      AND sent.status = 'FAILED' AND sent.block_number IS NOT NULL AND sent.confirmed_at > ${since}`;
  const count = Number(row?.count ?? 0n);
  if (count < REVERTED_LIMIT) return null;
  const message = `${count} transfers of this wallet have reverted on this chain within 24 hours. Their gas was paid by the gateway, so the wallet cannot pay by exact for now.`;
  return { reason: 'too_many_reverted_transfers', message, payer };
}
