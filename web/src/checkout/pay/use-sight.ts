/** Looks after a transaction that the payer's own wallet sent, until it is in a block. */
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { CheckoutViewFragment } from '../../../../generated/web/documents.ts';
import { lookFor, type Sight } from './look-for.ts';
import type { Payment } from './use-payment.ts';

const EVERY_MS = 2_000;

/** What the last look saw; an older answer says nothing of what came after it. */
export type LastLook = { sight: Sight /** Milliseconds, by the gateway's clock. */; at: number };

const ends = new Set<Sight | undefined>(['DONE', 'REVERTED']);

/** Undefined before the first look. `now`: milliseconds, by the gateway's clock. */
export function useSight(
  view: CheckoutViewFragment | undefined,
  payment: Payment,
  now: () => number,
): LastLook | undefined {
  const told = view?.attempt?.txHash ? view.attempt : payment.sent;
  const watched = view?.payment?.status === 'CREATED' && !view.payment.authorization ? told : undefined;
  const { quoteId, chainId, txHash } = watched ?? {};
  const isWatched = Boolean(txHash) && quoteId !== payment.abandonedQuoteId;
  const { data } = useQuery({
    queryKey: ['sight', chainId, txHash],
    enabled: isWatched,
    retry: true,
    refetchInterval: ({ state }) => (ends.has(state.data?.sight) ? false : EVERY_MS),
    queryFn: async (): Promise<LastLook> => {
      const at = now();
      const sight = chainId !== undefined && txHash ? await lookFor({ chainId, txHash }) : 'UNKNOWN';
      return { sight, at };
    },
  });
  const { abandon } = payment;
  const hasReverted = data?.sight === 'REVERTED';
  useEffect(() => {
    if (isWatched && hasReverted && quoteId !== undefined) abandon(quoteId, 'TX_FAILED');
  }, [isWatched, hasReverted, quoteId, abandon]);
  return isWatched ? data : undefined;
}
