/** EVM addresses as people give them. */
import { type Address, getAddress, isAddress } from 'viem';

/** The checksummed address, or null. A wrong checksum is refused, not repaired: it is a typing error in an address of money. */
export function parseEvmAddress(text: string): Address | null {
  if (!isAddress(text, { strict: false })) return null;
  const digits = text.slice(2);
  const hasChecksum = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  if (hasChecksum && !isAddress(text)) return null;
  return getAddress(text);
}
