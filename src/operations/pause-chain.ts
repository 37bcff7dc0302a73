import { invalid } from '../errors.ts';
import type { OperationsWorld } from './operations-world.ts';

/**
 * Keeps new payments off a chain from `pausedAt` on, or with null lets them in again; those under way go on. Again changes
 * nothing, the time of the first pause neither. VALIDATION_ERROR for a chain that is not registered.
 */
export async function pauseChain(
  { database, registry }: Pick<OperationsWorld, 'database' | 'registry'>,
  { chainId, pausedAt }: { chainId: number; pausedAt: Date | null },
): Promise<void> {
  if (!registry.chain(chainId)) throw invalid([{ param: 'chainId', message: `no chain ${chainId} is registered` }]);
  const { chainCursor } = database;
  if (pausedAt !== null) await chainCursor.createMany({ data: [{ chainId, pausedAt }], skipDuplicates: true });
  // Not through Prisma, which would stamp the row as looked at: a dead indexer must not seem alive because of a pause.
  await database.$executeRaw`
    UPDATE chain_cursor SET paused_at = ${pausedAt}
    WHERE chain_id = ${chainId} AND (paused_at IS NULL) <> (${pausedAt}::timestamptz IS NULL)`;
}
