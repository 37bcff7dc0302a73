/** The ways to pay a session with the wallet's balance for each, and the chosen one. */
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { CheckoutWaysDocument } from '../../../../generated/web/documents.ts';
import { ApiError } from '../../api/api-error.ts';
import { ask } from '../../api/ask.ts';
import { inTime } from '../../api/in-time.ts';
import { chainOf, settings } from '../../settings.ts';
import { useDeferredFirstValue } from '../../ui/state/use-deferred-first-value.ts';
import type { WalletState } from '../../wallet/evm/use-wallet.ts';
import type { SessionName } from '../session/use-checkout.ts';
import type { ChosenWay } from '../steps.ts';
import { keptWay } from '../ways/kept-way.ts';
import { isLacking } from '../ways/order-ways.ts';
import { type OrderedWays, useSettledOrder } from '../ways/use-settled-order.ts';
import { apiSentence } from './api-fault.ts';
import { useBalances } from './use-balances.ts';
import { useBatching } from './use-batching.ts';
import { type Held, lacksGas, type Method, type Option, optionsOf, type Way, waysFor } from './ways.ts';

const EVERY_MS = 30_000;
const none: readonly number[] = [];

export type Ways = {
  all: readonly Way[];
  /** In the order in which they are shown; undefined until the order is settled. */
  ordered: OrderedWays | undefined;
  isThere: boolean;
  /** There is no way to pay with any wallet: no payout address, or all networks are paused. */
  isUnpayable: boolean;
  ask: () => unknown;
  /** Why they could not be loaded. */
  fault: string | undefined;
  /** The wallet's balances were read, and it can pay none of them. */
  lack: 'NOTHING_TO_PAY_WITH' | undefined;
  held: ReadonlyMap<number, Held>;
  isReading: boolean;
  chosen: Way | undefined;
  method: Method | undefined;
  facts: ChosenWay | undefined;
  /** The chains on which the wallet supports batches. */
  batching: ReadonlySet<number>;
  /** The options on Solana, which require wallets of another kind. */
  solana: readonly Option[];
  /** The options for a plain transfer from any wallet or an exchange. */
  transfers: readonly Option[];
};

const nativeKeys = new Set(
  settings.chains.flatMap(({ tokens }) => tokens.filter(({ address }) => address === 'native').map(({ key }) => key)),
);

export function useWays(
  { id, credential }: SessionName,
  request: {
    isAsked: boolean;
    wallet: WalletState;
    chosen: { tokenKey: string | undefined; method: Method | undefined };
  },
): Ways {
  const { isAsked, wallet, chosen: choice } = request;
  const query = useQuery({
    queryKey: ['ways', id],
    enabled: isAsked,
    queryFn: ({ signal }) => ask(CheckoutWaysDocument, { id }, { credential, signal: inTime(signal) }),
    refetchInterval: EVERY_MS,
    retry: (failures, error) => failures < 3 && error instanceof ApiError && error.fault.retryable === true,
  });
  const offered = useDeferredFirstValue(query.data);
  const given = offered?.checkoutOptions.options;
  const { options, transfers } = useMemo(() => optionsOf(given ?? []), [given]);
  const { evm, solana, chainIds } = useMemo(() => byFamily(options), [options]);
  const balances = useBalances({ owner: wallet.address, walletChainId: wallet.chainId, chainIds });
  // Queried after the balances, so that it delays nothing.
  const batching = useBatching(wallet, offered && !balances.isReading ? chainIds : none);
  const all = useMemo(
    () => waysFor({ options: evm, held: balances.held, nativeKeys, walletChainId: wallet.chainId }),
    [evm, balances.held, wallet.chainId],
  );
  const isPayable = (way: Way) => !isLacking(way, balances.held);
  const [kept] = useState(keptWay);
  const best = useMemo(() => {
    const isKept = (way: Way) => way.tokenKey === kept;
    return [...all.filter(isKept), ...all.filter((way) => !isKept(way))];
  }, [all, kept]);
  const ordered = useSettledOrder(best, {
    owner: wallet.address,
    isReading: balances.isReading || !offered,
    held: balances.held,
  });
  // Until the payer chooses: the last used way to pay, or else the best payable one; none before the balances were read.
  const chosen =
    all.find(({ tokenKey }) => tokenKey === choice.tokenKey) ??
    (balances.isReading ? undefined : ordered?.ways.find(isPayable));
  const method =
    chosen && bestMethod(chosen, { held: balances.held.get(chosen.chainId), batching, wanted: choice.method });
  return {
    all,
    ordered,
    isThere: offered !== undefined,
    isUnpayable: offered !== undefined && options.length === 0 && transfers.length === 0,
    ask: query.refetch,
    fault: query.error instanceof ApiError && !offered ? apiSentence(query.error) : undefined,
    lack: all.length > 0 && !balances.isReading && !all.some(isPayable) ? 'NOTHING_TO_PAY_WITH' : undefined,
    ...balances,
    chosen,
    method,
    solana,
    transfers,
    batching,
    facts: chosen &&
      method && {
        tokenKey: chosen.tokenKey,
        chainId: chosen.chainId,
        isShort: chosen.isShort,
        lacksGas: lacksGas(chosen, method, balances.held.get(chosen.chainId)),
      },
  };
}

/**
 * The method that the payer chose, or else the cheapest one whose fee the wallet can pay. A wallet that approves and pays in a batch needs
 * one confirmation for its own transaction, so only a signature is preferred to that.
 */
function bestMethod(
  way: Way,
  { held, batching, wanted }: { held: Held | undefined; batching: ReadonlySet<number>; wanted: Method | undefined },
): Method | undefined {
  if (wanted && way.methods.includes(wanted)) return wanted;
  const payable = way.methods.filter((method) => !lacksGas(way, method, held));
  if (payable[0] === 'APPROVAL' && payable.includes('DIRECT') && batching.has(way.chainId)) return 'DIRECT';
  return payable[0] ?? way.methods[0];
}

function byFamily(options: readonly Option[]): { evm: Option[]; solana: Option[]; chainIds: number[] } {
  const evm = options.filter(({ chainId }) => chainOf(chainId)?.family === 'EVM');
  return {
    evm,
    solana: options.filter(({ chainId }) => chainOf(chainId)?.family === 'SOLANA'),
    chainIds: [...new Set(evm.map(({ chainId }) => chainId))],
  };
}
