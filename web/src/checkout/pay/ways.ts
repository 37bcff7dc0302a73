/** The ways to pay, best first for this wallet: those that it can pay, then those whose balance is unknown, then those that it cannot pay. */

export type Method = 'DIRECT' | 'PERMIT' | 'APPROVAL';

export type Option = {
  chainId: number;
  chainName: string;
  tokenKey: string;
  symbol: string;
  decimals: number;
  /** Base units. */
  cryptoAmount: string;
  methods: readonly Method[];
};

type OfferedOption = Omit<Option, 'methods'> & { methods: readonly (Method | 'TRANSFER')[] };

/** The options with the methods that a wallet on this page pays by, and those that a plain transfer pays. */
export function optionsOf(offered: readonly OfferedOption[]): { options: Option[]; transfers: Option[] } {
  const options = offered.map((option) => ({
    ...option,
    methods: option.methods.filter((method) => method !== 'TRANSFER'),
  }));
  return {
    options: options.filter(({ methods }) => methods.length > 0),
    transfers: options.filter((_, index) => offered[index]?.methods.includes('TRANSFER')),
  };
}

/** What identifies an amount: its token and chain. */
export type Priced = Pick<Option, 'chainId' | 'chainName' | 'tokenKey' | 'symbol' | 'decimals' | 'cryptoAmount'>;

export type Way = Option & {
  /** The cheapest for the payer first: one that costs no fee, else the fewest transactions. */
  methods: readonly Method[];
  /** The wallet's balance in base units; undefined while it cannot be read. */
  held: bigint | undefined;
  isShort: boolean;
  isNative: boolean;
};

/** What is known about a wallet on one chain. */
export type Held = { tokens: ReadonlyMap<string, bigint>; coin: bigint | undefined };

const byCost: readonly Method[] = ['PERMIT', 'APPROVAL', 'DIRECT'];

export function waysFor(request: {
  options: readonly Option[];
  held: ReadonlyMap<number, Held>;
  nativeKeys: ReadonlySet<string>;
  walletChainId: number | undefined;
}): Way[] {
  const ways = request.options.map((option): Way => {
    const held = request.held.get(option.chainId)?.tokens.get(option.tokenKey);
    return {
      ...option,
      methods: byCost.filter((method) => option.methods.includes(method)),
      held,
      isShort: held !== undefined && held < BigInt(option.cryptoAmount),
      isNative: request.nativeKeys.has(option.tokenKey),
    };
  });
  const rank = (way: Way) => {
    const lacks = way.methods.every((method) => lacksGas(way, method, request.held.get(way.chainId)));
    if (way.isShort || lacks) return 4;
    if (way.held === undefined) return 3;
    return (way.chainId === request.walletChainId ? 0 : 1) + (way.methods[0] === 'PERMIT' ? 0 : 0.5);
  };
  return ways
    .map((way, index) => ({ way, index, rank: rank(way) }))
    .sort(byRank)
    .map(({ way }) => way);
}

function byRank(left: { rank: number; index: number }, right: { rank: number; index: number }): number {
  return left.rank - right.rank || left.index - right.index;
}

/** Whether the wallet certainly has none of the coin in which the network's fee is paid. A permit costs the payer no fee. */
export function lacksGas(
  way: Pick<Way, 'isNative' | 'cryptoAmount' | 'held'>,
  method: Method,
  held: Held | undefined,
): boolean {
  if (method === 'PERMIT' || held?.coin === undefined) return false;
  if (way.isNative) return way.held !== undefined && way.held === BigInt(way.cryptoAmount);
  return held.coin === 0n;
}
