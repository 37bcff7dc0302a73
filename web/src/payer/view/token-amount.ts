import { zeroAddress } from 'viem';
import { chainOf } from '../../settings.ts';
import type { TokenAmount } from '../../ui/amounts/amount.tsx';

/**
 * Formats an amount of the token with this contract; the zero address is the coin. An unknown token is shown in base units with its
 * address.
 */
export function tokenAmount(chainId: number, address: string, units: bigint): TokenAmount {
  const chain = chainOf(chainId);
  const isCoin = address === zeroAddress || address === 'native';
  const token = chain?.tokens.find((one) =>
    isCoin ? one.address === 'native' : one.address.toLowerCase() === address.toLowerCase(),
  );
  const name = chain?.name;
  return {
    units,
    decimals: token?.decimals ?? 0,
    symbol: token?.symbol ?? address,
    ...(name === undefined ? {} : { chain: name }),
  };
}
