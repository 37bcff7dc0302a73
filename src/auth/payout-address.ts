/** Addresses that money may be paid out to. A typing error here is paid for with every payment, so each is checked. */
import { getAddress, isAddress, zeroAddress } from 'viem';
import { parseSolanaWallet } from '../chains/solana/solana-address.ts';

type Family = 'EVM' | 'SOLANA' | 'SUI';

const SUI = /^0x[0-9a-fA-F]{64}$/;

/** The address in its canonical form, or null where it cannot be paid. */
export function parsePayoutAddress(family: Family, text: string): string | null {
  switch (family) {
    case 'EVM':
      return parseEvm(text);
    case 'SOLANA':
      return parseSolanaWallet(text);
    case 'SUI':
      return SUI.test(text) && !/^0x0+$/.test(text) ? text.toLowerCase() : null;
    default:
      return family satisfies never;
  }
}

/** Mixed case must carry a right checksum; viem's `getAddress` would repair a wrong one silently. */
function parseEvm(text: string): string | null {
  const isPlain = text === text.toLowerCase() || text === `0x${text.slice(2).toUpperCase()}`;
  if (!isAddress(text, { strict: !isPlain })) return null;
  const address = getAddress(text);
  return address === zeroAddress ? null : address;
}
