/** Paying on Solana, by a wallet of this browser or by a code: what the card's buttons do. */
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
import { apiSentence } from '../pay/api-fault.ts';
import { confirm } from '../pay/do-steps.ts';
import { keepSent } from '../pay/sent-store.ts';
import type { Option } from '../pay/ways.ts';
import type { SessionName } from '../session/use-checkout.ts';
import { isStale, prepareSolana, type SolanaQuote } from './solana-quote.ts';

export type SolanaWork = 'connecting' | 'preparing' | 'sending' | 'confirming';

export type SolanaPayment = {
  connected: ConnectedSolanaWallet | undefined;
  quote: SolanaQuote | undefined;
  work: SolanaWork | undefined;
  /** A name under `checkout.fault`. */
  fault: string | undefined;
  /** Connects the wallet, and holds a price for it. */
  begin: (wallet: SolanaWallet) => Promise<void>;
  /** Holds a price for whoever scans its code. */
  scan: () => Promise<void>;
  requote: () => Promise<void>;
  pay: () => Promise<void>;
  /** Back to the wallets. */
  drop: () => void;
};

/** The price moved while the payer was looking: the new one is shown, and nothing is asked of the wallet. */
class Moved extends Error {}

export function useSolanaPayment(
  session: SessionName,
  { option, refetch }: { option: Option; refetch: () => Promise<unknown> },
): SolanaPayment {
  const [connected, setConnected] = useState<ConnectedSolanaWallet>();
  const [quote, setQuote] = useState<SolanaQuote>();
  const [work, setWork] = useState<SolanaWork>();
  const [fault, setFault] = useState<string>();
  const isAtWork = useRef(false);

  /** One thing at a time: what is under way cannot be started again. */
  const run = async (doing: () => Promise<void>): Promise<void> => {
    if (isAtWork.current) return;
    isAtWork.current = true;
    setFault(undefined);
    try {
      await doing();
    } catch (error) {
      setFault(faultOf(error));
      if (error instanceof ApiError && error.code !== 'NETWORK') await refetch();
    } finally {
      isAtWork.current = false;
      setWork(undefined);
    }
  };
  const prepare = async (walletAddress: string | null): Promise<SolanaQuote> => {
    setWork('preparing');
    const made = await prepareSolana(session, { option, walletAddress });
    setQuote(made);
    return made;
  };
  const chain = chainOf(option.chainId);
  const chainName = chain && solanaChainName(chain);

  return {
    connected,
    quote,
    work,
    fault,
    begin: (wallet) =>
      run(async () => {
        if (!chainName) return;
        setWork('connecting');
        const account = await connectSolanaWallet(wallet, chainName);
        setConnected({ wallet, account });
        await prepare(account.address);
      }),
    scan: () => run(async () => void (await prepare(null))),
    requote: () => run(async () => void (await prepare(connected?.account.address ?? null))),
    pay: () =>
      run(async () => {
        if (!connected || !quote || !chain || !chainName) return;
        const fresh = isStale(quote, Date.now()) ? await prepare(connected.account.address) : quote;
        if (fresh.cryptoAmount !== quote.cryptoAmount) throw new Moved();
        if (fresh.transaction === null || !fresh.isChecked) return;
        setWork('sending');
        const { nodeUrl } = chain;
        const txHash = await sendSolanaTransaction(connected, {
          chain: chainName,
          nodeUrl,
          transaction: fresh.transaction,
        });
        setWork('confirming');
        const sent = { quoteId: fresh.quoteId, txHash };
        keepSent(session.id, sent);
        await confirm(session, sent);
        keepSent(session.id, undefined);
        await refetch();
      }),
    drop: useCallback(() => {
      setConnected(undefined);
      setQuote(undefined);
      setFault(undefined);
    }, []),
  };
}

function faultOf(error: unknown): string {
  if (error instanceof ApiError) return apiSentence(error);
  return error instanceof Moved ? 'MOVED' : solanaFault(error);
}
