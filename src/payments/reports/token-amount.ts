/** Base units as whole tokens. */
import { formatUnits } from 'viem';
import type { Registry } from '../../chains/registry.ts';

/** Returns whole tokens as a decimal string, or null for a token that is no longer registered. */
export function wholeTokens(
  registry: Pick<Registry, 'token'>,
  { tokenKey, units }: { tokenKey: string; units: bigint },
): string | null {
  const token = registry.token(tokenKey);
  return token ? formatUnits(units, token.decimals) : null;
}

/** Returns whole coins of a chain, or null for an unknown chain. */
export function wholeCoins(
  registry: Pick<Registry, 'chain'>,
  { chainId, units }: { chainId: number; units: bigint },
): string | null {
  const chain = registry.chain(chainId);
  return chain ? formatUnits(units, chain.native.decimals) : null;
}
