import { base58 } from '@scure/base';

/** The address that pays the fees of payouts; `operatorKey` is base58 of 64 bytes, of which the last 32 are it. */
export function operatorAddress(operatorKey: string): string {
  return base58.encode(base58.decode(operatorKey).slice(32));
}
