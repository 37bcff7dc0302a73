/** Where prices come from. One interface; sources are in `sources/`. */
import { Decimal } from 'decimal.js';
import { GatewayError } from '../errors.ts';
import type { Currency } from './money.ts';

/** What one source said: USD for one whole unit, read `at`. */
export type SourcePrice = { source: string; priceUsd: Decimal; at: Date };

/** `priceUsd` is the price of one whole unit in USD, at `cachedAt`, made of what `sources` said. */
export type Price = { priceUsd: Decimal; cachedAt: Date; sources: SourcePrice[] };

export type PriceBook = {
  /** Of one whole token of this symbol. Throws PRICE_UNAVAILABLE when none, or none that is fresh, is known. */
  usdPrice(symbol: string): Promise<Price>;
  /** Of one unit of a fiat currency; 1 for USD. */
  fiatUsd(currency: Currency): Promise<Price>;
};

export function priceUnavailable(asset: string, cause?: unknown): GatewayError {
  return new GatewayError('PRICE_UNAVAILABLE', `No fresh price of ${asset} is available.`, { meta: { asset }, cause });
}

export const ONE = new Decimal(1);
