import type { Database, OutgoingTransaction } from '../../../prisma/client.ts';

const ATTEMPTS = 20;

export type SentTransaction = OutgoingTransaction & { attempts: { hash: string; raw: string }[] };

/** Reads the transactions that this installation sends, by the ids of the payment transactions that they execute. The caller may see them. */
export async function readSent(
  { database }: { database: Database },
  transactionIds: readonly string[],
): Promise<Map<string, SentTransaction>> {
  const rows = await database.outgoingTransaction.findMany({
    where: { transactionId: { in: [...transactionIds] } },
    include: { attempts: { select: { hash: true, raw: true }, orderBy: { createdAt: 'desc' }, take: ATTEMPTS } },
  });
  return new Map(rows.flatMap((row) => (row.transactionId === null ? [] : [[row.transactionId, row] as const])));
}
