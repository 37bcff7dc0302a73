import type { DatabaseTransaction } from '../../../prisma/client.ts';
import { RELAY_SENDER } from '../../operator/relay.ts';
import { countQueued } from '../../operator/store.ts';

/**
 * The number of relayed transactions of a chain that wait beyond which nothing more is priced: a price signed now might expire before
 * its transaction is sent. Without batches, one key sends so many in ten minutes of blocks of 12 s; in batches of 100, two keys send
 * the larger number in half of that.
 */
const QUEUE_LIMIT = 800;
const BATCHED_QUEUE_LIMIT = 4_000;
/** A renewal that finds the queue full is retried after one to two times this interval, at random. */
const RETRY_SECONDS = 15;

/** Returns the number of charges that may still be queued on a chain. */
export async function queueCapacity(
  tx: DatabaseTransaction,
  { chainId, isBatched, now }: { chainId: number; isBatched: boolean; now: Date },
): Promise<number> {
  const limit = isBatched ? BATCHED_QUEUE_LIMIT : QUEUE_LIMIT;
  return Math.max(0, limit - (await countQueued(tx, { chainId, sender: RELAY_SENDER, now })));
}

/** Returns when a renewal that found the queue full is retried. */
export function nextTurn({ id, now }: { id: string; now: Date }): Date {
  // The last digits of the id are random.
  const spreadSeconds = Number.parseInt(id.slice(-4), 16) % RETRY_SECONDS;
  return new Date(now.getTime() + (RETRY_SECONDS + spreadSeconds) * 1000);
}
