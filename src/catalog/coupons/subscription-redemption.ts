/**
 * The redemption of a coupon by a subscription, which counts once, however many invoices it reduces. It is HELD while the
 * subscription is PENDING, REDEEMED when it becomes ACTIVE, and RELEASED when it is cancelled before that or its last session
 * expires. Its row is locked after subscription, payment and session, and before the coupon.
 */
import type { CouponRedemption, CouponRedemptionStatus, DatabaseTransaction } from '../../../prisma/client.ts';

/**
 * Moves the newest redemption of a subscription, if it has one, and keeps the count of its coupon. A first payment that arrives
 * after the redemption was released redeems it again, even beyond the limits, because the discounted price has been paid.
 */
export async function moveSubscriptionRedemption(
  tx: DatabaseTransaction,
  { subscriptionId, to }: { subscriptionId: string; to: CouponRedemptionStatus },
): Promise<void> {
  const held = await lockSubscriptionRedemption(tx, subscriptionId);
  if (held) await moveHeld(tx, { held, to });
}

/** The newest redemption of a subscription, locked; null if it has none. */
export async function lockSubscriptionRedemption(
  tx: DatabaseTransaction,
  subscriptionId: string,
): Promise<CouponRedemption | null> {
  const [newest] = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM coupon_redemption WHERE subscription_id = ${subscriptionId}::uuid ORDER BY id DESC LIMIT 1 FOR UPDATE`;
  return newest ? await tx.couponRedemption.findUniqueOrThrow({ where: { id: newest.id } }) : null;
}

/** Releases a HELD redemption of a subscription that has no session left in which it could be started. */
export async function releaseUnpayable(tx: DatabaseTransaction, subscriptionId: string): Promise<void> {
  const held = await lockSubscriptionRedemption(tx, subscriptionId);
  if (held?.status !== 'HELD') return;
  // The lock makes sessions that end at the same time see each other.
  const open = await tx.checkoutSession.count({ where: { subscriptionId, status: { not: 'EXPIRED' } } });
  if (open === 0) await moveHeld(tx, { held, to: 'RELEASED' });
}

/** Moves a redemption whose owner is locked, and keeps the count of its coupon. */
export async function moveHeld(
  tx: DatabaseTransaction,
  { held, to }: { held: CouponRedemption; to: CouponRedemptionStatus },
): Promise<void> {
  if (held.status === to) return;
  await tx.couponRedemption.update({ where: { id: held.id }, data: { status: to } });
  const change = Number(to !== 'RELEASED') - Number(held.status !== 'RELEASED');
  if (change === 0) return;
  await tx.coupon.updateMany({ where: { id: held.couponId }, data: { redemptionCount: { increment: change } } });
}
