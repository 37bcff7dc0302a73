/** Pays a session with the connected EVM wallet: the actions of the cards' buttons. */
import { useCallback, useEffect, useReducer, useRef } from 'react';
import type { CheckoutViewFragment } from '../../../../generated/web/documents.ts';
import { ApiError, networkFault } from '../../api/api-error.ts';
import { switchWallet, type WalletState } from '../../wallet/evm/use-wallet.ts';
import { walletFault } from '../../wallet/evm/wallet-fault.ts';
import { Unsure } from '../../wallet/unsure.ts';
import type { SessionName } from '../session/use-checkout.ts';
import type { Work } from '../steps.ts';
import { keepWay } from '../ways/kept-way.ts';
import { apiSentence } from './api-fault.ts';
import {
  type Abandonment,
  afterPaymentEvent,
  noPayment,
  type PaymentEvent,
  type PaymentState,
  type Sent,
} from './payment-state.ts';
import type { ChosenMethod } from './prepare-payment.ts';
import { BatchFailed, Reverted } from './reverted.ts';
import { keepSent, keepUnsure, readSent, readUnsure } from './sent-store.ts';
import type { Method } from './ways.ts';

/** The code that checks and signs is a fifth of the page. It is loaded while the payer chooses how to pay. */
const lazyParts = {
  prepare: () => overNetwork(async () => (await import('./prepare-payment.ts')).preparePayment),
  doing: () => overNetwork(() => import('./do-steps.ts')),
};

/** A part of the page that cannot be loaded is reported like a request without a response. */
async function overNetwork<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (error) {
    throw networkFault(error);
  }
}

/** The ways are drawn first: on a slow connection, what is loaded with them delays them. */
const PRELOAD_AFTER_MS = 200;

export type Payment = PaymentState & {
  choose: (tokenKey: string, method?: Method) => void;
  /** Locks a price. If the wallet is on another network, a switch is requested first. */
  prepare: (way: ChosenMethod) => Promise<void>;
  /** Reads the session again before it locks another price: what is signed depends on more than the price. */
  requote: (way: ChosenMethod) => Promise<void>;
  /** `canBatch`: the wallet performs the remaining steps as a batch. */
  sign: (canBatch: boolean) => Promise<void>;
  /** Stops waiting, whatever the wallet is doing. A payment that it still sends is noticed. */
  startOver: () => void;
  /** Returns to the choice of how to pay; the quote stays unchanged. */
  drop: () => void;
  /** A wallet of another kind has sent the payment: what is sent is final for this tab. */
  hasSent: (sent: Sent) => void;
  /** It did not report whether it has sent the payment, which may appear until this time. No other is requested. */
  doubt: (until: number) => void;
  /** The payer has checked the wallet, which has sent nothing. */
  deny: () => void;
  /** The sent payment has failed, and the payer may pay again. */
  abandon: (quoteId: string, why: Abandonment) => void;
  connect: (connecting: () => Promise<void>) => Promise<void>;
};

/** What an action may report. After the payer has started over, only the outcome of the payment. */
type Doing = (turn: { signal: AbortSignal; dispatch: (event: PaymentEvent) => void }) => Promise<void>;

export function usePayment(
  session: SessionName,
  facts: {
    view: CheckoutViewFragment | undefined;
    wallet: WalletState;
    now: () => number;
    refetch: () => Promise<CheckoutViewFragment>;
  },
): Payment {
  const [state, dispatch] = useReducer(afterPaymentEvent, undefined, () => ({
    ...noPayment,
    sent: readSent(session.id),
    unsureUntil: readUnsure(session.id),
  }));
  const { view, wallet, now, refetch } = facts;
  const { run, stop } = useTurns(dispatch, refetch);

  useReportOfSent(session, state);
  // A reload does not withdraw a pending request from the wallet.
  const mayComeUntil = state.unsureUntil ?? state.askedUntil;
  useEffect(() => keepUnsure(session.id, mayComeUntil), [session.id, mayComeUntil]);

  /** Requests a switch if the wallet is on another network than the chosen way to pay. */
  const reach = async (chainId: number, dispatchInTurn: (event: PaymentEvent) => void) => {
    if (wallet.chainId === chainId) return;
    dispatchInTurn({ happened: 'started', work: 'switching' });
    await switchWallet(chainId);
  };
  const hold = (way: ChosenMethod, { isAnew }: { isAnew: boolean }) =>
    run('preparing', async ({ signal, dispatch: dispatchInTurn }) => {
      if (!view || !wallet.address) return;
      await reach(way.chainId, dispatchInTurn);
      signal.throwIfAborted();
      dispatchInTurn({ happened: 'started', work: 'preparing' });
      // Also loads the code that signs, because the network may be unavailable when the payer signs.
      const [preparePayment] = await Promise.all([lazyParts.prepare(), lazyParts.doing()]);
      const shown = isAnew ? await refetch() : view;
      const asked = { view: shown, way, walletAddress: wallet.address, now: now() };
      keepWay(way.tokenKey);
      dispatchInTurn({ happened: 'prepared', prepared: await preparePayment(session, asked) });
    });

  return {
    ...state,
    choose: useCallback(
      (tokenKey, method) => dispatch({ happened: 'chosen', tokenKey, ...(method ? { method } : {}) }),
      [],
    ),
    connect: (connecting) => run('connecting', connecting),
    prepare: (way) => hold(way, { isAnew: false }),
    requote: (way) => hold(way, { isAnew: true }),
    sign: (canBatch) =>
      run('signing', async ({ signal, dispatch: dispatchInTurn }) => {
        const { prepared } = state;
        if (!prepared?.isChecked || !wallet.address) return;
        const { doSteps } = await lazyParts.doing();
        await reach(prepared.chainId, dispatchInTurn);
        await doSteps(session, {
          ...state,
          prepared,
          account: wallet.address,
          canBatch,
          now,
          dispatch: dispatchInTurn,
          signal,
        });
        await refetch();
      }),
    startOver: useCallback(() => {
      stop();
      dispatch({ happened: 'restarted' });
    }, [stop]),
    hasSent: useCallback((sent) => dispatch({ happened: 'sent', sent }), []),
    doubt: useCallback((until) => dispatch({ happened: 'doubted', until }), []),
    deny: useCallback(() => dispatch({ happened: 'denied' }), []),
    drop: useCallback(() => dispatch({ happened: 'dropped' }), []),
    abandon: useCallback(
      (quoteId, fault) => {
        keepSent(session.id, undefined);
        dispatch({ happened: 'abandoned', quoteId, fault });
      },
      [session.id],
    ),
  };
}

/** Runs one action at a time. An action in progress cannot be started again. */
function useTurns(
  dispatch: (event: PaymentEvent) => void,
  refetch: () => Promise<CheckoutViewFragment>,
): { run: (work: Work, doing: Doing) => Promise<void>; stop: () => void } {
  const atWork = useRef<AbortController>(undefined);
  const lastWork = useRef<AbortController>(undefined);
  const run = useCallback(
    async (work: Work, doing: Doing) => {
      if (atWork.current) return;
      const turn = new AbortController();
      atWork.current = turn;
      lastWork.current = turn;
      const { signal } = turn;
      const isRelevant = ({ happened }: PaymentEvent) =>
        !signal.aborted || happened === 'sent' || (happened === 'denied' && lastWork.current === turn);
      dispatch({ happened: 'started', work });
      try {
        await Promise.race([
          doing({ signal, dispatch: (event) => isRelevant(event) && dispatch(event) }),
          aborted(signal),
        ]);
        if (!signal.aborted) dispatch({ happened: 'finished' });
      } catch (error) {
        if (signal.aborted) return;
        dispatch({ happened: 'failed', fault: sentenceOf(error) });
        if (error instanceof ApiError && error.code !== 'NETWORK') await refetch().catch(() => undefined);
      } finally {
        if (atWork.current === turn) atWork.current = undefined;
      }
    },
    [dispatch, refetch],
  );
  const stop = useCallback(() => {
    atWork.current?.abort();
    atWork.current = undefined;
  }, []);
  return { run, stop };
}

async function aborted(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

/** Loads the code that is needed next while the payer chooses how to pay, after the options are shown. */
export function useBringing(isLooking: boolean): void {
  useEffect(() => {
    if (!isLooking) return;
    const load = () => void Promise.all([lazyParts.prepare(), lazyParts.doing()]).catch(() => undefined);
    const timer = setTimeout(load, PRELOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isLooking]);
}

/** Reports the transaction until the API has it, also after a reload. The API would also find it on the chain, but later. */
function useReportOfSent(session: SessionName, { sent, work }: PaymentState): void {
  useEffect(() => {
    keepSent(session.id, sent);
    if (!sent || work !== undefined) return;
    lazyParts
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
  if (error instanceof BatchFailed) return error.outcome === 'REVERTED' ? 'TX_FAILED' : `BATCH_${error.outcome}`;
  if (error instanceof Unsure) return 'UNSURE';
  return walletFault(error);
}
