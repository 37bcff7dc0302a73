/** What can be done with a payment as it is now. The API decides; this only saves the reader a refusal. */
import type { PaymentStory } from './payment-steps.ts';

export type PaymentAction = 'capture' | 'refund' | 'cancel' | 'concede';

type Facts = Pick<PaymentStory, 'status' | 'leftoverAmount'> & {
  x402?: Pick<NonNullable<PaymentStory['x402']>, 'scheme'> | null;
  dispute: Pick<NonNullable<PaymentStory['dispute']>, 'status'> | null;
  transactions: readonly Pick<PaymentStory['transactions'][number], 'type' | 'status'>[];
};

const movesMoney: readonly string[] = ['CAPTURE', 'VOID', 'REFUND', 'SETTLE', 'RESOLVE', 'RECLAIM'];

/** None while money is on its way: one step out of a payment is open at a time. */
export function allowedActions(payment: Facts): PaymentAction[] {
  if (payment.transactions.some(({ type, status }) => status === 'PENDING' && movesMoney.includes(type))) return [];
  // Its money goes directly to the merchant and is never in the escrow.
  if (payment.x402?.scheme === 'exact') return [];
  const isDisputed = payment.dispute?.status === 'OPEN';
  const hasMoney = payment.leftoverAmount !== null && BigInt(payment.leftoverAmount ?? '0') > 0n;
  switch (payment.status) {
    case 'CREATED':
      return ['cancel'];
    case 'AUTHORIZED':
      return ['capture', 'cancel'];
    case 'CAPTURED':
      return hasMoney ? ['refund', ...(isDisputed ? (['concede'] as const) : [])] : [];
    default:
      return [];
  }
}
