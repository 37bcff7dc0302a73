/** The input of creating and ending a subscription. */
import { z } from 'zod';
import { couponCodeSchema } from '../catalog/coupons/coupon.ts';
import { metadataSchema } from '../platform/metadata.ts';

export const createSubscriptionSchema = z.object({
  appId: z.guid(),
  customerAccountId: z.guid(),
  productPlanId: z.guid(),
  productPlanPriceId: z.guid(),
  allowedChains: z.union([z.literal('ALL'), z.array(z.int().positive()).min(1).max(100)]).nullish(),
  allowedTokens: z.union([z.literal('ALL'), z.array(z.string().min(1).max(255)).min(1).max(100)]).nullish(),
  couponId: z.guid().nullish(),
  couponCode: couponCodeSchema.nullish(),
  metadata: metadataSchema.nullish(),
});
export type CreateSubscriptionInput = z.infer<typeof createSubscriptionSchema>;

/** Names the coupon of a subscription, by its id or its code. */
export const subscriptionCouponSchema = z
  .object({ couponId: z.guid().nullish(), couponCode: couponCodeSchema.nullish() })
  .refine((input) => Boolean(input.couponId) !== Boolean(input.couponCode), {
    path: ['couponId'],
    message: 'exactly one of couponId and couponCode is required',
  });
export type SubscriptionCouponInput = z.infer<typeof subscriptionCouponSchema>;
