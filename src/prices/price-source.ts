/**
 * Where prices come from. A *source* is one public market that is asked for all assets at once; the *price book* is what
 * everything else asks, and is made of sources or of a fixed table. Assets are token symbols and currencies' codes.
 */
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

/** What one reading of a source brings: USD for one whole unit, by asset; assets that it does not have are left out. */
export type Reading = ReadonlyMap<string, Decimal>;

export type PriceSource = {
  name: string;
  /** One request. Throws a SourceFault for a refusal, no answer in time, or an answer that is not understood. */
  read(): Promise<Reading>;
};

/** Why a source had no answer; `retryAfterMs` where it said how long to leave it alone. */
export class SourceFault extends Error {
  override readonly name = 'SourceFault';
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: { cause?: unknown; retryAfterMs?: number | undefined } = {}) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
  }
}

export function priceUnavailable(asset: string, cause?: unknown): GatewayError {
  return new GatewayError('PRICE_UNAVAILABLE', `No fresh price of ${asset} is available.`, { meta: { asset }, cause });
}

export const ONE = new Decimal(1);
