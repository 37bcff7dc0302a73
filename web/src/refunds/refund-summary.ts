/** The text of a payer's page about the refunds of a payment, without its layout. */
import type { ShownRefundFragment } from '../../../generated/web/documents.ts';

export type Refund = Pick<ShownRefundFragment, 'status' | 'amount' | 'isUndelivered'>;

/** The state of a refund for the payer. */
export type RefundState = 'UNDER_WAY' | 'REFUNDED' | 'WAITING' | 'FAILED';

export function refundState({ status, isUndelivered }: Omit<Refund, 'amount'>): RefundState {
  switch (status) {
    case 'PENDING':
      return 'UNDER_WAY';
    case 'FAILED':
      return 'FAILED';
    case 'CONFIRMED':
      return isUndelivered ? 'WAITING' : 'REFUNDED';
    default:
      return status satisfies never;
  }
}

/** Omits failed refunds that were followed by another one, because the payer only needs the current state. */
export function currentRefunds<One extends Refund>(refunds: readonly One[]): One[] {
  const latest = refunds.findLastIndex(({ status }) => status !== 'FAILED');
  return refunds.filter(({ status }, index) => status !== 'FAILED' || index > latest);
}

/** In base units: the amount that was paid out to the payer, and the pending amount. */
export function refundSums(refunds: readonly Refund[]): { refunded: bigint; underWay: bigint } {
  const sum = (wanted: Refund['status']) =>
    refunds.reduce((total, { status, amount }) => (status === wanted ? total + BigInt(amount) : total), 0n);
  return { refunded: sum('CONFIRMED'), underWay: sum('PENDING') };
}
