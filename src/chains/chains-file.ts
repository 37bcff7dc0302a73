/**
 * CHAINS_FILE: a JSON array of chains and tokens that are added to the built-in ones. An entry for a built-in chain changes only the fields
 * that it names. The same applies to tokens, by their keys. The whole file is validated before any of it is used: every fault names its
 * path in the file. `docs/chains.md` describes the format.
 */
import type { Address } from 'viem';
import { z } from 'zod';
import { create2Fault } from '../escrow/create2-rules.ts';
import { type Chain, chainShape, NATIVE, type Token, tokenShape, withNative } from './chain.ts';
import { parseEvmAddress } from './evm/evm-address.ts';
import { builtInPriceIds, type PriceIds, type PriceSettings, priceFault, priceIdsShape } from './price-ids.ts';
import { parseSolanaAddress } from './solana/solana-address.ts';

const MOST_CHAINS = 200;
const nodeUrl = z.url({ protocol: /^https?$/, error: 'an http(s) URL' });

const tokenEntry = tokenShape.partial().extend({ price: priceIdsShape.optional() });
const chainEntry = chainShape.partial().extend({
  chainId: chainShape.shape.chainId,
  native: chainShape.shape.native.partial().extend({ price: priceIdsShape.optional() }).optional(),
  tokens: z.array(tokenEntry).max(200).optional(),
  /** Nodes, in the order in which they are used; RPC_URL_<chainId> takes precedence (`config.ts`). */
  rpcUrl: z.union([nodeUrl, z.array(nodeUrl).min(1).max(20)]).optional(),
});
const fileShape = z.array(z.unknown()).max(MOST_CHAINS);

type ChainEntry = z.infer<typeof chainEntry>;
type TokenEntry = z.infer<typeof tokenEntry>;

export type ChainsFile = {
  /** The chains of the file, each merged with the built-in one. */
  chains: Chain[];
  /** Ids of every chain that the file names, including those of invalid entries. */
  named: ReadonlySet<number>;
  /** Price ids by symbol in upper case, including the built-in ones. */
  priceIds: ReadonlyMap<string, PriceIds>;
  /** `<path>: <what is wrong, and the limit>`. If there are any faults, nothing in the file is used. */
  faults: string[];
};

type World = {
  builtIn: readonly Chain[];
  /** The escrow of an EVM chain that names none of its own. */
  escrow: Address;
  /** If it is given, every symbol of the file must have a price. */
  prices?: PriceSettings | undefined;
};

export function mergeChainsFile(world: World, contents: unknown): ChainsFile {
  const faults: string[] = [];
  const priceIds = new Map(builtInPriceIds);
  const chains = new Map<number, Chain>();
  const named = new Set<number>();
  const places: Place[] = [];
  const list = fileShape.safeParse(contents);
  if (!list.success) return { chains: [], named, priceIds, faults: issuesOf(list.error, '') };
  for (const [index, raw] of list.data.entries()) {
    const path = `[${index}]`;
    const parsed = chainEntry.safeParse(raw);
    const chainId = z.object({ chainId: z.int() }).safeParse(raw).data?.chainId;
    if (chainId !== undefined && named.has(chainId))
      faults.push(`${path}.chainId: ${chainId} occurs twice in the file`);
    if (chainId !== undefined) named.add(chainId);
    if (!parsed.success) {
      faults.push(...issuesOf(parsed.error, path));
      continue;
    }
    const merged = mergeChain(world, parsed.data, { path, faults });
    if (!merged) continue;
    chains.set(merged.chainId, merged);
    places.push(...placesOf(parsed.data, merged, path));
  }
  collectPrices(priceIds, places, faults);
  if (world.prices) faults.push(...missingPrices(priceIds, places, world.prices));
  return { chains: [...chains.values()], named, priceIds, faults };
}

type Notes = { path: string; faults: string[] };

function mergeChain({ builtIn, escrow }: World, entry: ChainEntry, { path, faults }: Notes): Chain | undefined {
  const before = faults.length;
  const known = builtIn.find((chain) => chain.chainId === entry.chainId);
  const need = (field: string) => faults.push(`${path}.${field}: is required, because this chain is not built in`);
  const family = entry.family ?? known?.family;
  const native = { ...known?.native, ...withoutPrice(entry.native) };
  if (known && family !== known.family) faults.push(`${path}.family: is ${known.family} and cannot be changed`);
  if (!known) for (const field of ['name', 'family', 'testnet'] as const) if (entry[field] === undefined) need(field);
  if (native.symbol === undefined) need('native.symbol');
  if (native.decimals === undefined) need('native.decimals');
  const create2 = family === 'EVM' ? create2Fault(entry.chainId) : undefined;
  if (create2 !== undefined) faults.push(`${path}.chainId: ${create2}`);
  const { name = known?.name, testnet = known?.testnet } = entry;
  const tokens = mergeTokens({ chainId: entry.chainId, family, known: known?.tokens ?? [] }, entry, { path, faults });
  if (faults.length > before || name === undefined || family === undefined || testnet === undefined) return undefined;
  if (native.symbol === undefined || native.decimals === undefined) return undefined;
  const chain = {
    chainId: entry.chainId,
    name,
    family,
    testnet,
    local: entry.local ?? known?.local ?? false,
    explorerUrl: entry.explorerUrl === undefined ? (known?.explorerUrl ?? null) : entry.explorerUrl,
    native: { symbol: native.symbol, decimals: native.decimals },
    confirmations: entry.confirmations ?? known?.confirmations ?? 1,
    escrow: entry.escrow === undefined ? (known?.escrow ?? (family === 'EVM' ? escrow : null)) : entry.escrow,
  };
  return { ...chain, tokens: withNative({ ...chain, tokens }) };
}

type TokenGround = { chainId: number; family: Chain['family'] | undefined; known: readonly Token[] };

/** The built-in tokens with the changes of the entry, then the new ones. The coin of a built-in chain is added separately. */
function mergeTokens({ chainId, family, known }: TokenGround, entry: ChainEntry, notes: Notes): Token[] {
  const { faults } = notes;
  const tokens = new Map(known.map((token) => [token.key, token]));
  const seen = new Set<string>();
  for (const [index, given] of (entry.tokens ?? []).entries()) {
    const path = `${notes.path}.tokens[${index}]`;
    const key = given.key ?? (given.symbol === undefined ? undefined : `${given.symbol}-${chainId}`);
    if (key === undefined) {
      faults.push(`${path}.key: is required where there is no symbol`);
      continue;
    }
    if (!key.endsWith(`-${chainId}`)) faults.push(`${path}.key: must end with -${chainId}`);
    if (seen.has(key)) faults.push(`${path}.key: ${key} occurs twice in the chain`);
    if (given.chainId !== undefined && given.chainId !== chainId)
      faults.push(`${path}.chainId: is ${given.chainId}, not that of its chain, ${chainId}`);
    seen.add(key);
    const token = mergeToken(tokens.get(key), given, { chainId, key, path, faults });
    if (!token) continue;
    const fault = addressFault(family, token.address);
    if (fault !== null) faults.push(`${path}.address: ${fault}`);
    tokens.set(key, token);
  }
  const merged = [...tokens.values()];
  // The built-in coin is derived from the merged chain and comes last. A coin that only the file has keeps its place.
  const shipped = new Set(known.filter((token) => token.address === NATIVE).map((token) => token.key));
  return merged.filter((token) => !shipped.has(token.key));
}

function mergeToken(
  known: Token | undefined,
  { price: _price, ...given }: TokenEntry,
  { chainId, key, path, faults }: { chainId: number; key: string; path: string; faults: string[] },
): Token | undefined {
  const symbol = given.symbol ?? known?.symbol;
  const decimals = given.decimals ?? known?.decimals;
  const address = given.address ?? known?.address;
  const missing = Object.entries({ symbol, decimals, address }).flatMap(([name, value]) =>
    value === undefined ? [name] : [],
  );
  for (const name of missing) faults.push(`${path}.${name}: is required, because ${key} is not built in`);
  if (symbol === undefined || decimals === undefined || address === undefined) return undefined;
  return {
    key,
    chainId,
    symbol,
    name: given.name ?? known?.name ?? symbol,
    decimals,
    address,
    permit: given.permit === undefined ? (known?.permit ?? null) : given.permit,
    receive: given.receive === undefined ? (known?.receive ?? null) : given.receive,
    resetsAllowance: given.resetsAllowance ?? known?.resetsAllowance ?? false,
  };
}

function addressFault(family: Chain['family'] | undefined, address: string): string | null {
  if (address === NATIVE || family === undefined) return null;
  switch (family) {
    case 'EVM':
      return parseEvmAddress(address) ? null : 'native, or 0x and 40 hex digits with a right checksum or none';
    case 'SOLANA':
      return parseSolanaAddress(address) ? null : 'native, or a mint: base58 of 32 bytes';
    case 'SUI':
      return /^0x[0-9a-fA-F]{1,64}::\w+::\w/.test(address) ? null : 'native, or a coin type such as 0x2::sui::SUI';
    default:
      return family satisfies never;
  }
}

/** A symbol of the file, and the place where its price is given or should be. */
type Place = { path: string; symbol: string; price: PriceIds | undefined };

function placesOf(entry: ChainEntry, chain: Chain, path: string): Place[] {
  const tokens = (entry.tokens ?? []).flatMap(({ key, symbol, price }, index) => {
    const token = chain.tokens.find((one) => one.key === (key ?? `${symbol}-${chain.chainId}`));
    return token ? [{ path: `${path}.tokens[${index}].price`, symbol: token.symbol, price }] : [];
  });
  return [{ path: `${path}.native.price`, symbol: chain.native.symbol, price: entry.native?.price }, ...tokens];
}

function collectPrices(priceIds: Map<string, PriceIds>, places: readonly Place[], faults: string[]): void {
  for (const { path, symbol, price } of places) {
    if (price === undefined) continue;
    const known = priceIds.get(symbol.toUpperCase());
    if (known && !isSamePrice(known, price)) {
      const whose = builtInPriceIds.has(symbol.toUpperCase()) ? 'ships with' : 'has elsewhere in the file';
      const words = `${symbol} ${whose} ${JSON.stringify(known)}; a coin of another price needs another symbol`;
      faults.push(`${path}: ${words}`);
    } else priceIds.set(symbol.toUpperCase(), price);
  }
}

/** Each symbol once, at its first place. */
function missingPrices(
  priceIds: ReadonlyMap<string, PriceIds>,
  places: readonly Place[],
  settings: PriceSettings,
): string[] {
  const checked = new Set<string>();
  return places.flatMap(({ path, symbol }) => {
    if (checked.has(symbol.toUpperCase())) return [];
    checked.add(symbol.toUpperCase());
    const fault = priceFault(priceIds, { symbol, settings });
    return fault === null ? [] : [`${path}: ${fault}`];
  });
}

function isSamePrice(left: PriceIds, right: PriceIds): boolean {
  return left.coinGecko === right.coinGecko && left.kraken === right.kraken && left.peg === right.peg;
}

function withoutPrice(native: ChainEntry['native']): { symbol?: string | undefined; decimals?: number | undefined } {
  const { symbol, decimals } = native ?? {};
  return { ...(symbol === undefined ? {} : { symbol }), ...(decimals === undefined ? {} : { decimals }) };
}

function issuesOf(error: z.ZodError, path: string): string[] {
  return error.issues.map((issue) => {
    const inside = issue.path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
    return `${`${path}${inside}` || 'the file'}: ${issue.message}`;
  });
}
