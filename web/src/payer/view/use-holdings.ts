/**
 * A wallet's holdings from all sources: the gateway, while it is available; this browser's copy; and the contract's events, once they have
 * been searched. The state of each is read from the contract if a node or the wallet is available.
 */
import { useQueries, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { Address } from 'viem';
import { PayerHoldingsDocument } from '../../../../generated/web/documents.ts';
import { ApiError } from '../../api/api-error.ts';
import { ask, type Credential } from '../../api/ask.ts';
import { chainOf } from '../../settings.ts';
import { chainReader } from '../../wallet/evm/chain-reader.ts';
import { useWallet } from '../../wallet/evm/use-wallet.ts';
import { evmChains } from '../../wallet/evm/wallet-config.ts';
import { type ChainStates, readStates } from '../chain/read-states.ts';
import { type Holdings, mergeHoldings, noHoldings } from '../holdings/holding.ts';
import { printCopy, readCopy } from '../holdings/kept-copy.ts';
import { reportedHoldings } from '../holdings/reported-holdings.ts';

const GATEWAY_EVERY_MS = 6_000;
const CHAIN_EVERY_MS = 5_000;

export type GatewayState = 'ANSWERS' | 'ASKING' | 'AWAY' | 'ENDED' | 'NOT_ASKED';

export type KnownHoldings = Holdings & {
  gateway: GatewayState;
  /** By chain. Absent if neither a node nor the wallet could be queried. */
  chains: ReadonlyMap<number, ChainStates>;
  /** Whether the first queries of the chains have finished. */
  isRead: boolean;
  /** Queries all sources again. */
  refresh: () => Promise<void>;
};

export const escrowOf = (chainId: number) => chainOf(chainId)?.escrow ?? undefined;
const keptUnder = (wallet: Address) => `sluice.payer.copy.${wallet.toLowerCase()}`;

export function useHoldings(wallet: Address, credential: Credential | null, found: Holdings): KnownHoldings {
  const { chainId: walletChainId } = useWallet();
  const gateway = useQuery({
    queryKey: ['payer', wallet, credential?.authorization],
    queryFn: async ({ signal }) => ask(PayerHoldingsDocument, {}, { credential: credential ?? {}, signal }),
    enabled: credential !== null,
    refetchInterval: GATEWAY_EVERY_MS,
  });
  const reported = useMemo(
    () => (gateway.data ? reportedHoldings(gateway.data.payer, escrowOf) : noHoldings),
    [gateway.data],
  );
  const kept = useMemo(() => readCopy(localStorage.getItem(keptUnder(wallet)), { wallet, escrowOf }), [wallet]);
  const known = useMemo(() => mergeHoldings(reported, found, kept), [reported, found, kept]);
  useEffect(() => {
    if (known.payments.length + known.consents.length > 0) localStorage.setItem(keptUnder(wallet), printCopy(known));
  }, [wallet, known]);

  const places = evmChains();
  const read = useQueries({
    queries: places.map((chain) => {
      const payments = known.payments.filter(({ chainId }) => chainId === chain.chainId);
      const consents = known.consents.filter(({ chainId }) => chainId === chain.chainId);
      const ids = [...payments, ...consents].map(({ key }) => key).join();
      return {
        // Without a node, the result depends on the wallet's current chain.
        queryKey: ['states', wallet, chain.chainId, chain.nodeUrl === null ? walletChainId : null, ids],
        queryFn: async (): Promise<ChainStates | null> => {
          const client = await chainReader(chain.chainId);
          if (!client || !chain.escrow) return null;
          const asked = { chainId: chain.chainId, escrow: chain.escrow, wallet, tokens: chain.tokens };
          return await readStates(client, { ...asked, payments, consents });
        },
        refetchInterval: CHAIN_EVERY_MS,
        placeholderData: (before: ChainStates | null | undefined) => before,
      };
    }),
  });
  // The list is a new array on each render, but its elements stay the same.
  const answers = read.map(({ data }) => data);
  const chains = useMemo(
    () => new Map(answers.flatMap((states) => (states ? [[states.chainId, states] as const] : []))),
    // biome-ignore lint/correctness/useExhaustiveDependencies: the results themselves, one for each chain.
    answers,
  );
  return {
    ...known,
    gateway: credential === null ? 'NOT_ASKED' : gatewayState(gateway),
    chains,
    isRead: read.every(({ isPending }) => !isPending),
    refresh: async () => {
      await Promise.all([gateway.refetch(), ...read.map((one) => one.refetch())]);
    },
  };
}

function gatewayState({ error, isPending }: { error: unknown; isPending: boolean }): GatewayState {
  if (isPending) return 'ASKING';
  if (!error) return 'ANSWERS';
  return error instanceof ApiError && error.code === 'AUTHENTICATION_ERROR' ? 'ENDED' : 'AWAY';
}

/** Deletes this browser's copy. */
export function forgetHoldings(wallet: Address): void {
  localStorage.removeItem(keptUnder(wallet));
}
