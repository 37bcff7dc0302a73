/** Whether a price's interval can be charged under a consent that was signed for another interval. */
import type { BillingInterval } from '../../../prisma/client.ts';
import type { RecurringConsent } from '../../escrow/consent.ts';
import { consentPeriod } from '../billing-period.ts';

const DAY_SECONDS = 86_400;
const SHORTEST_MONTH = 28 * DAY_SECONDS;
const LONGEST_MONTH = 31 * DAY_SECONDS;

/** The contract accepts one charge per period of the consent, so a price may be charged as often or less often. */
export function fitsConsent(
  consent: Pick<RecurringConsent, 'unit' | 'count'>,
  wanted: { interval: BillingInterval; count: number },
): boolean {
  const { unit, count } = consentPeriod(wanted.interval, wanted.count);
  if (unit === consent.unit) return count >= consent.count;
  const shortest = unit === 1 ? count * SHORTEST_MONTH : count;
  const longest = consent.unit === 1 ? consent.count * LONGEST_MONTH : consent.count;
  return shortest >= longest;
}
