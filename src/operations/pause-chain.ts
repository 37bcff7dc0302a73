import { transaction } from '../../prisma/client.ts';
import { recordAction } from '../auth/audit/record-action.ts';
import { invalid } from '../errors.ts';
import type { OperationsWorld } from './operations-world.ts';

/**
 * Keeps new payments off a chain from `pausedAt`, or accepts them again if it is null. Payments in progress continue. Repeating the call
 * changes nothing, not even the time of the first pause. Throws VALIDATION_ERROR for a chain that is not registered.
 */
export async function pauseChain(
  { database, registry }: Pick<OperationsWorld, 'database' | 'registry'>,
  { chainId, pausedAt }: { chainId: number; pausedAt: Date | null },
): Promise<void> {
  if (!registry.chain(chainId)) throw invalid([{ param: 'chainId', message: `chain ${chainId} is not registered` }]);
  await transaction(database, async (tx) => {
    const made =
      pausedAt === null
        ? { count: 0 }
        : await tx.chainCursor.createMany({ data: [{ chainId, pausedAt }], skipDuplicates: true });
    // Raw SQL, because Prisma would set `updatedAt`, and a pause must not make a dead indexer appear alive.
    const changed = await tx.$executeRaw`
      UPDATE chain_cursor SET paused_at = ${pausedAt}
      WHERE chain_id = ${chainId} AND (paused_at IS NULL) <> (${pausedAt}::timestamptz IS NULL)`;
    if (made.count + changed === 0) return;
    await recordAction(tx, {
      action: pausedAt === null ? 'chain.resumed' : 'chain.paused',
      owner: 'INSTALLATION',
      target: { type: 'Chain', id: String(chainId) },
      before: { paused: pausedAt === null },
      after: { paused: pausedAt !== null },
    });
  });
}
