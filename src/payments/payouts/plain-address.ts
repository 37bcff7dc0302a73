import { isHex } from 'viem';

/** An address as facts have it: EVM addresses in lower case. Solana addresses are case-sensitive and stay unchanged. */
export function plainAddress(address: string): string {
  return isHex(address) ? address.toLowerCase() : address;
}
