import type { Prisma } from '../../../../prisma/client.ts';

/** How PaymentIntent.transfer reads deposit addresses: all of an intent, of which there are few, with what arrived at each. */
export const transfers = {
  orderBy: [{ createdAt: 'asc' }, { termsHash: 'asc' }],
  include: { balances: { orderBy: { token: 'asc' } } },
} satisfies Prisma.PaymentIntent$depositsArgs;
