import type { Database, OutgoingTransaction } from '../../prisma/client.ts';

export const OUTGOING_ROWS = 100;

/** Returns open and failed transactions, newest first, at most OUTGOING_ROWS. */
export async function readOutgoing({ database }: { database: Database }): Promise<OutgoingTransaction[]> {
  return await database.outgoingTransaction.findMany({
    where: { OR: [{ status: { in: ['QUEUED', 'SIGNED', 'SENT', 'FAILED'] } }, { status: 'MINED', confirmedAt: null }] },
    orderBy: { id: 'desc' },
    take: OUTGOING_ROWS,
  });
}
