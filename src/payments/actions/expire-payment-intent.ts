import { type DatabaseTransaction, transaction } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import { addJob } from '../../platform/jobs.ts';
import { expireJob } from '../jobs.ts';
import type { ActionWorld } from './action-world.ts';
import { cancelUnpaid, isAuthorizationSeen } from './cancel-payment-intent.ts';
import { lookAgainAt } from './chain-time.ts';
import { lockPayment } from './lock-payment.ts';

/**
 * Cancels an unpaid intent after its expiry, once no authorization can arrive any more: on each chain, the applied and final
 * block time must have passed every `authorizeBy` issued for the intent. Until then it schedules itself again. Does nothing
 * unless the intent is CREATED.
 */
export async function expirePaymentIntent(
  { database, clock }: Pick<ActionWorld, 'database' | 'clock'>,
  { paymentIntentId }: { paymentIntentId: string },
): Promise<void> {
  const known = await database.paymentIntent.findUnique({ where: { id: paymentIntentId }, select: { status: true } });
  if (known?.status !== 'CREATED') return;
  await transaction(database, async (tx) => {
    // Under the lock, because until then a checkout may extend the expiry and issue terms.
    const locked = await lockPayment(tx, { id: paymentIntentId, scope: null });
    // An x402 payment by exact is decided by its authorization alone.
    if (locked.status !== 'CREATED' || !locked.expiresAt || locked.x402Scheme === 'exact') return;
    const now = clock.now();
    const early = (locked.expiresAt.getTime() - now.getTime()) / 1000;
    const missing = early > 0 ? early : await missingSeconds(tx, paymentIntentId);
    if (missing <= 0 && !(await isAuthorizationSeen(tx, paymentIntentId))) {
      await cancelUnpaid(tx, locked);
      return;
    }
    const runAt = early > 0 ? locked.expiresAt : lookAgainAt(now, missing);
    await addJob(tx, expireJob, { paymentIntentId }, { runAt, key: `expire:${paymentIntentId}` });
  });
}

/** The seconds until the applied and final time of every chain passes the last `authorizeBy` issued on it; 0 if it has. */
async function missingSeconds(tx: DatabaseTransaction, paymentIntentId: string): Promise<number> {
  const issued = await tx.paymentTerms.groupBy({
    by: ['chainId'],
    where: { paymentIntentId },
    _max: { authorizeBy: true },
  });
  let missing = 0;
  for (const { chainId, _max } of issued) {
    if (!_max.authorizeBy) throw new GatewayError('INTERNAL_ERROR', 'Terms without a deadline.');
    const cursor = await tx.chainCursor.findUnique({ where: { chainId } });
    const reached = cursor ? Math.min(Number(cursor.appliedTimestamp), Number(cursor.finalizedTimestamp)) : 0;
    missing = Math.max(missing, _max.authorizeBy.getTime() / 1000 + 1 - reached);
  }
  return missing;
}
