/**
 * A customer's wallet: an address on one chain, unique per customer, chain and address.
 * `hasActiveAuthorization` tells what the indexer saw on chain: a positive allowance to the escrow, or a live consent.
 */
import { getAddress, isAddress } from 'viem';
import { GatewayError, invalid } from '../errors.ts';

/** The checksummed form of an EVM address in any valid case; a wrong checksum is refused, not repaired. */
export function parseWalletAddress(text: string, param = 'walletAddress'): string {
  const plain = /^0x[0-9a-fA-F]{40}$/.test(text);
  const oneCase = text.slice(2) === text.slice(2).toLowerCase() || text.slice(2) === text.slice(2).toUpperCase();
  if (!plain || !(oneCase || isAddress(text, { strict: true }))) {
    throw invalid([{ param, message: '0x and 40 hex digits; a mixed-case address must have a valid checksum' }]);
  }
  return getAddress(text.toLowerCase());
}

export function walletConflict(): GatewayError {
  return new GatewayError('CONFLICT', 'This customer has this wallet on this chain already.', {
    param: 'walletAddress',
  });
}
