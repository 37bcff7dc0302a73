import type { Database } from '../../../prisma/client.ts';
import { claimPurpose } from './deliver-payouts.ts';

/** When the newest claim that is on its way was queued, by the `recipientKey` of its recipient; no entry without one. */
export async function claimsUnderWay(database: Database, keys: readonly string[]): Promise<ReadonlyMap<string, Date>> {
  if (keys.length === 0) return new Map();
  const claims = await database.outgoingTransaction.findMany({
    where: {
      // The fold has a claim that was mined before it is final.
      status: { in: ['QUEUED', 'SIGNED', 'SENT', 'MINED'] },
      OR: keys.map((key) => ({ purpose: { startsWith: claimPurpose(key) } })),
    },
    select: { purpose: true, createdAt: true },
    orderBy: { createdAt: 'asc' },
  });
  const newest = keys.map(
    (key) => [key, claims.findLast(({ purpose }) => purpose.startsWith(claimPurpose(key)))] as const,
  );
  return new Map(newest.flatMap(([key, claim]) => (claim ? [[key, claim.createdAt] as const] : [])));
}
