/** A payout that the escrow could not deliver, and the state of its delivery. */
export type UndeliveredPayout = {
  role: 'PAYER' | 'MERCHANT' | 'FEE_RECIPIENT';
  recipient: string;
  chainId: number;
  tokenKey: string;
  /** Base units. */
  amount: string;
  since: string;
  nextTryAt: string;
  isBeingDelivered: boolean;
};

/**
 * WAITING: it waits for its next attempt. ASKED: an attempt was requested and has not started. SENT: a claim is pending. REFUSED: an
 * attempt was made after this page's request, and the recipient could still not be paid.
 */
type DeliveryState = 'WAITING' | 'ASKED' | 'SENT' | 'REFUSED';

/** `askedAt` is the due time in the response to this page's request. Undefined if it has not made one. */
export function deliveryStateOf(
  { nextTryAt, isBeingDelivered }: Pick<UndeliveredPayout, 'nextTryAt' | 'isBeingDelivered'>,
  askedAt: string | undefined,
): DeliveryState {
  if (isBeingDelivered) return 'SENT';
  if (askedAt === undefined) return 'WAITING';
  return Date.parse(nextTryAt) > Date.parse(askedAt) ? 'REFUSED' : 'ASKED';
}
