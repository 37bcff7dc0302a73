import type { Database } from '../../prisma/client.ts';

/**
 * Makes the projector fold the facts of one reference again, as if they had just been confirmed. It does not change a correct state,
 * because existing writes are not repeated. Returns the number of facts that now wait.
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
