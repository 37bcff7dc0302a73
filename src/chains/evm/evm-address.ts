/**
 * EVM addresses as people enter them. An address that will receive money, or that a payer proves to control, is read strictly: a wrong
 * checksum is a typing error. An address that is only looked up may have any case.
 */
import { type Address, getAddress, isAddress } from 'viem';

/** Returns the checksummed address, or null. A wrong checksum is refused, not corrected, because it is a typing error. */
export function parseEvmAddress(text: string): Address | null {
  if (!isAddress(text, { strict: false })) return null;
  const digits = text.slice(2);
  const hasChecksum = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  if (hasChecksum && !isAddress(text)) return null;
  return getAddress(text);
}

/** Returns the checksummed address of 0x and 40 hex digits in any case, or null. An existing checksum is not verified. */
export function readEvmAddress(text: string): Address | null {
  return isAddress(text, { strict: false }) ? getAddress(text.toLowerCase()) : null;
}
