/** The state of a plain transfer, according to the API and the gateway's clock. */
import type { CheckoutViewFragment, TransferViewFragment } from '../../../../generated/web/documents.ts';

/**
 * waiting: nothing has arrived. short: less than the amount. seen: the full amount, which is being collected. late: the price has expired,
 * and a transfer within the next minutes still counts.
 */
export type TransferStage = 'waiting' | 'short' | 'seen' | 'late';

/** The transfer that may still pay the session; undefined if none was requested or it has expired. */
export function liveTransfer(view: CheckoutViewFragment | undefined, now: number): TransferViewFragment | undefined {
  const payment = view?.payment;
  if (!payment?.transfer || payment.status !== 'CREATED' || view?.session.status !== 'OPEN') return undefined;
  return Date.parse(payment.transfer.payBy) > now ? payment.transfer : undefined;
}

export function transferStage(transfer: TransferViewFragment, now: number): TransferStage {
  const held = BigInt(transfer.received) - BigInt(transfer.returned);
  if (held >= BigInt(transfer.amount)) return 'seen';
  if (held > 0n) return 'short';
  return Date.parse(transfer.expiresAt) > now ? 'waiting' : 'late';
}

/** Base units that are missing. */
export function missingOf({ amount, received, returned }: TransferViewFragment): bigint {
  const missing = BigInt(amount) - BigInt(received) + BigInt(returned);
  return missing > 0n ? missing : 0n;
}
