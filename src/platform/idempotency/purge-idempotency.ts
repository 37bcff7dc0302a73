import type { Database } from '../../../prisma/client.ts';
import type { Clock } from '../clock.ts';

/** 24 h are promised; another day costs little and allows for clock differences. */
const KEPT_HOURS = 48;
const BATCH = 5_000;
const MAX_BATCHES = 200;

/** Deletes expired first answers, in batches so that no statement locks many rows. Returns the number deleted. */
export async function purgeIdempotency(world: { database: Database; clock: Clock }): Promise<number> {
  const before = new Date(world.clock.now().getTime() - KEPT_HOURS * 3_600_000);
  let purged = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const count = await world.database.$executeRaw`
      DELETE FROM idempotency_record WHERE (app_id, key) IN (
        SELECT app_id, key FROM idempotency_record WHERE NOT permanent AND created_at < ${before} LIMIT ${BATCH})`;
    purged += count;
    if (count < BATCH) break;
  }
  return purged;
}
