import { type Database, type DatabaseTransaction, transaction } from '../../../prisma/client.ts';
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../platform/clock.ts';
import { addJob } from '../../platform/jobs.ts';
import { markExpired } from '../expire-checkout-session.ts';
import { expireCheckoutSessionJob } from '../jobs.ts';
import { lockPaymentIntent, lockSession } from '../store.ts';

/**
 * The job at a session's end: an OPEN session becomes EXPIRED, with its event. A quote issued before may still be confirmed, so
 * the session waits until its last quote has expired, and for a plain transfer until its terms end. The intent, which expires at the same
 * instant, is cancelled by its own job once no issued authorization can arrive any more.
 */
export async function endOverdueSession(
  world: { database: Database; clock: Clock; config: Pick<Config, 'publicUrl'> },
  request: { sessionId: string },
): Promise<void> {
  const found = await world.database.checkoutSession.findUnique({ where: { id: request.sessionId } });
  if (found?.status !== 'OPEN') return;
  await transaction(world.database, async (tx) => {
    if (found.paymentIntentId !== null) await lockPaymentIntent(tx, found.paymentIntentId);
    await lockSession(tx, found.id);
    const session = await tx.checkoutSession.findUniqueOrThrow({ where: { id: found.id } });
    if (session.status !== 'OPEN') return;
    const ends = await endOfSession(tx, session);
    if (ends > world.clock.now()) {
      const options = { runAt: ends, key: `session:${session.id}` };
      await addJob(tx, expireCheckoutSessionJob, { sessionId: session.id }, options);
      return;
    }
    await markExpired(tx, { id: session.id, publicUrl: world.config.publicUrl });
  });
}

/** When a session ends that is not paid: at its own end, or when the last quote or the terms of the last plain transfer do. */
export async function endOfSession(
  tx: DatabaseTransaction,
  session: { id: string; paymentIntentId: string | null; expiresAt: Date },
): Promise<Date> {
  if (session.paymentIntentId === null) return await endOfConsent(tx, session);
  const { paymentIntentId } = session;
  const last = await tx.quote.findFirst({ where: { paymentIntentId }, orderBy: { expiresAt: 'desc' } });
  // A plain transfer that was sent in time may arrive until its terms end.
  const transfer = await tx.depositAddress.findFirst({ where: { paymentIntentId }, orderBy: { authorizeBy: 'desc' } });
  const ends = [session.expiresAt, last?.expiresAt, transfer?.authorizeBy].map((end) => end?.getTime() ?? 0);
  return new Date(Math.max(...ends));
}

/** A trial has no payment quotes; the expiry of its quote is stored with the requested consent. */
async function endOfConsent(tx: DatabaseTransaction, session: { id: string; expiresAt: Date }): Promise<Date> {
  const last = await tx.subscriptionConsent.findFirst({
    where: { sessionId: session.id },
    orderBy: { quoteExpiresAt: 'desc' },
  });
  return last !== null && last.quoteExpiresAt > session.expiresAt ? last.quoteExpiresAt : session.expiresAt;
}
