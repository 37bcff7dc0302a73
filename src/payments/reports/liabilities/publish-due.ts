import type { Database } from '../../../../prisma/client.ts';
import type { EvmNodes } from '../../../chains/evm/nodes.ts';
import type { Registry } from '../../../chains/registry.ts';
import { GatewayError } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import { publishLiabilities } from './publish-liabilities.ts';
import type { PublishedSnapshot } from './snapshot.ts';

type World = { database: Database; nodes: EvmNodes; registry: Registry; clock: Clock };

const DAY_MS = 86_400_000;

/**
 * Takes a snapshot of each EVM chain that has none for this day (UTC) yet, and deletes snapshots older than `days`. A chain that
 * fails is reported through `onFault` and tried again the next time; it does not affect the others. A chain whose newest snapshot is
 * of a later block is tried again without a report: another process took that snapshot, or the node is behind.
 */
export async function publishDueLiabilities(
  world: World,
  { days, onFault }: { days: number; onFault: (chainId: number, error: unknown) => void },
): Promise<PublishedSnapshot[]> {
  const { database, registry, clock } = world;
  const now = clock.now();
  const today = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);
  const made: PublishedSnapshot[] = [];
  for (const { chainId, family, escrow } of registry.enabled()) {
    if (family !== 'EVM' || !escrow) continue;
    const ofToday = { chainId, createdAt: { gte: today } };
    if (await database.liabilitySnapshot.findFirst({ where: ofToday, select: { id: true } })) continue;
    try {
      made.push(await publishLiabilities(world, { chainId }));
    } catch (error) {
      const isOvertaken = error instanceof GatewayError && error.code === 'CONFLICT';
      if (!isOvertaken) onFault(chainId, error);
    }
  }
  const before = new Date(now.getTime() - days * DAY_MS);
  await database.liabilitySnapshot.deleteMany({ where: { createdAt: { lt: before } } });
  return made;
}
