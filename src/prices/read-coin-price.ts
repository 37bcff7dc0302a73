import type { Decimal } from 'decimal.js';
import type { Chain } from '../chains/chain.ts';
import { GatewayError } from '../errors.ts';
import type { Log } from '../platform/log.ts';
import type { PriceBook } from './price-source.ts';

/** Callers do not wait longer for slow sources. */
const PATIENCE_MS = 2_000;

/**
 * Returns the price of a chain's coin, for figures that are shown and not charged. Null if no fresh price is available within two
 * seconds. Never throws.
 */
export async function readCoinPrice(
  { prices, log }: { prices: Pick<PriceBook, 'usdPrice'>; log: Log },
  { coin }: { coin: Chain['native'] },
): Promise<{ priceUsd: Decimal; decimals: number } | null> {
  const { symbol, decimals } = coin;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), PATIENCE_MS);
  });
  try {
    const price = await Promise.race([prices.usdPrice(symbol), late]);
    return price && { priceUsd: price.priceUsd, decimals };
  } catch (error) {
    const isUnavailable = error instanceof GatewayError && error.code === 'PRICE_UNAVAILABLE';
    if (!isUnavailable) log.error({ symbol, err: error }, 'The price of a coin could not be read.');
    return null;
  } finally {
    clearTimeout(timer);
  }
}
