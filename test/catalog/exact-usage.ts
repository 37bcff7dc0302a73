/**
 * What usage costs, calculated independently of the gateway: with rationals of big integers, one unit range after the other. It shares
 * no code with `src`.
 */
export type Priced = {
  scheme: 'PER_UNIT' | 'GRADUATED' | 'VOLUME';
  includedUnits?: string;
  unitAmount?: string;
  tiers?: { upTo: string | null; unitAmount: string; flatAmount?: string | null }[];
};

type Rational = { above: bigint; below: bigint };

export function rational(text: string): Rational {
  const point = text.indexOf('.');
  if (point < 0) return { above: BigInt(text), below: 1n };
  const decimals = text.length - point - 1;
  return { above: BigInt(text.slice(0, point) + text.slice(point + 1)), below: 10n ** BigInt(decimals) };
}

export const plus = (a: Rational, b: Rational): Rational => ({
  above: a.above * b.below + b.above * a.below,
  below: a.below * b.below,
});
const minus = (a: Rational, b: Rational): Rational => plus(a, { above: -b.above, below: b.below });
const times = (a: Rational, b: Rational): Rational => ({ above: a.above * b.above, below: a.below * b.below });
const isLess = (a: Rational, b: Rational): boolean => a.above * b.below < b.above * a.below;

/** Cents, rounded half up. */
export function exactCents(price: Priced, quantity: Rational): bigint {
  const zero = rational('0');
  const billable = minus(quantity, rational(price.includedUnits ?? '0'));
  if (!isLess(zero, billable)) return 0n;
  const tiers = price.tiers ?? [{ upTo: null, unitAmount: price.unitAmount ?? '0' }];
  let cost = zero;
  let start = zero;
  for (const { upTo, unitAmount, flatAmount } of tiers) {
    const end = upTo === null ? null : rational(upTo);
    const reaches = end === null || !isLess(end, billable);
    if (price.scheme === 'VOLUME') {
      if (!reaches) continue;
      cost = plus(times(billable, rational(unitAmount)), rational(flatAmount ?? '0'));
      break;
    }
    const upper = end !== null && isLess(end, billable) ? end : billable;
    cost = plus(cost, plus(times(minus(upper, start), rational(unitAmount)), rational(flatAmount ?? '0')));
    start = upper;
    if (reaches) break;
  }
  // floor(cost × 100 + 1/2)
  return (cost.above * 200n + cost.below) / (2n * cost.below);
}

export function centsOf(amount: string): bigint {
  const { above, below } = rational(amount);
  return (above * 100n) / below;
}
