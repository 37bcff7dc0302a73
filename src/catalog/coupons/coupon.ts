/**
 * A coupon: a discount of an app, as a percentage or an amount, that a checkout redeems by the coupon's id or by its code.
 *
 * A *redemption* belongs to one checkout session. It is HELD while the session is OPEN, REDEEMED when it completes and RELEASED
 * when it expires; `redemptionCount` counts those that are HELD or REDEEMED. What a coupon takes off never changes; its limits do.
 *
 * A subscription redeems a coupon once (`subscription-redemption.ts`), for as many invoices as its duration specifies: the first that is
 * charged (ONCE), `durationPeriods` invoices (REPEATING) or all (FOREVER). A payment that is not repeated is reduced once by any coupon.
 */
import { z } from 'zod';
import type { Coupon, CouponDuration } from '../../../prisma/client.ts';
import { metadataSchema } from '../../platform/metadata.ts';
import { currencySchema, fiatAmountSchema } from '../product-plan.ts';

const LARGEST_COUNT = 1_000_000_000;
const LONGEST_DURATION = 1_000;

export const couponDurations = ['ONCE', 'REPEATING', 'FOREVER'] as const satisfies readonly CouponDuration[];

const name = z.string().min(1, 'between 1 and 255 characters').max(255, 'between 1 and 255 characters');
const count = z
  .int()
  .min(1, `between 1 and ${LARGEST_COUNT}`)
  .max(LARGEST_COUNT, `between 1 and ${LARGEST_COUNT}`)
  .nullish();
const expiresAt = z.date().nullish();

/** A code as a payer enters it: spaces around it and its case do not matter. */
export const couponCodeSchema = z
  .string()
  .transform((text) => text.trim().toUpperCase())
  .pipe(z.string().regex(/^[A-Z0-9_-]{1,50}$/, '1 to 50 letters, digits, hyphens and underscores'));

const limits = { maxRedemptions: count, maxRedemptionsPerCustomer: count, expiresAt };

export const createCouponSchema = z
  .object({
    name,
    code: couponCodeSchema.nullish(),
    percentOffBps: z.int().min(1, 'between 1 and 10000').max(10_000, 'between 1 and 10000').nullish(),
    amountOff: fiatAmountSchema.nullish(),
    currency: currencySchema.nullish(),
    duration: z.enum(couponDurations).nullish(),
    durationPeriods: z
      .int()
      .min(1, `between 1 and ${LONGEST_DURATION}`)
      .max(LONGEST_DURATION, `between 1 and ${LONGEST_DURATION}`)
      .nullish(),
    ...limits,
    metadata: metadataSchema.nullish(),
  })
  .superRefine((input, context) => {
    const fault = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    const [hasPercent, hasAmount] = [typeof input.percentOffBps === 'number', typeof input.amountOff === 'string'];
    if (hasPercent === hasAmount) fault('percentOffBps', 'exactly one of percentOffBps and amountOff is sent');
    if (hasPercent && input.currency) fault('currency', 'is sent only with amountOff');
    const [isRepeating, hasPeriods] = [input.duration === 'REPEATING', typeof input.durationPeriods === 'number'];
    if (isRepeating && !hasPeriods) fault('durationPeriods', 'is required with the duration REPEATING');
    if (!isRepeating && hasPeriods) fault('durationPeriods', 'is sent only with the duration REPEATING');
  });
export type CreateCouponInput = z.infer<typeof createCouponSchema>;

/** Absent fields stay unchanged; `null` removes a limit. */
export const updateCouponSchema = z.object({
  name: name.optional(),
  ...limits,
  isActive: z.boolean().optional(),
  metadata: metadataSchema.nullish(),
});
export type UpdateCouponInput = z.infer<typeof updateCouponSchema>;

/** The invoices of a subscription that the coupon reduces; null if it reduces all of them. */
export function durationPeriods(coupon: Pick<Coupon, 'duration' | 'durationPeriods'>): number | null {
  switch (coupon.duration) {
    case 'ONCE':
      return 1;
    case 'REPEATING':
      return coupon.durationPeriods;
    case 'FOREVER':
      return null;
    default:
      return coupon.duration satisfies never;
  }
}
