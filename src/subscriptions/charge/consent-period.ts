/**
 * A consent's own periods, by which the contract checks a charge: counted from the consent's start in seconds or calendar months,
 * regardless of the subscription's current anchor. Charge k is accepted from start(k) until start(k + 2).
 */
import type { RecurringConsent } from '../../escrow/consent.ts';
import { type Cycle, periodIndex, periodStart } from '../billing-period.ts';

type Calendar = Pick<RecurringConsent, 'start' | 'unit' | 'count'>;

/** The first second of period `index`, equal to the contract's `periodStart`. */
export function consentPeriodStart(consent: Calendar, index: number): Date {
  if (consent.unit === 1) return periodStart(months(consent), index);
  return new Date((consent.start + consent.count * index) * 1000);
}

/** The k for which start(k) ≤ `at` < start(k + 1); negative before the consent's start. */
export function consentPeriodIndex(consent: Calendar, at: Date): number {
  if (consent.unit === 1) return periodIndex(months(consent), at);
  return Math.floor((at.getTime() / 1000 - consent.start) / consent.count);
}

function months({ start, count }: Calendar): Cycle {
  return { anchor: new Date(start * 1000), interval: 'MONTH', count };
}
