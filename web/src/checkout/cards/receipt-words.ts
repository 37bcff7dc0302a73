import type { Outcome } from '../steps.ts';

export type ReceiptWords = Outcome | 'custody' | 'custodyHeld' | 'undisputed';

/**
 * Which sentence a receipt has, by its name under `checkout.receipt.words`. Without an escrow (`isCustodial`) this payment
 * service holds the money itself; a dispute is promised only where there is time for one.
 */
export function receiptWords(
  outcome: Outcome,
  { isCustodial, disputeSeconds }: { isCustodial: boolean; disputeSeconds: number },
): ReceiptWords {
  if (outcome === 'held' && isCustodial) return 'custodyHeld';
  if (outcome !== 'paid') return outcome;
  if (isCustodial) return 'custody';
  return disputeSeconds > 0 ? 'paid' : 'undisputed';
}
