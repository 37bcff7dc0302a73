import type { DatabaseTransaction, SubscriptionConsent } from '../../../prisma/client.ts';
import { RELAY_SENDER } from '../../operator/relay.ts';
import { countQueued } from '../../operator/store.ts';
import { PASSING_MS } from '../schedule-renewal.ts';

/**
 * The number of relayed transactions that wait beyond which nothing more is priced: a price signed now might expire before its transaction is
 * sent. Without batches, one key sends so many in ten minutes of blocks of 12 s.
 */
const QUEUE_LIMIT = 800;
/** Renewals that find the queue full are retried spread over this time rather than all at once. */
const SPREAD_SECONDS = 240;

/** When a due renewal should be checked again because its sender's transactions are piling up; null if it can be charged now. */
export async function queueTurn(
  tx: DatabaseTransaction,
  { subscription, now }: { subscription: { id: string; consent: SubscriptionConsent | null }; now: Date },
): Promise<Date | null> {
  const { id, consent } = subscription;
  if (!consent) return null;
  if ((await countQueued(tx, { chainId: consent.chainId, sender: RELAY_SENDER, now })) < QUEUE_LIMIT) return null;
  // The last digits of the id are random.
  const spreadSeconds = Number.parseInt(id.slice(-4), 16) % SPREAD_SECONDS;
  return new Date(now.getTime() + PASSING_MS + spreadSeconds * 1000);
}
