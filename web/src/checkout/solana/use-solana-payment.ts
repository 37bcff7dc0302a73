/** Payment on Solana, with a wallet of this browser or a QR code: the actions of the card's buttons. */
import type { SolanaChain } from '@solana/wallet-standard-chains';
import { useCallback, useRef, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { chainOf } from '../../settings.ts';
import { solanaChainName } from '../../wallet/solana/chain-name.ts';
import {
  type ConnectedSolanaWallet,
  connectSolanaWallet,
  type SolanaWallet,
} from '../../wallet/solana/found-wallets.ts';
import { sendSolanaTransaction } from '../../wallet/solana/send-transaction.ts';
import { solanaFault } from '../../wallet/solana/solana-fault.ts';
import { Unsure } from '../../wallet/unsure.ts';
import { apiSentence } from '../pay/api-fault.ts';
import type { Sent } from '../pay/payment-state.ts';
import { comesUntil, SOLANA_LIFE_MS } from '../pay/unseen.ts';
import type { Option } from '../pay/ways.ts';
import type { SessionName } from '../session/use-checkout.ts';
import { OtherPayment } from './payment-url.ts';
import { isStale, prepareSolana, type SolanaQuote } from './solana-quote.ts';

export type SolanaWork = 'connecting' | 'preparing' | 'sending';

export type SolanaPayment = {
  connected: ConnectedSolanaWallet | undefined;
  quote: SolanaQuote | undefined;
  work: SolanaWork | undefined;
  /** A name under `checkout.fault`. */
  fault: string | undefined;
  /** Connects the wallet, and locks a price for it. */
  begin: (wallet: SolanaWallet, option: Option) => Promise<void>;
  /** Locks a price for any payer who scans the QR code. */
  scan: (option: Option) => Promise<void>;
  requote: () => Promise<void>;
  pay: () => Promise<void>;
  /** Returns to the wallets. */
  drop: () => void;
  /** Cancels the action in progress. A payment that was requested from the wallet may still appear. */
  startOver: () => void;
};

/** The price changed in the meantime. The new one is shown, and nothing is requested from the wallet. */
class Moved extends Error {}

/** The action in progress. Once it is cancelled, its results are not shown, except for a payment that is sent late. */
type Turn = { isGivenUp: boolean };

class GivenUp extends Error {}

export function useSolanaPayment(
  session: SessionName,
  facts: {
    /** Milliseconds, by the gateway's clock. */
    now: () => number;
    refetch: () => Promise<unknown>;
    hasSent: (sent: Sent) => void;
    doubt: (until: number) => void;
  },
): SolanaPayment {
  const [connected, setConnected] = useState<ConnectedSolanaWallet>();
  const [quote, setQuote] = useState<SolanaQuote>();
  const [work, setWork] = useState<SolanaWork>();
  const [fault, setFault] = useState<string>();
  const atWork = useRef<Turn>(undefined);

  /** Runs one action at a time. An action in progress cannot be started again. */
  const run = async (doing: (turn: Turn) => Promise<void>): Promise<void> => {
    if (atWork.current) return;
    const turn: Turn = { isGivenUp: false };
    atWork.current = turn;
    setFault(undefined);
    try {
      await doing(turn);
    } catch (error) {
      if (turn.isGivenUp) return;
      setFault(faultOf(error));
      if (error instanceof ApiError && error.code !== 'NETWORK') await facts.refetch();
    } finally {
      if (!turn.isGivenUp) {
        atWork.current = undefined;
        setWork(undefined);
      }
    }
  };
  const prepare = async (turn: Turn, option: Option, walletAddress: string | null): Promise<SolanaQuote> => {
    setWork('preparing');
    const made = await prepareSolana(session, { option, walletAddress });
    if (turn.isGivenUp) throw new GivenUp();
    setQuote(made);
    return made;
  };
  const mayCome = () => facts.doubt(comesUntil({ family: 'SOLANA', ...lifeFrom(facts.now()) }));

  return {
    connected,
    quote,
    work,
    fault,
    begin: (wallet, option) =>
      run(async (turn) => {
        const { chainName } = placeOf(option);
        setWork('connecting');
        const account = await connectSolanaWallet(wallet, chainName);
        if (turn.isGivenUp) return;
        setConnected({ wallet, account });
        await prepare(turn, option, account.address);
      }),
    scan: (option) => run(async (turn) => void (await prepare(turn, option, null))),
    requote: () =>
      run(async (turn) => {
        if (quote) await prepare(turn, quote.option, connected?.account.address ?? null);
      }),
    pay: () =>
      run(async (turn) => {
        if (!connected || !quote) return;
        const { chainId, chainName, nodeUrl } = placeOf(quote.option);
        const fresh = isStale(quote, Date.now()) ? await prepare(turn, quote.option, connected.account.address) : quote;
        if (fresh.cryptoAmount !== quote.cryptoAmount) throw new Moved();
        const { quoteId, transaction, isChecked } = fresh;
        if (transaction === null || !isChecked) return;
        setWork('sending');
        const asked = { chain: chainName, nodeUrl, transaction };
        const txHash = await sendSolanaTransaction(connected, asked).catch((error: unknown) => {
          if (error instanceof Unsure && !turn.isGivenUp) mayCome();
          throw error;
        });
        facts.hasSent({ quoteId, chainId, txHash, ...lifeFrom(facts.now()) });
      }),
    drop: useCallback(() => {
      setConnected(undefined);
      setQuote(undefined);
      setFault(undefined);
    }, []),
    startOver: () => {
      if (!atWork.current) return;
      atWork.current.isGivenUp = true;
      atWork.current = undefined;
      if (work === 'sending') mayCome();
      setConnected(undefined);
      setQuote(undefined);
      setWork(undefined);
      setFault('STARTED_OVER');
    },
  };
}

function lifeFrom(sentAt: number): Pick<Sent, 'sentAt' | 'payBy'> {
  return { sentAt, payBy: sentAt + SOLANA_LIFE_MS };
}

function faultOf(error: unknown): string {
  if (error instanceof ApiError) return apiSentence(error);
  if (error instanceof OtherPayment) return 'MISMATCH';
  return error instanceof Moved ? 'MOVED' : solanaFault(error);
}

function placeOf({ chainId }: Option): { chainId: number; chainName: SolanaChain; nodeUrl: string | null } {
  const chain = chainOf(chainId);
  const chainName = chain && solanaChainName(chain);
  if (!chainName) throw new Error(`No wallet knows chain ${chainId}.`);
  return { chainId, chainName, nodeUrl: chain.nodeUrl };
}
