/** Pays a session with the connected EVM wallet: what the buttons of the cards do. */
import { useCallback, useEffect, useReducer, useRef } from 'react';
import type { CheckoutViewFragment } from '../../../../generated/web/documents.ts';
import { ApiError } from '../../api/api-error.ts';
import { switchWallet, type WalletState } from '../../wallet/evm/use-wallet.ts';
import { walletFault } from '../../wallet/evm/wallet-fault.ts';
import { Unsure } from '../../wallet/unsure.ts';
import type { SessionName } from '../session/use-checkout.ts';
import type { Work } from '../steps.ts';
import { apiSentence } from './api-fault.ts';
import { type Abandonment, afterPaymentEvent, noPayment, type PaymentState, type Sent } from './payment-state.ts';
import type { ChosenMethod } from './prepare-payment.ts';
import { Reverted } from './reverted.ts';
import { keepSent, keepUnsure, readSent, readUnsure } from './sent-store.ts';
import type { Method } from './ways.ts';

/** What checks and signs is a fifth of the page; it is brought while the payer looks at the ways. */
const bring = {
  prepare: async () => (await import('./prepare-payment.ts')).preparePayment,
  doing: async () => await import('./do-steps.ts'),
};

export type Payment = PaymentState & {
  choose: (tokenKey: string, method?: Method) => void;
  switchTo: (chainId: number) => Promise<void>;
  prepare: (way: ChosenMethod) => Promise<void>;
  sign: () => Promise<void>;
  /** Back to the ways; the quote is left alone. */
  drop: () => void;
  /** A wallet of another kind has sent the payment: what is sent is final for this tab. */
  hasSent: (sent: Sent) => void;
  /** It did not say whether it has: until then the payment may come, and no other is asked for. */
  doubt: (until: number) => void;
  /** The payer looked there, and it has sent nothing. */
  deny: () => void;
  /** What was sent comes to nothing; the payer may pay anew. */
  abandon: (quoteId: string, why: Abandonment) => void;
  connect: (connecting: () => Promise<void>) => Promise<void>;
};

export function usePayment(
  session: SessionName,
  facts: { view: CheckoutViewFragment | undefined; wallet: WalletState; now: () => number; refetch: () => unknown },
): Payment {
  const [state, tell] = useReducer(afterPaymentEvent, undefined, () => ({
    ...noPayment,
    sent: readSent(session.id),
    unsureUntil: readUnsure(session.id),
  }));
  const { view, wallet, now, refetch } = facts;
  const isAtWork = useRef(false);

  /** One thing at a time: what is under way cannot be started again. */
  const run = useCallback(
    async (work: Work, doing: () => Promise<void>) => {
      if (isAtWork.current) return;
      isAtWork.current = true;
      tell({ happened: 'started', work });
      try {
        await doing();
        tell({ happened: 'finished' });
      } catch (error) {
        tell({ happened: 'failed', fault: sentenceOf(error) });
        if (error instanceof ApiError && error.code !== 'NETWORK') await refetch();
      } finally {
        isAtWork.current = false;
      }
    },
    [refetch],
  );

  useTellingOfSent(session, state);
  useEffect(() => keepUnsure(session.id, state.unsureUntil), [session.id, state.unsureUntil]);

  return {
    ...state,
    choose: useCallback(
      (tokenKey, method) => tell({ happened: 'chosen', tokenKey, ...(method ? { method } : {}) }),
      [],
    ),
    switchTo: (chainId) => run('switching', () => switchWallet(chainId)),
    connect: (connecting) => run('connecting', connecting),
    prepare: (way) =>
      run('preparing', async () => {
        if (!view || !wallet.address) return;
        const preparePayment = await bring.prepare();
        const prepared = await preparePayment(session, { view, way, walletAddress: wallet.address, now: now() });
        tell({ happened: 'prepared', prepared });
      }),
    sign: () =>
      run('signing', async () => {
        const { prepared } = state;
        if (!prepared?.isChecked || !wallet.address) return;
        const { doSteps } = await bring.doing();
        await doSteps(session, { ...state, prepared, account: wallet.address, now, tell });
        await refetch();
      }),
    hasSent: useCallback((sent) => tell({ happened: 'sent', sent }), []),
    doubt: useCallback((until) => tell({ happened: 'doubted', until }), []),
    deny: useCallback(() => tell({ happened: 'denied' }), []),
    drop: useCallback(() => tell({ happened: 'dropped' }), []),
    abandon: useCallback(
      (quoteId, fault) => {
        keepSent(session.id, undefined);
        tell({ happened: 'abandoned', quoteId, fault });
      },
      [session.id],
    ),
  };
}

/** Loads what is needed next while the payer looks at the ways, and not before these are shown. */
export function useBringing(isLooking: boolean): void {
  useEffect(() => {
    if (isLooking) Promise.all([bring.prepare(), bring.doing()]).catch(() => undefined);
  }, [isLooking]);
}

/** Reports the transaction until the API has it, also after a reload. The API would also find it on the chain, but later. */
function useTellingOfSent(session: SessionName, { sent, work }: PaymentState): void {
  useEffect(() => {
    keepSent(session.id, sent);
    if (!sent || work !== undefined) return;
    bring
      .doing()
      .then(({ confirm }) => confirm(session, { quoteId: sent.quoteId, txHash: sent.txHash }))
      .then(
        () => keepSent(session.id, undefined),
        () => undefined,
      );
  }, [session, sent, work]);
}

function sentenceOf(error: unknown): string {
  if (error instanceof ApiError) return apiSentence(error);
  if (error instanceof Reverted) return 'TX_FAILED';
  if (error instanceof Unsure) return 'UNSURE';
  return walletFault(error);
}
