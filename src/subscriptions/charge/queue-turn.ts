import type { DatabaseTransaction } from '../../../prisma/client.ts';
import { RELAY_SENDER } from '../../operator/relay.ts';
import { countQueued } from '../../operator/store.ts';

/**
 * The number of relayed transactions of a chain that wait beyond which nothing more is priced: a price signed now might expire before
 * its transaction is sent. Without batches, one key sends so many in ten minutes of blocks of 12 s.
 */
const QUEUE_LIMIT = 800;
/** A renewal that finds the queue full is retried after at least so long, and spread over as long again rather than all at once. */
const RETRY_SECONDS = 15;

/** How many more charges may be queued on a chain. */
export async function queueRoom(
  tx: DatabaseTransaction,
  { chainId, now }: { chainId: number; now: Date },
): Promise<number> {
  return Math.max(0, QUEUE_LIMIT - (await countQueued(tx, { chainId, sender: RELAY_SENDER, now })));
}

/** When a renewal that found the queue full is checked again. */
export function nextTurn({ id, now }: { id: string; now: Date }): Date {
  // The last digits of the id are random.
  const spreadSeconds = Number.parseInt(id.slice(-4), 16) % RETRY_SECONDS;
  return new Date(now.getTime() + (RETRY_SECONDS + spreadSeconds) * 1000);
}
