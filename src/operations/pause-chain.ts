import { invalid } from '../errors.ts';
import type { OperationsWorld } from './operations-world.ts';

/**
 * Keeps new payments off a chain from `pausedAt` on, or with null lets them in again; those under way go on. Again changes
 * nothing but the time. VALIDATION_ERROR for a chain that is not registered.
 */
export async function pauseChain(
  { database, registry }: Pick<OperationsWorld, 'database' | 'registry'>,
  { chainId, pausedAt }: { chainId: number; pausedAt: Date | null },
): Promise<void> {
  if (!registry.chain(chainId)) throw invalid([{ param: 'chainId', message: `no chain ${chainId} is registered` }]);
  await database.chainCursor.upsert({
    where: { chainId },
    create: { chainId, pausedAt },
    update: { pausedAt },
  });
}
