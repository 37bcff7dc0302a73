/**
 * What is unusual about a payment besides its status. A payment may have several flags. They follow from its dispute, its refunds, its
 * payouts and the money that reached it without being its payment; nothing stores them.
 */
import type { PaymentIntent, Prisma, StrayKind } from '../../../prisma/client.ts';

export const paymentFlags = ['DISPUTED', 'PARTIALLY_REFUNDED', 'UNDELIVERED', 'MISPAID', 'LATE'] as const;
export type PaymentFlag = (typeof paymentFlags)[number];

/** What `flagsOf` needs of a payment. */
export type Flagged = Pick<PaymentIntent, 'status' | 'refundedAt'> & {
  dispute: { status: string } | null;
  /** Undelivered payouts only. */
  payouts: readonly unknown[];
  strayPayments: readonly { kind: StrayKind }[];
};

export function flagsOf({ status, refundedAt, dispute, payouts, strayPayments }: Flagged): PaymentFlag[] {
  const isOf: Record<PaymentFlag, boolean> = {
    DISPUTED: dispute?.status === 'OPEN',
    PARTIALLY_REFUNDED: refundedAt !== null && status !== 'REFUNDED',
    UNDELIVERED: payouts.length > 0,
    MISPAID: strayPayments.some(({ kind }) => kind === 'MISPAID'),
    LATE: strayPayments.some(({ kind }) => kind === 'LATE'),
  };
  return paymentFlags.filter((flag) => isOf[flag]);
}

/** The condition of payments that have at least one of the flags. Indexes support each of them. */
export function flagWhere(flags: readonly PaymentFlag[]): Prisma.PaymentIntentWhereInput {
  return { OR: [...new Set(flags)].map(conditionOf) };
}

function conditionOf(flag: PaymentFlag): Prisma.PaymentIntentWhereInput {
  switch (flag) {
    case 'DISPUTED':
      return { dispute: { is: { status: 'OPEN' } } };
    case 'PARTIALLY_REFUNDED':
      return { refundedAt: { not: null }, status: { not: 'REFUNDED' } };
    case 'UNDELIVERED':
      return { payouts: { some: { deliveredAt: null } } };
    case 'MISPAID':
    case 'LATE':
      return { strayPayments: { some: { kind: flag } } };
    default:
      return flag satisfies never;
  }
}
