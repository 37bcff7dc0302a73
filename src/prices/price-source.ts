/**
 * Sources of prices. A *source* is a public market that returns the prices of all assets in one request. The *price book* is what all
 * other modules use; it is based on sources or on a fixed table. Assets are token symbols and currency codes.
 */
import { Decimal } from 'decimal.js';
import { GatewayError } from '../errors.ts';
import type { Currency } from './money.ts';

/** The price that one source reported: USD for one whole unit, read at the time `at`. */
export type SourcePrice = { source: string; priceUsd: Decimal; at: Date };

/** `priceUsd` is the price of one whole unit in USD at `cachedAt`, derived from `sources`. */
export type Price = { priceUsd: Decimal; cachedAt: Date; sources: SourcePrice[] };

export type PriceBook = {
  /** Returns the price of one whole token of this symbol. Throws PRICE_UNAVAILABLE if no fresh price is known. */
  usdPrice(symbol: string): Promise<Price>;
  /** Returns the price of one unit of a fiat currency, which is 1 for USD. */
  fiatUsd(currency: Currency): Promise<Price>;
};

/** The result of one request to a source: USD for one whole unit, by asset. Assets that the source does not have are absent. */
export type Reading = ReadonlyMap<string, Decimal>;

export type PriceSource = {
  name: string;
  /** Sends one request. Throws a SourceFault if the source refuses it, does not respond in time, or responds in an unknown format. */
  read(): Promise<Reading>;
};

/** Why a source returned no prices. `retryAfterMs` is set if the source specified when to retry. */
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
