import type { DatabaseTransaction, SubscriptionConsent } from '../../../prisma/client.ts';
import { countQueued } from '../../operator/store.ts';
import { PASSING_MS } from '../schedule-renewal.ts';
import type { ChargeWorld } from './prepare-charge.ts';

/** Ready transactions of the sender beyond which nothing more is priced: a price signed now might run out before its turn. */
const QUEUE_LIMIT = 200;
/** Those that find the queue full come back over so long, and not all at once. */
const SPREAD_SECONDS = 240;

/**
 * When a renewal that is due is to be looked at again because the transactions of its sender pile up; null where it may be
 * charged now.
 */
export async function queueTurn(
  tx: DatabaseTransaction,
  world: Pick<ChargeWorld, 'operator'>,
  { subscription, now }: { subscription: { id: string; consent: SubscriptionConsent | null }; now: Date },
): Promise<Date | null> {
  const { id, consent } = subscription;
  if (!consent) return null;
  const sender = world.operator.address.toLowerCase();
  if ((await countQueued(tx, { chainId: consent.chainId, sender, now })) < QUEUE_LIMIT) return null;
  // The id's end is random.
  const spreadSeconds = Number.parseInt(id.slice(-4), 16) % SPREAD_SECONDS;
  return new Date(now.getTime() + PASSING_MS + spreadSeconds * 1000);
}
