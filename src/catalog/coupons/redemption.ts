/**
 * The redemption of a coupon by a checkout session. Every change of the count is one UPDATE of the coupon's row, whose lock is held
 * to the commit, so that concurrent sessions cannot exceed a limit. Locked after the payment, the session and the link.
 */
import type { Coupon, CouponRedemptionStatus, DatabaseTransaction } from '../../../prisma/client.ts';
import { GatewayError, invalid } from '../../errors.ts';
import { newId } from '../../platform/identifier.ts';
import { lockSubscriptionRedemption, moveHeld, releaseUnpayable } from './subscription-redemption.ts';

/** Why a redemption is refused; null if it is counted. */
export type RedemptionRefusal = 'EXHAUSTED' | 'CUSTOMER_LIMIT' | 'NO_CUSTOMER' | null;

/** Counts a redemption of a session that is being opened, before the session is written. Counts nothing if it is refused. */
export async function countRedemption(
  tx: DatabaseTransaction,
  coupon: Coupon,
  customerAccountId: string | null | undefined,
): Promise<RedemptionRefusal> {
  if (coupon.maxRedemptionsPerCustomer !== null && !customerAccountId) return 'NO_CUSTOMER';
  const counted = await tx.$executeRaw`
    UPDATE coupon SET redemption_count = redemption_count + 1
    WHERE id = ${coupon.id}::uuid AND is_active AND (max_redemptions IS NULL OR redemption_count < max_redemptions)`;
  if (counted === 0) return 'EXHAUSTED';
  const most = coupon.maxRedemptionsPerCustomer;
  // The coupon's row is locked now, so that no other session counts at the same time.
  if (most === null || !customerAccountId || (await redemptionsOf(tx, { coupon, customerAccountId })) < most)
    return null;
  await tx.coupon.update({ where: { id: coupon.id }, data: { redemptionCount: { decrement: 1 } } });
  return 'CUSTOMER_LIMIT';
}

/**
 * Counts a redemption of a coupon that a body names in `param`. Throws CONFLICT if a limit is reached, and VALIDATION_ERROR if the
 * coupon is limited per customer and the checkout has none: neither one that exists, nor a new one with an email address.
 */
export async function redeemCoupon(
  tx: DatabaseTransaction,
  coupon: Coupon,
  { customerAccountId, param }: { customerAccountId: string | null | undefined; param: string },
): Promise<void> {
  const refusal = await countRedemption(tx, coupon, customerAccountId);
  switch (refusal) {
    case null:
      return;
    case 'NO_CUSTOMER':
      throw invalid([
        { param, message: 'is limited per customer, and the checkout has neither a customer nor an email address' },
      ]);
    case 'EXHAUSTED':
      throw new GatewayError('CONFLICT', 'The coupon has reached its maximum number of redemptions.', { param });
    case 'CUSTOMER_LIMIT':
      throw new GatewayError(
        'CONFLICT',
        'The customer has reached the maximum number of redemptions of this coupon per customer.',
        {
          param,
        },
      );
    default:
      refusal satisfies never;
  }
}

type Redeemer = { sessionId: string } | { subscriptionId: string; status?: CouponRedemptionStatus };

/** Writes the redemption that `countRedemption` has counted, HELD unless stated otherwise. */
export async function holdRedemption(
  tx: DatabaseTransaction,
  held: { couponId: string; customerAccountId: string | null } & Redeemer,
): Promise<void> {
  await tx.couponRedemption.create({ data: { id: newId(), ...held } });
}

/**
 * Moves the redemption of a locked session, if it has one, and keeps the count of its coupon. A late payment redeems a released
 * coupon again, even beyond its limits, because its price has been paid. The sessions of a subscription share its redemption,
 * which is released when the last of them ends.
 */
export async function moveRedemption(
  tx: DatabaseTransaction,
  {
    session,
    to,
  }: { session: { id: string; couponId: string | null; subscriptionId: string | null }; to: CouponRedemptionStatus },
): Promise<void> {
  if (session.couponId === null) return;
  if (session.subscriptionId !== null) {
    if (to === 'RELEASED') await releaseUnpayable(tx, session.subscriptionId);
    return;
  }
  const held = await tx.couponRedemption.findUnique({ where: { sessionId: session.id } });
  if (held) await moveHeld(tx, { held, to });
}

/**
 * Counts the redemption of a PENDING subscription, whose lock the caller holds, again if it was released with its last session.
 * Throws CONFLICT if a limit has been reached since.
 */
export async function holdAgain(
  tx: DatabaseTransaction,
  { subscription, coupon }: { subscription: { id: string; customerAccountId: string }; coupon: Coupon },
): Promise<void> {
  const held = await lockSubscriptionRedemption(tx, subscription.id);
  if (held?.status !== 'RELEASED') return;
  await redeemCoupon(tx, coupon, { customerAccountId: subscription.customerAccountId, param: 'couponId' });
  await tx.couponRedemption.update({ where: { id: held.id }, data: { status: 'HELD' } });
}

/** A payer of a link is a new customer each time, so customers with the same email address count as one. */
async function redemptionsOf(
  tx: DatabaseTransaction,
  { coupon, customerAccountId }: { coupon: Coupon; customerAccountId: string },
): Promise<number> {
  const customer = await tx.customerAccount.findUniqueOrThrow({ where: { id: customerAccountId } });
  const same = customer.email
    ? [{ customerAccount: { appId: coupon.appId, email: { equals: customer.email, mode: 'insensitive' as const } } }]
    : [];
  return await tx.couponRedemption.count({
    where: { couponId: coupon.id, status: { not: 'RELEASED' }, OR: [{ customerAccountId }, ...same] },
  });
}
