import type { PriceIds } from '../chains/price-ids.ts';
import type { Clock } from '../platform/clock.ts';
import { ONE, type Price, type PriceBook } from './price-source.ts';

/**
 * Wraps a price book so that a pegged token is worth exactly one unit of its peg, as configured by the operator: one US dollar, one euro,
 * or one token of another symbol. In the last case, its sources are those of the other token.
 */
export function peggedPrices(world: { clock: Clock }, book: PriceBook, ids: ReadonlyMap<string, PriceIds>): PriceBook {
  const ofPeg = async (peg: string): Promise<Price> => {
    if (peg === 'EUR') return await book.fiatUsd(peg);
    if (peg !== 'USD') return await book.usdPrice(peg);
    const at = world.clock.now();
    return { priceUsd: ONE, cachedAt: at, sources: [{ source: 'peg', priceUsd: ONE, at }] };
  };
  return {
    usdPrice: (symbol) => {
      const peg = ids.get(symbol.toUpperCase())?.peg;
      return peg === undefined ? book.usdPrice(symbol) : ofPeg(peg);
    },
    fiatUsd: (currency) => book.fiatUsd(currency),
  };
}
