/** The actions that a payment allows in its current state. The API decides; this only avoids showing actions that it would refuse. */
import type { PaymentStory } from './payment-steps.ts';

export type PaymentAction = 'capture' | 'refund' | 'cancel' | 'concede';

type Facts = Pick<PaymentStory, 'status' | 'leftoverAmount'> & {
  x402?: Pick<NonNullable<PaymentStory['x402']>, 'scheme'> | null;
  dispute: Pick<NonNullable<PaymentStory['dispute']>, 'status'> | null;
  transactions: readonly Pick<PaymentStory['transactions'][number], 'type' | 'status'>[];
};

const movesMoney: readonly string[] = ['CAPTURE', 'VOID', 'REFUND', 'SETTLE', 'RESOLVE', 'RECLAIM'];

/** None while a transfer is pending, because only one of these actions can run at a time. */
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
