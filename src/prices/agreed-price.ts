/**
 * One price of what several sources say. The median of all; a source that is off it by more than the limit does not
 * count, and more than half must be left: so two sources that differ by more than twice the limit agree on nothing, and
 * one alone is believed. The answer is the median of those that count, the mean of the middle two where they are even.
 */
import { Decimal } from 'decimal.js';
import type { SourcePrice } from './price-source.ts';

const Exact = Decimal.clone({ precision: 60 });

/** Null where they do not agree. `limitPercent` of the median. */
export function agreedPrice(said: readonly SourcePrice[], limitPercent: number): { priceUsd: Decimal } | null {
  const median = medianOf(said);
  if (median === null) return null;
  const limit = median.times(limitPercent).div(100);
  const counting = said.filter(({ priceUsd }) => median.minus(priceUsd).abs().lte(limit));
  if (counting.length * 2 <= said.length) return null;
  const priceUsd = medianOf(counting);
  return priceUsd && { priceUsd };
}

function medianOf(said: readonly SourcePrice[]): Decimal | null {
  const sorted = said.map(({ priceUsd }) => new Exact(priceUsd)).sort((left, right) => left.comparedTo(right));
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  return upper && lower ? upper.plus(lower).div(2) : null;
}
