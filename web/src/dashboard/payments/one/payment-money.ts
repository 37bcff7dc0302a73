/** The names of the token in which a payment was made. */
import { tokenOf } from '../../../settings.ts';
import type { PaymentStory } from './payment-steps.ts';

export function symbolOf({ cryptoTokenKey }: Pick<PaymentStory, 'cryptoTokenKey'>): string {
  if (cryptoTokenKey === null) return '';
  return tokenOf(cryptoTokenKey)?.symbol ?? cryptoTokenKey.split('-')[0] ?? cryptoTokenKey;
}
