/** The coupon of a link or session, as the payer sees it before paying. */
import type { Coupon } from '../../../../prisma/client.ts';
import { CouponDurationEnum } from '../catalog/coupon.ts';
import { builder } from '../server/builder.ts';

export type OfferedCoupon = Pick<
  Coupon,
  'name' | 'percentOffBps' | 'amountOff' | 'currency' | 'duration' | 'durationPeriods'
> & {
  /** With 2 decimals; null for a one-time payment. */
  laterAmount: string | null;
};

export const OfferedCouponRef = builder.objectRef<OfferedCoupon>('OfferedCoupon').implement({
  description: 'A coupon that reduces the amount due.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the coupon.' }),
    percentOffBps: t.exposeInt('percentOffBps', {
      nullable: true,
      description: 'Discount in basis points. Null if the discount is an amount.',
    }),
    amountOff: t.expose('amountOff', {
      type: 'Decimal',
      nullable: true,
      description: 'Discount as an amount. Null if the discount is a percentage.',
    }),
    currency: t.exposeString('currency', { nullable: true, description: 'USD or EUR, the currency of amountOff.' }),
    duration: t.expose('duration', {
      type: CouponDurationEnum,
      description: 'Which periods of a subscription it reduces.',
    }),
    durationPeriods: t.exposeInt('durationPeriods', {
      nullable: true,
      description: 'The number of periods if the duration is REPEATING, otherwise null.',
    }),
    laterAmount: t.expose('laterAmount', {
      type: 'Decimal',
      nullable: true,
      description:
        'Price of a subscription per period once the coupon has ended, tax included. Null for a one-time payment.',
    }),
  }),
});
