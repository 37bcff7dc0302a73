/** Looks after a transaction that the payer's own wallet sent: one that reverted tells no log, so the API never hears of it. */
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { TransactionReceiptNotFoundError } from 'viem';
import { getTransactionReceipt } from 'viem/actions';
import type { CheckoutViewFragment } from '../../../../generated/web/documents.ts';
import { chainReader } from '../../wallet/evm/chain-reader.ts';
import type { Payment } from './use-payment.ts';

const EVERY_MS = 2_000;

/** Answers whether it is in a block and did what it should. */
export function useReverted(view: CheckoutViewFragment | undefined, payment: Payment): boolean {
  const told = view?.attempt?.txHash ? view.attempt : payment.sent;
  const watched = view?.payment?.status === 'CREATED' && !view.payment.authorization ? told : undefined;
  const { quoteId, chainId, txHash } = watched ?? {};
  const isWatched = txHash?.startsWith('0x') === true && quoteId !== payment.abandonedQuoteId;
  const { data: hasReverted } = useQuery({
    queryKey: ['reverted', chainId, txHash],
    enabled: isWatched,
    retry: true,
    refetchInterval: ({ state }) => (state.data === undefined || state.data === null ? EVERY_MS : false),
    queryFn: async (): Promise<boolean | null> => {
      const reader = chainId === undefined ? undefined : await chainReader(chainId);
      if (!reader || !txHash) return null;
      try {
        const receipt = await getTransactionReceipt(reader, { hash: `0x${txHash.slice(2)}` });
        return receipt.status === 'reverted';
      } catch (error) {
        if (error instanceof TransactionReceiptNotFoundError) return null;
        throw error;
      }
    },
  });
  const { abandon } = payment;
  useEffect(() => {
    if (isWatched && hasReverted && quoteId !== undefined) abandon(quoteId, 'TX_FAILED');
  }, [isWatched, hasReverted, quoteId, abandon]);
  return hasReverted === false;
}
