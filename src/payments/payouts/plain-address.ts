import { isHex } from 'viem';

/** Returns an address in the form that facts use: EVM addresses in lower case. Solana addresses are case-sensitive and stay unchanged. */
export function plainAddress(address: string): string {
  return isHex(address) ? address.toLowerCase() : address;
}
