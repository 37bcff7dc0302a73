import type { Database } from '../../../prisma/client.ts';
import type { Clock } from '../../platform/clock.ts';

const BATCH = 2_000;
const MAX_BATCHES = 200;
const DAY_MS = 86_400_000;

/** Deletes mails that were queued more than `days` ago, in batches; returns how many. */
export async function purgeMails(
  { database, clock }: { database: Database; clock: Clock },
  { days }: { days: number },
): Promise<number> {
  const before = new Date(clock.now().getTime() - days * DAY_MS);
  let purged = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const count = await database.$executeRaw`
      DELETE FROM mail WHERE id IN (
        SELECT id FROM mail WHERE created_at < ${before} AND status NOT IN ('QUEUED', 'HELD') ORDER BY created_at LIMIT ${BATCH})`;
    purged += count;
    if (count < BATCH) break;
  }
  return purged;
}
