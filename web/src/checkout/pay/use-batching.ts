/** Whether the connected wallet does several calls as one, by chain. It is asked once, without the payer noticing. */
import { useQueries } from '@tanstack/react-query';
import type { WalletState } from '../../wallet/evm/use-wallet.ts';

/** A wallet that does not answer must not hold up anything; one without this method answers at once. */
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
