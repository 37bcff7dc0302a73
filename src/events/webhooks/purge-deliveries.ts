import type { Database } from '../../../prisma/client.ts';
import type { Clock } from '../../platform/clock.ts';

const BATCH = 2_000;
const MAX_BATCHES = 200;
const DAY_MS = 86_400_000;

/**
 * Deletes deliveries that were queued more than `days` ago, with their attempts, in batches so that no statement locks many rows;
 * returns the number deleted. Deliveries with attempts left are kept unless their endpoint is inactive. Events are not deleted here.
 */
export async function purgeDeliveries(
  world: { database: Database; clock: Clock },
  request: { days: number },
): Promise<number> {
  const before = new Date(world.clock.now().getTime() - request.days * DAY_MS);
  // Ids start with their creation time, so the oldest are found by the primary key.
  const oldest = `${before
    .getTime()
    .toString(16)
    .padStart(12, '0')
    .replace(/^(.{8})/, '$1-')}-7000-8000-000000000000`;
  let purged = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const count = await world.database.$executeRaw`
      DELETE FROM webhook_delivery WHERE id IN (
        SELECT delivery.id FROM webhook_delivery delivery JOIN webhook_endpoint endpoint ON endpoint.id = delivery.webhook_id
        WHERE delivery.id < ${oldest}::uuid AND (delivery.status <> 'PENDING' OR NOT endpoint.active)
        ORDER BY delivery.id LIMIT ${BATCH})`;
    purged += count;
    if (count < BATCH) break;
  }
  return purged;
}
