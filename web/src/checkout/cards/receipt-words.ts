import type { Outcome } from '../steps.ts';

export type RefundHead = 'refundUnderWay' | 'partlyRefunded';
export type DisputeStatus = 'OPEN' | 'RESOLVED_MERCHANT' | 'RESOLVED_PAYER' | 'RESOLVED_SPLIT';
export type DisputeHead = 'disputed' | 'decided';
export type ReceiptWords =
  | Outcome
  | 'custody'
  | 'custodyHeld'
  | 'undisputed'
  | 'disputed'
  | 'decidedForMerchant'
  | 'decidedForPayer'
  | 'decidedSplit'
  | 'settled';

const ofDispute = {
  OPEN: 'disputed',
  RESOLVED_MERCHANT: 'decidedForMerchant',
  RESOLVED_PAYER: 'decidedForPayer',
  RESOLVED_SPLIT: 'decidedSplit',
} as const;

/**
 * The name of a receipt's sentence under `checkout.receipt.words`. Without an escrow (`isCustodial`) this payment
 * service holds the money itself; a dispute is offered only if there is time for one. A dispute, open or decided, takes precedence, and
 * then the payout to the merchant (`isPaidOut`).
 */
export function receiptWords(
  outcome: Outcome,
  state: { isCustodial: boolean; disputeSeconds: number; isPaidOut: boolean; dispute: DisputeStatus | null },
): ReceiptWords {
  const { isCustodial, disputeSeconds, isPaidOut, dispute } = state;
  if (outcome === 'held' && isCustodial) return 'custodyHeld';
  if (outcome === 'refunded' && dispute === 'RESOLVED_PAYER') return 'decidedForPayer';
  if (outcome !== 'paid') return outcome;
  if (dispute) return ofDispute[dispute];
  if (isPaidOut) return 'settled';
  if (isCustodial) return 'custody';
  return disputeSeconds > 0 ? 'paid' : 'undisputed';
}

/** The name of a receipt's heading about a dispute, under `checkout.receipt.title`; null if there is none. */
export function disputeHead(outcome: Outcome, dispute: DisputeStatus | null): DisputeHead | null {
  if (outcome === 'refunded' && dispute === 'RESOLVED_PAYER') return 'decided';
  if (outcome !== 'paid' || dispute === null) return null;
  return dispute === 'OPEN' ? 'disputed' : 'decided';
}

/** The name of a receipt's heading about refunds, under `checkout.receipt.title` and `.words`; null if refunds do not change it. */
export function refundHead(
  outcome: Outcome,
  { refunded, underWay }: { refunded: bigint; underWay: bigint },
): RefundHead | null {
  if (outcome === 'refunded' || outcome === 'trial') return null;
  if (underWay > 0n) return 'refundUnderWay';
  return refunded > 0n ? 'partlyRefunded' : null;
}
