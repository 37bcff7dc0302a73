/**
 * A customer's wallet: an address on one chain, unique per customer, chain and address. `hasActiveAuthorization` is true if the
 * indexer has seen a positive allowance for the escrow, or an active consent.
 */
import { readEvmAddress } from '../chains/evm/evm-address.ts';
import { GatewayError, invalid } from '../errors.ts';

/** The checksummed form of 0x and 40 hex digits in any case. Throws VALIDATION_ERROR for anything else. */
export function parseWalletAddress(text: string, param = 'walletAddress'): string {
  const address = readEvmAddress(text);
  if (address === null) throw invalid([{ param, message: 'must be 0x and 40 hex digits' }]);
  return address;
}

export function walletConflict(): GatewayError {
  return new GatewayError('CONFLICT', 'The customer already has this wallet on this chain.', {
    param: 'walletAddress',
  });
}
