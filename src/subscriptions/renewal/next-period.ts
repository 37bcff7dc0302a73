/** The billing period that a renewal pays for. */
import { type Cycle, type Period, periodIndex, periodStart } from '../billing-period.ts';

/** `anchor` is the subscription's anchor from then on. */
export type NextPeriod = Period & { anchor: Date };

/**
 * The period that follows the one ending at `currentPeriodEnd`, by the calendar of the anchor. If that end is no boundary of this
 * calendar (the interval has changed), it becomes the new anchor. Periods that ended before `chargeableFrom` are skipped and not
 * billed, because the contract accepts no charges for them.
 */
export function nextPeriod(
  cycle: Omit<Cycle, 'anchor'> & { anchor: Date | null },
  { currentPeriodEnd, chargeableFrom }: { currentPeriodEnd: Date; chargeableFrom: Date },
): NextPeriod {
  const anchored = { ...cycle, anchor: anchorOf(cycle, currentPeriodEnd) };
  const from = periodAfter(anchored, currentPeriodEnd);
  const chosen =
    from.end > chargeableFrom
      ? from
      : periodAfter(anchored, periodStart(anchored, periodIndex(anchored, chargeableFrom)));
  return { ...chosen, anchor: anchored.anchor };
}

function anchorOf(cycle: Omit<Cycle, 'anchor'> & { anchor: Date | null }, end: Date): Date {
  const { anchor } = cycle;
  if (anchor === null) return end;
  const known = { ...cycle, anchor };
  const isBoundary = periodStart(known, periodIndex(known, end)).getTime() === end.getTime();
  return isBoundary ? anchor : end;
}

function periodAfter(cycle: Cycle, start: Date): Period {
  return { start, end: periodStart(cycle, periodIndex(cycle, start) + 1) };
}
