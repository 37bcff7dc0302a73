import type { Database, OutgoingTransaction } from '../../prisma/client.ts';

export const OUTGOING_ROWS = 100;

/** Transactions on their way to a chain, and given up ones, newest first, at most OUTGOING_ROWS. */
export async function readOutgoing({ database }: { database: Database }): Promise<OutgoingTransaction[]> {
  return await database.outgoingTransaction.findMany({
    where: { OR: [{ status: { in: ['QUEUED', 'SIGNED', 'SENT', 'FAILED'] } }, { status: 'MINED', confirmedAt: null }] },
    orderBy: { id: 'desc' },
    take: OUTGOING_ROWS,
  });
}
