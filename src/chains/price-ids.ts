/**
 * The ids of tokens at public markets. A price belongs to a symbol, in any case: all tokens with the same symbol have one price. A *peg*
 * is an operator's statement that a token is worth one unit of something else, such as a dollar, or ETH for WETH.
 */
import { z } from 'zod';

const id = (words: string, pattern: RegExp) => z.string().regex(pattern, words);

export const priceIdsShape = z
  .strictObject({
    coinGecko: id('an id of CoinGecko, such as usd-coin, of at most 100 characters', /^[a-z0-9_.-]{1,100}$/).optional(),
    kraken: id(
      'a pair of Kraken with the dollar, such as USDCUSD, of at most 20 characters',
      /^[A-Z0-9.]{1,17}USD$/,
    ).optional(),
    peg: id('USD, EUR or a symbol, of at most 16 characters', /^[A-Za-z0-9.]{1,16}$/).optional(),
  })
  .refine(({ coinGecko, kraken, peg }) => (peg === undefined) === (coinGecko !== undefined || kraken !== undefined), {
    message: 'either peg, or coinGecko, kraken or both',
  });

export type PriceIds = z.infer<typeof priceIdsShape>;

/** Price ids by symbol in upper case. */
export const builtInPriceIds: ReadonlyMap<string, PriceIds> = new Map([
  ['USDC', { coinGecko: 'usd-coin', kraken: 'USDCUSD' }],
  ['USDT', { coinGecko: 'tether', kraken: 'USDTUSD' }],
  ['DAI', { coinGecko: 'dai', kraken: 'DAIUSD' }],
  ['PYUSD', { coinGecko: 'paypal-usd', kraken: 'PYUSDUSD' }],
  ['ETH', { coinGecko: 'ethereum', kraken: 'ETHUSD' }],
  ['BNB', { coinGecko: 'binancecoin', kraken: 'BNBUSD' }],
  ['POL', { coinGecko: 'polygon-ecosystem-token', kraken: 'POLUSD' }],
  ['AVAX', { coinGecko: 'avalanche-2', kraken: 'AVAXUSD' }],
  ['SOL', { coinGecko: 'solana', kraken: 'SOLUSD' }],
  ['SUI', { coinGecko: 'sui', kraken: 'SUIUSD' }],
]);

/** The part of the configuration that determines the sources of prices. */
export type PriceSettings = { source: 'market' | 'coingecko' | 'kraken' | 'fixed'; table: string };

const currencies = ['USD', 'EUR'];

/** Returns why a symbol would have no price and what to add, or null if it has one. `known` are all ids by symbol. */
export function priceFault(
  known: ReadonlyMap<string, PriceIds>,
  { symbol, settings }: { symbol: string; settings: PriceSettings },
): string | null {
  const ids = known.get(symbol.toUpperCase());
  if (ids?.peg !== undefined) return pegFault(known, { peg: ids.peg, settings });
  if (isRead(symbol, ids, settings)) return null;
  const peg = '{"peg": "USD"} (or EUR, or another symbol)';
  switch (settings.source) {
    case 'fixed':
      return `${symbol} has no price: add ${symbol}=<USD> to PRICE_TABLE, or ${peg} here`;
    case 'market':
      return `${symbol} has no price: add {"coinGecko": "<id>"}, {"kraken": "<pair>"}, both, or ${peg}`;
    case 'coingecko':
      return `${symbol} has no price where PRICE_SOURCE is coingecko: add {"coinGecko": "<id>"} or ${peg}`;
    case 'kraken':
      return `${symbol} has no price where PRICE_SOURCE is kraken: add {"kraken": "<pair>"} or ${peg}`;
    default:
      return settings.source satisfies never;
  }
}

function pegFault(
  known: ReadonlyMap<string, PriceIds>,
  { peg, settings }: { peg: string; settings: PriceSettings },
): string | null {
  if (currencies.includes(peg)) return null;
  const ids = known.get(peg.toUpperCase());
  if (ids?.peg !== undefined) return `pegs to ${peg}, which is itself pegged`;
  return isRead(peg, ids, settings) ? null : `pegs to ${peg}, which has no price of its own`;
}

function isRead(symbol: string, ids: PriceIds | undefined, { source, table }: PriceSettings): boolean {
  switch (source) {
    case 'fixed':
      return builtInPriceIds.has(symbol.toUpperCase()) || tableNames(table).has(symbol.toUpperCase());
    case 'market':
      return ids !== undefined;
    case 'coingecko':
      return ids?.coinGecko !== undefined;
    case 'kraken':
      return ids?.kraken !== undefined;
    default:
      return source satisfies never;
  }
}

/** The assets of PRICE_TABLE, whose entries are like ETH=2500. */
function tableNames(table: string): Set<string> {
  return new Set(table.split(',').map((entry) => (entry.split('=')[0] ?? '').trim().toUpperCase()));
}
