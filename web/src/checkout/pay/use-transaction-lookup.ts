/** Watches a transaction that the payer's wallet sent until it is in a block. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { CheckoutViewFragment } from '../../../../generated/web/documents.ts';
import { type Look, type LookupResult, lookFor } from './look-for.ts';
import type { Payment } from './use-payment.ts';

const EVERY_MS = 2_000;

const ends = new Set<LookupResult | undefined>(['DONE', 'REVERTED']);

/** Undefined before the first lookup. `now`: milliseconds, by the gateway's clock. */
export function useTransactionLookup(
  view: CheckoutViewFragment | undefined,
  payment: Payment,
  now: () => number,
): Look | undefined {
  const attempt = view?.attempt?.txHash ? view.attempt : payment.sent;
  const watched = view?.payment?.status === 'CREATED' && !view.payment.authorization ? attempt : undefined;
  const { quoteId, chainId, txHash } = watched ?? {};
  const isWatched = Boolean(txHash) && quoteId !== payment.abandonedQuoteId;
  const queries = useQueryClient();
  const queryKey = ['transactionLookup', chainId, txHash];
  const { data } = useQuery({
    queryKey,
    enabled: isWatched,
    retry: true,
    refetchInterval: ({ state }) => (ends.has(state.data?.result) ? false : EVERY_MS),
    queryFn: async (): Promise<Look> => {
      const at = now();
      if (chainId === undefined || !txHash) return { result: 'UNKNOWN', at, since: at };
      return await lookFor({ chainId, txHash }, { before: queries.getQueryData<Look>(queryKey), at });
    },
  });
  const { abandon } = payment;
  const hasReverted = data?.result === 'REVERTED';
  useEffect(() => {
    if (isWatched && hasReverted && quoteId !== undefined) abandon(quoteId, 'TX_FAILED');
  }, [isWatched, hasReverted, quoteId, abandon]);
  return isWatched ? data : undefined;
}
