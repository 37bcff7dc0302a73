import type { Database } from '../../prisma/client.ts';

/**
 * Lets the projector fold the facts of one reference anew, as if they had just been confirmed. Harmless for a sound
 * state: what is written already is not written again. Answers how many facts wait now.
 */
export async function replayFacts(
  { database }: { database: Database },
  { chainId, ref }: { chainId: number; ref: string },
): Promise<number> {
  const waiting = await database.chainFact.updateMany({
    where: { chainId, ref, status: { in: ['CONFIRMED', 'FINAL'] } },
    data: { status: 'CONFIRMED', appliedAt: null },
  });
  return waiting.count;
}
