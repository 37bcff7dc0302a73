import { type Database, transaction } from '../../prisma/client.ts';
import { notFound } from '../errors.ts';

/**
 * Makes the projector read a chain again: it evaluates every fact from block `from` on (default: the first block ever read) again, reads
 * the logs again, and ends a halt. Facts that are no longer in the chain are reverted, and missed ones are applied. It changes nothing if
 * the record is correct. Throws NOT_FOUND for a chain that was never observed.
 */
export async function resyncChain(
  world: { database: Database },
  { chainId, from }: { chainId: number; from?: bigint },
): Promise<{ from: bigint; facts: number }> {
  return await transaction(world.database, async (tx) => {
    const cursor = await tx.chainCursor.findUnique({ where: { chainId } });
    if (!cursor) throw notFound('chain');
    const start = from ?? cursor.startNumber ?? 0n;
    const reevaluated = await tx.chainFact.updateMany({
      where: { chainId, status: 'FINAL', blockNumber: { gte: start } },
      data: { status: 'CONFIRMED' },
    });
    await tx.chainCursor.update({
      where: { chainId },
      data: {
        readNumber: start - 1n,
        headHash: null,
        finalizedHash: null,
        finalizedNumber: start > 0n ? start - 1n : 0n,
        haltedAt: null,
        haltReason: null,
      },
    });
    return { from: start, facts: reevaluated.count };
  });
}
