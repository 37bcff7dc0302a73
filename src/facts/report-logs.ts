import type { Database } from '../../prisma/client.ts';
import type { ChainLog } from './chain-fact.ts';
import { insertLogs } from './store.ts';

/** Puts logs that were found outside the projector into the inbox. The projector evaluates and applies them. Returns how many were new. */
export async function reportLogs(
  world: { database: Database },
  { logs }: { logs: readonly ChainLog[] },
): Promise<number> {
  const put = await insertLogs(world.database, logs);
  return put.length;
}
