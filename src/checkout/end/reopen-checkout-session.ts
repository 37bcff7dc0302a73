import { type Database, transaction } from '../../../prisma/client.ts';
import { moveRedemption } from '../../catalog/coupons/redemption.ts';
import type { Clock } from '../../platform/clock.ts';
import { addJob } from '../../platform/jobs.ts';
import { expireCheckoutSessionJob } from '../jobs.ts';
import { returnSale } from '../links/link-stock.ts';
import { inOrder, lockPaymentIntent, lockSession } from '../store.ts';
import { endOfSession } from './end-overdue-session.ts';

/** Calls `reopenCheckoutSession` for each of the intents. */
export async function reopenCheckoutSessions(
  world: { database: Database; clock: Clock },
  { paymentIntentIds }: { paymentIntentIds: readonly string[] },
): Promise<void> {
  for (const paymentIntentId of paymentIntentIds) await reopenCheckoutSession(world, { paymentIntentId });
}

/**
 * Reacts to `payment_intent.reverted`: when a reorganization removed the authorization, the intent's COMPLETE sessions become
 * OPEN again (EXPIRED if neither they nor an issued quote can be paid any more), and the units of their link are no longer sold.
 * Appends no event of its own, because the intent's event reports the change. Idempotent: does nothing while the intent is paid.
 */
export async function reopenCheckoutSession(
  world: { database: Database; clock: Clock },
  request: { paymentIntentId: string },
): Promise<void> {
  await transaction(world.database, async (tx) => {
    await lockPaymentIntent(tx, request.paymentIntentId);
    const intent = await tx.paymentIntent.findUnique({ where: { id: request.paymentIntentId } });
    if (!intent || intent.acceptedTermsHash !== null) return;
    for (const session of await tx.checkoutSession.findMany({
      where: { paymentIntentId: intent.id, status: 'COMPLETE' },
      orderBy: { id: 'asc' },
      include: inOrder,
    })) {
      await lockSession(tx, session.id);
      const ends = await endOfSession(tx, session);
      const isOver = ends <= world.clock.now();
      await tx.checkoutSession.update({
        where: { id: session.id },
        data: { status: isOver ? 'EXPIRED' : 'OPEN', completedAt: null },
      });
      if (!isOver) {
        const options = { runAt: ends, key: `session:${session.id}` };
        await addJob(tx, expireCheckoutSessionJob, { sessionId: session.id }, options);
      }
      await returnSale(tx, { session, isOpen: !isOver });
      await moveRedemption(tx, { session, to: isOver ? 'RELEASED' : 'HELD' });
    }
  });
}
