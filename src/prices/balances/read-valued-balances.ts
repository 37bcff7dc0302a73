import { Decimal } from 'decimal.js';
import type { BalanceQuery } from '../../chains/balances/holding.ts';
import { GatewayError } from '../../errors.ts';
import type { Currency } from '../money.ts';
import type { Price, PriceBook } from '../price-source.ts';
import { printUnits } from '../quote.ts';
import { type BalanceAnswer, type BalanceWorld, readBalances } from './read-balances.ts';

/** `priceFiat` is the price of one whole token, `valueFiat` the value of the balance, rounded half up to cents. */
export type BalanceValue = { currency: Currency; priceFiat: Decimal; valueFiat: Decimal; cachedAt: Date };

export type Balance = {
  chainId: number;
  address: string;
  token: string;
  tokenKey: string | null;
  symbol: string | null;
  decimals: number;
  baseUnits: bigint;
  /** Whole tokens, as a decimal string without trailing zeros. */
  formatted: string;
  /** Null if no currency was requested, and for tokens outside the registry, because a symbol does not identify a token. */
  price: BalanceValue | null;
};

const Exact = Decimal.clone({ precision: 100 });

/**
 * Returns balances in the order of the queries, with their values if a currency is given. In addition to the errors of `readBalances`, an
 * item has PRICE_UNAVAILABLE if its token is registered and has no fresh price.
 */
export async function readValuedBalances(
  world: BalanceWorld & { prices: PriceBook },
  request: { queries: readonly BalanceQuery[]; currency: Currency | null },
): Promise<(Balance | GatewayError)[]> {
  const answers = await readBalances(world, request.queries);
  return await Promise.all(
    answers.map(async (answer) => {
      if (answer instanceof GatewayError) return answer;
      try {
        return await valued(world.prices, answer, request.currency);
      } catch (error) {
        if (error instanceof GatewayError) return error;
        throw error;
      }
    }),
  );
}

async function valued(
  prices: PriceBook,
  { holding, reading }: Exclude<BalanceAnswer, GatewayError>,
  currency: Currency | null,
): Promise<Balance> {
  const { registered } = holding;
  const formatted = printUnits(reading.baseUnits, reading.decimals);
  return {
    chainId: holding.chain.chainId,
    address: holding.owner,
    token: holding.token,
    tokenKey: registered?.key ?? null,
    symbol: reading.symbol,
    decimals: reading.decimals,
    baseUnits: reading.baseUnits,
    formatted,
    price:
      currency && registered ? await priceBalance(prices, { symbol: registered.symbol, formatted, currency }) : null,
  };
}

async function priceBalance(
  prices: PriceBook,
  request: { symbol: string; formatted: string; currency: Currency },
): Promise<BalanceValue> {
  const [token, fiat]: [Price, Price] = await Promise.all([
    prices.usdPrice(request.symbol),
    prices.fiatUsd(request.currency),
  ]);
  const priceFiat = new Exact(token.priceUsd).div(fiat.priceUsd);
  return {
    currency: request.currency,
    priceFiat,
    valueFiat: new Exact(request.formatted).times(priceFiat).toDecimalPlaces(2, Decimal.ROUND_HALF_UP),
    cachedAt: new Date(Math.min(token.cachedAt.getTime(), fiat.cachedAt.getTime())),
  };
}
