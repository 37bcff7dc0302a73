import type { Database } from '../../../prisma/client.ts';
import { inLane } from '../../../prisma/database-pools.ts';
import type { Clock } from '../../platform/clock.ts';

/** The last use is stored with a precision of one minute, so that a busy key costs one write per minute and process. */
const PRECISION_MS = 60_000;
const REMEMBERED_KEYS = 10_000;

const noted = new WeakMap<Database, Map<string, number>>();

/** Records the use of a key in the background. If the write fails, the next use records it. */
export function noteKeyUse(world: { database: Database; clock: Clock }, apiKeyId: string): void {
  const now = world.clock.now();
  const uses = noted.get(world.database) ?? new Map<string, number>();
  noted.set(world.database, uses);
  const last = uses.get(apiKeyId);
  if (last !== undefined && Math.abs(now.getTime() - last) < PRECISION_MS) return;
  if (uses.size >= REMEMBERED_KEYS) uses.clear();
  uses.set(apiKeyId, now.getTime());
  // The row may be locked, and there are few connections for credentials.
  const note = () => world.database.$executeRaw`
    UPDATE api_key SET last_used_at = gateway_now() WHERE id = ${apiKeyId}::uuid`;
  inLane(undefined, note).catch(() => uses.delete(apiKeyId));
}
