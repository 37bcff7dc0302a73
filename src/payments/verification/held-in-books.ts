import type { Database } from '../../../prisma/client.ts';
import { toBigInt } from '../../prices/base-units.ts';

/** Base units in escrow for a payment, as the ledger has them. */
export async function heldInBooks(database: Database, termsHash: string): Promise<bigint> {
  const sum = await database.ledgerEntry.aggregate({
    where: { termsHash, account: 'ESCROW' },
    _sum: { amount: true },
  });
  return sum._sum.amount === null ? 0n : toBigInt(sum._sum.amount);
}
