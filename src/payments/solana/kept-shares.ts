import type { Database } from '../../../prisma/client.ts';
import { NATIVE } from '../../chains/chain.ts';
import { toBigInt } from '../../prices/base-units.ts';
import { claimPurpose, recipientKey } from '../payouts/claims-under-way.ts';

/**
 * The undelivered shares kept for a recipient on Solana according to the ledger, in base units of the mint (null: lamports). Null
 * while a delivery has been finalized that the ledger does not contain yet.
 */
export async function keptShares(
  database: Database,
  { chainId, recipient, mint }: { chainId: number; recipient: string; mint: string | null },
): Promise<bigint | null> {
  const owner = { chainId, recipient, token: mint ?? NATIVE };
  const landed = await database.outgoingTransaction.findFirst({
    where: { chainId, status: 'FINAL', purpose: { startsWith: claimPurpose(recipientKey(owner)) } },
    orderBy: { id: 'desc' },
  });
  const open = await database.creditedPayout.findMany({
    where: { ...owner, deliveredAt: null, keptAt: { not: null } },
    select: { amount: true },
  });
  if (landed && !(await isBooked(database, { chainId, txHash: landed.txHash }))) return null;
  return open.reduce((sum, { amount }) => sum + toBigInt(amount), 0n);
}

async function isBooked(
  database: Database,
  { chainId, txHash }: { chainId: number; txHash: string | null },
): Promise<boolean> {
  if (txHash === null) return false;
  const fact = await database.chainFact.findFirst({
    where: { chainId, txHash, kind: 'Claimed', status: { not: 'ORPHANED' }, appliedAt: { not: null } },
  });
  return fact !== null;
}
