/** Whether the connected wallet supports batches, by chain. The wallet is queried once, without a prompt. */
import { useQueries } from '@tanstack/react-query';
import type { WalletState } from '../../wallet/evm/use-wallet.ts';

/** A wallet that does not respond must not delay anything. One without this method responds at once. */
export function useBatching({ address }: WalletState, chainIds: readonly number[]): ReadonlySet<number> {
  return useQueries({
    queries: chainIds.map((chainId) => ({
      queryKey: ['batching', chainId, address],
      enabled: address !== undefined,
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
      queryFn: async () => {
        const { canBatch } = await import('../../wallet/evm/batch.ts');
        return address ? await canBatch({ chainId, account: address }).catch(() => false) : false;
      },
    })),
    combine: (results) => new Set(chainIds.filter((_, index) => results[index]?.data === true)),
  });
}
