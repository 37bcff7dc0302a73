/** What the escrow could not pay out, and how far delivering it is. */
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
 * WAITING: for its next try. ASKED: we are to try now, and have not yet. SENT: a claim is on its way. REFUSED: we tried since
 * this page asked, and the recipient could still not be paid.
 */
type DeliveryState = 'WAITING' | 'ASKED' | 'SENT' | 'REFUSED';

/** `askedAt`: when it was due by the answer to this page's request; undefined while it has made none. */
export function deliveryStateOf(
  { nextTryAt, isBeingDelivered }: Pick<UndeliveredPayout, 'nextTryAt' | 'isBeingDelivered'>,
  askedAt: string | undefined,
): DeliveryState {
  if (isBeingDelivered) return 'SENT';
  if (askedAt === undefined) return 'WAITING';
  return Date.parse(nextTryAt) > Date.parse(askedAt) ? 'REFUSED' : 'ASKED';
}
