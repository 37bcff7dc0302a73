/** What the connected wallet holds, by chain; read again when a payment is attempted, and every half minute. */
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Address } from 'viem';
import { chainReader } from '../../wallet/evm/chain-reader.ts';
import { readBalances } from '../../wallet/evm/read-balances.ts';
import { evmChains } from '../../wallet/evm/wallet-config.ts';
import type { Held } from './ways.ts';

const EVERY_MS = 30_000;

export type HeldByChain = { held: ReadonlyMap<number, Held>; isReading: boolean };

/** A chain that could not be read is absent. */
export function useBalances(request: {
  owner: Address | undefined;
  walletChainId: number | undefined;
  chainIds: readonly number[];
}): HeldByChain {
  const { owner, walletChainId, chainIds } = request;
  const chains = useMemo(() => evmChains().filter(({ chainId }) => chainIds.includes(chainId)), [chainIds]);
  return useQueries({
    queries: chains.map((chain) => ({
      // A chain without a node is read through the wallet, so a change of the wallet's chain changes the result.
      queryKey: ['balances', chain.chainId, owner, chain.nodeUrl === null ? walletChainId : null],
      enabled: owner !== undefined,
      refetchInterval: EVERY_MS,
      retry: 1,
      queryFn: async (): Promise<Held | null> => {
        const client = await chainReader(chain.chainId);
        return client && owner ? await readBalances(client, { tokens: chain.tokens, owner }) : null;
      },
    })),
    combine: (results) => ({
      isReading: owner !== undefined && results.some((result) => result.isPending),
      held: new Map(
        results.flatMap((result, index) => {
          const chain = chains[index];
          return result.data && chain ? [[chain.chainId, result.data] as const] : [];
        }),
      ),
    }),
  });
}
