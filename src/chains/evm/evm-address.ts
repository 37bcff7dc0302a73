/**
 * EVM addresses as people give them. An address that money will go to, or that a payer proves to hold, is read strictly: a
 * wrong checksum is a typing error. Where an address is only looked up, any case will do.
 */
import { type Address, getAddress, isAddress } from 'viem';

/** The checksummed address, or null. A wrong checksum is refused, not repaired: it is a typing error in an address of money. */
export function parseEvmAddress(text: string): Address | null {
  if (!isAddress(text, { strict: false })) return null;
  const digits = text.slice(2);
  const hasChecksum = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  if (hasChecksum && !isAddress(text)) return null;
  return getAddress(text);
}

/** The checksummed address of 0x and 40 hex digits in any case, or null; a checksum in it is not verified. */
export function readEvmAddress(text: string): Address | null {
  return isAddress(text, { strict: false }) ? getAddress(text.toLowerCase()) : null;
}
