import { zeroAddress } from 'viem';
import { chainOf } from '../../settings.ts';
import type { TokenAmount } from '../../ui/amounts/amount.tsx';

/** Of a token by its contract, the zero address for the coin. An unknown one is shown in base units, by its address. */
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
