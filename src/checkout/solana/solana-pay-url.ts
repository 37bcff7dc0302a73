/** The URL of a Solana Pay transfer request, which a wallet opens from a link or a QR code. */
import { printUnits } from '../../prices/quote.ts';

/**
 * `recipient` is a wallet address, from which the paying wallet derives the token account; `amount` is in base units.
 * https://docs.solanapay.com/spec (transfer request).
 */
export function solanaPayUrl(request: {
  recipient: string;
  amount: bigint;
  decimals: number;
  /** Null for SOL. */
  mint: string | null;
  reference: string;
  label: string;
  message: string;
  memo: string;
}): string {
  const { mint, reference, label, message, memo } = request;
  const query = Object.entries({
    amount: printUnits(request.amount, request.decimals),
    ...(mint === null ? {} : { 'spl-token': mint }),
    reference,
    label,
    message,
    memo,
  });
  return `solana:${request.recipient}?${query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`;
}
