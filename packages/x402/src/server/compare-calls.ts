/** A payment that was submitted for one call, and a call that presents it again while its price is another one. */
import type { PaymentPayload } from '@x402/core/types';
import { type PayOptions, requirePrice } from './pay-options.ts';
import type { Accepted } from './payment-claims.ts';
import { isQuotedAt } from './read-payment.ts';

type Presented = { payment: PaymentPayload; options: PayOptions; url: string; price: string };

/**
 * `same`: the price has changed since the payment was accepted, and the present call costs no more than the first one would cost now, so the
 * payment still pays for it. `other`: the call is a more expensive one, or of another route. `unknown`: the price of the first call cannot be
 * computed any more.
 */
export async function compareCalls(
  accepted: Accepted,
  { payment, options, url, price }: Presented,
): Promise<'same' | 'other' | 'unknown'> {
  if (accepted.options !== options || typeof options.price !== 'function') return 'other';
  if (!isQuotedAt(payment.accepted, url)) return 'other';
  if (!accepted.call) return 'unknown';
  try {
    const priceNow = await options.price(accepted.call);
    if (priceNow === null) return 'other';
    return millionths(price) <= millionths(requirePrice(priceNow)) ? 'same' : 'other';
  } catch {
    return 'unknown';
  }
}

function millionths(price: string): bigint {
  const [whole = '', fraction = ''] = price.split('.');
  return BigInt(whole + fraction.padEnd(6, '0'));
}
