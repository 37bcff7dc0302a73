import { Decimal } from 'decimal.js';
import type { Registry } from '../chains/registry.ts';
import { invalid } from '../errors.ts';
import { findAsset } from './find-asset.ts';
import type { Currency } from './money.ts';
import type { PriceBook } from './price-source.ts';

export type PriceQuote = {
  asset: string;
  symbol: string;
  currency: Currency;
  /** The price of one whole token. */
  priceFiat: Decimal;
  cachedAt: Date;
  /** The fiat side of a conversion, in `currency`. Null without a conversion. */
  amountFiat: Decimal | null;
  /** The token side of a conversion: whole tokens, with at most as many fraction digits as the token has. Null without a conversion. */
  tokenAmount: string | null;
};

/** The precision of rates, which is far higher than that of any source. */
const Exact = Decimal.clone({ precision: 60 });

/**
 * Returns the spot price of an asset and, if one amount is given, its conversion. A fiat amount is converted to tokens rounded up to the
 * token's decimals, because that is what a payer must pay. A token amount is truncated to the token's decimals, and its value is rounded
 * half up to cents. Throws NOT_FOUND for an unknown asset, VALIDATION_ERROR if both amounts are given, and PRICE_UNAVAILABLE without a
 * fresh price.
 */
export async function readPrice(
  world: { registry: Registry; prices: PriceBook },
  request: { asset: string; currency: Currency; amountFiat?: string | null; tokenAmount?: string | null },
): Promise<PriceQuote> {
  const { amountFiat, tokenAmount } = request;
  if (amountFiat && tokenAmount) {
    throw invalid([{ param: 'tokenAmount', message: 'cannot be combined with amountFiat' }]);
  }
  const { asset, symbol, decimals } = findAsset(world.registry, request.asset);
  const [token, fiat] = await Promise.all([world.prices.usdPrice(symbol), world.prices.fiatUsd(request.currency)]);
  const priceFiat = new Exact(token.priceUsd).div(fiat.priceUsd);
  const cachedAt = new Date(Math.min(token.cachedAt.getTime(), fiat.cachedAt.getTime()));
  const quote = { asset, symbol, currency: request.currency, priceFiat, cachedAt };
  if (amountFiat) {
    const tokens = new Exact(amountFiat).div(priceFiat).toDecimalPlaces(decimals, Decimal.ROUND_UP);
    return { ...quote, amountFiat: new Exact(amountFiat), tokenAmount: tokens.toFixed() };
  }
  if (tokenAmount) {
    const given = new Exact(tokenAmount).toDecimalPlaces(decimals, Decimal.ROUND_DOWN);
    if (given.isZero())
      throw invalid([{ param: 'tokenAmount', message: `must be at least one base unit (${decimals} decimals)` }]);
    const value = given.times(priceFiat).toDecimalPlaces(2, Decimal.ROUND_HALF_UP);
    return { ...quote, amountFiat: value, tokenAmount: given.toFixed() };
  }
  return { ...quote, amountFiat: null, tokenAmount: null };
}
