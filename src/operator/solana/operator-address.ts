import { base58 } from '@scure/base';

/** The address that pays the fees of payouts. `operatorKey` is 64 bytes in base58, of which the last 32 are the address. */
export function operatorAddress(operatorKey: string): string {
  return base58.encode(base58.decode(operatorKey).slice(32));
}
