/** What a payer's page says about the refunds of a payment, apart from how it looks. */
import type { ShownRefundFragment } from '../../../generated/web/documents.ts';

export type Refund = Pick<ShownRefundFragment, 'status' | 'amount' | 'isUndelivered'>;

/** How a refund stands for the payer. */
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

/** Without failed refunds that were followed by another one: the payer needs to know only how it stands now. */
export function currentRefunds<One extends Refund>(refunds: readonly One[]): One[] {
  const latest = refunds.findLastIndex(({ status }) => status !== 'FAILED');
  return refunds.filter(({ status }, index) => status !== 'FAILED' || index > latest);
}

/** In base units: what left the escrow for the payer, and what is on its way. */
export function refundSums(refunds: readonly Refund[]): { refunded: bigint; underWay: bigint } {
  const sum = (wanted: Refund['status']) =>
    refunds.reduce((total, { status, amount }) => (status === wanted ? total + BigInt(amount) : total), 0n);
  return { refunded: sum('CONFIRMED'), underWay: sum('PENDING') };
}
