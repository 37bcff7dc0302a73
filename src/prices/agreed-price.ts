/**
 * Derives one price from several sources. Sources that deviate from the median of all by more than the limit are discarded, and more
 * than half must remain. Two sources that differ by more than twice the limit therefore have no agreed price, and a single source is
 * accepted. The result is the median of the remaining sources, or the mean of the middle two if their number is even.
 */
import { Decimal } from 'decimal.js';
import type { SourcePrice } from './price-source.ts';

const Exact = Decimal.clone({ precision: 60 });

/** Returns null if there is no agreed price. `limitPercent` is relative to the median. */
export function agreedPrice(prices: readonly SourcePrice[], limitPercent: number): { priceUsd: Decimal } | null {
  const median = medianOf(prices);
  if (median === null) return null;
  const limit = median.times(limitPercent).div(100);
  const counting = prices.filter(({ priceUsd }) => median.minus(priceUsd).abs().lte(limit));
  if (counting.length * 2 <= prices.length) return null;
  const priceUsd = medianOf(counting);
  return priceUsd && { priceUsd };
}

function medianOf(prices: readonly SourcePrice[]): Decimal | null {
  const sorted = prices.map(({ priceUsd }) => new Exact(priceUsd)).sort((left, right) => left.comparedTo(right));
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  return upper && lower ? upper.plus(lower).div(2) : null;
}
