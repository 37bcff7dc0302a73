/** The coupon of a link or session as a payer sees it before paying. */
import type { Coupon } from '../../../../prisma/client.ts';
import { CouponDurationEnum } from '../catalog/coupon.ts';
import { builder } from '../server/builder.ts';

export type OfferedCoupon = Pick<
  Coupon,
  'name' | 'percentOffBps' | 'amountOff' | 'currency' | 'duration' | 'durationPeriods'
> & {
  /** With 2 decimals; null for a payment that is not repeated. */
  laterAmount: string | null;
};

export const OfferedCouponRef = builder.objectRef<OfferedCoupon>('OfferedCoupon').implement({
  description: 'A coupon that reduces what a payer is asked for.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name.' }),
    percentOffBps: t.exposeInt('percentOffBps', {
      nullable: true,
      description: 'Basis points taken off. Null if an amount is taken off.',
    }),
    amountOff: t.expose('amountOff', {
      type: 'Decimal',
      nullable: true,
      description: 'Amount taken off. Null if a percentage is taken off.',
    }),
    currency: t.exposeString('currency', { nullable: true, description: 'USD or EUR, the currency of amountOff.' }),
    duration: t.expose('duration', {
      type: CouponDurationEnum,
      description: 'The periods of a subscription that it reduces.',
    }),
    durationPeriods: t.exposeInt('durationPeriods', {
      nullable: true,
      description: 'The number of periods if the duration is REPEATING, otherwise null.',
    }),
    laterAmount: t.expose('laterAmount', {
      type: 'Decimal',
      nullable: true,
      description: 'What a subscription costs per period after the coupon, tax included. Null for one payment.',
    }),
  }),
});
