import type { Outcome } from '../steps.ts';

export type RefundHead = 'refundUnderWay' | 'partlyRefunded';
export type ReceiptWords = Outcome | 'custody' | 'custodyHeld' | 'undisputed' | 'disputed';

/**
 * The name of a receipt's sentence under `checkout.receipt.words`. Without an escrow (`isCustodial`) this payment
 * service holds the money itself; a dispute is offered only if there is time for one, and an open one (`isDisputed`) takes precedence.
 */
export function receiptWords(
  outcome: Outcome,
  {
    isCustodial,
    disputeSeconds,
    isDisputed = false,
  }: { isCustodial: boolean; disputeSeconds: number; isDisputed?: boolean },
): ReceiptWords {
  if (outcome === 'held' && isCustodial) return 'custodyHeld';
  if (outcome !== 'paid') return outcome;
  if (isDisputed) return 'disputed';
  if (isCustodial) return 'custody';
  return disputeSeconds > 0 ? 'paid' : 'undisputed';
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
