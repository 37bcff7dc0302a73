import type { Prisma } from '../../../../../prisma/client.ts';

/** The selection for PaymentIntent.transfer: all deposit addresses of an intent, which are few, with the deposits at each. */
export const transfers = {
  orderBy: [{ createdAt: 'asc' }, { termsHash: 'asc' }],
  include: { balances: { orderBy: { token: 'asc' } } },
} satisfies Prisma.PaymentIntent$depositsArgs;
