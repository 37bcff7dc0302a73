/** The calendar of billing periods, compared with an independent count and with the contract. */
import { assert, asyncProperty, constantFrom, integer, property } from 'fast-check';
import { expect, test } from 'vitest';
import type { BillingInterval } from '../../prisma/client.ts';
import type { RecurringConsent } from '../../src/escrow/consent.ts';
import { escrowAbi } from '../../src/escrow/escrow-abi.ts';
import { consentPeriod, periodStart } from '../../src/subscriptions/billing-period.ts';
import { consentPeriodIndex, consentPeriodStart } from '../../src/subscriptions/charge/consent-period.ts';
import { openEvm } from '../setup/chains/evm.ts';

const evm = await openEvm();
const ZERO = '0x0000000000000000000000000000000000000000';

const intervals = constantFrom<BillingInterval>('MINUTE', 'DAY', 'WEEK', 'MONTH', 'YEAR');
/** Whole seconds from 2024 to 2099, with the last days of months far more often than at random. */
const anchors = [
  integer({ min: 1_704_067_200, max: 4_102_444_799 }),
  integer({ min: 2024, max: 2099 }).chain((year) =>
    integer({ min: 0, max: 11 }).chain((month) =>
      integer({ min: 28, max: 31 }).map((day) => Date.UTC(year, month, day, 23, 59, 59) / 1000),
    ),
  ),
] as const;
const seconds = integer({ min: 0, max: 1 }).chain((which) => anchors[which] ?? anchors[0]);
const counts = integer({ min: 1, max: 24 });
const indexes = integer({ min: 0, max: 240 });

const daysIn = (year: number, month: number) =>
  month === 1 && ((year % 4 === 0 && year % 100 !== 0) || year % 400 === 0)
    ? 29
    : ([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month] ?? 0);

/** Counted step by step: month by month over a table of their lengths, day by day since 1970. */
function countedStart(anchor: Date, interval: BillingInterval, steps: number): number {
  const seconds = Math.floor(anchor.getTime() / 1000);
  if (interval === 'MINUTE') return seconds + 60 * steps;
  if (interval === 'DAY') return seconds + 86_400 * steps;
  if (interval === 'WEEK') return seconds + 604_800 * steps;
  let [year, month] = [anchor.getUTCFullYear(), anchor.getUTCMonth()];
  for (let remaining = interval === 'YEAR' ? steps * 12 : steps; remaining > 0; remaining -= 1) {
    month += 1;
    if (month < 12) continue;
    month = 0;
    year += 1;
  }
  const day = Math.min(anchor.getUTCDate(), daysIn(year, month));
  let days = day - 1;
  for (let before = 0; before < month; before += 1) days += daysIn(year, before);
  for (let before = 1970; before < year; before += 1) days += daysIn(before, 1) === 29 ? 366 : 365;
  return days * 86_400 + (seconds % 86_400);
}

test('starts every period where an independent count does, for any anchor, interval and count', () => {
  assert(
    property(seconds, intervals, counts, indexes, (anchor, interval, count, index) => {
      const start = periodStart({ anchor: new Date(anchor * 1000), interval, count }, index);
      expect(start.getTime() / 1000).toBe(countedStart(new Date(anchor * 1000), interval, count * index));
    }),
    { numRuns: 1_000 },
  );
});

test('starts the periods of a consent where the contract does, and assigns each instant to its period', async () => {
  await assert(
    asyncProperty(seconds, intervals, counts, indexes, async (start, interval, count, index) => {
      const consent = consentOf(start, interval, count);
      const onChain = await evm.publicClient.readContract({
        address: evm.escrow,
        abi: escrowAbi,
        functionName: 'periodStart',
        args: [consent, index],
      });
      const own = consentPeriodStart(consent, index);
      expect(own.getTime() / 1000).toBe(onChain);
      expect(periodStart({ anchor: new Date(start * 1000), interval, count }, index)).toEqual(own);
      expect(consentPeriodIndex(consent, own)).toBe(index);
      expect(consentPeriodIndex(consent, new Date(own.getTime() - 1000))).toBe(index - 1);
    }),
    { numRuns: 200 },
  );
});

test('returns to a leap day in leap years only', () => {
  const yearly = (index: number) =>
    periodStart({ anchor: new Date('2096-02-29T12:00:00Z'), interval: 'YEAR', count: 1 }, index).toISOString();
  // 2100 is not a leap year.
  expect([1, 4, 8].map(yearly)).toEqual([
    '2097-02-28T12:00:00.000Z',
    '2100-02-28T12:00:00.000Z',
    '2104-02-29T12:00:00.000Z',
  ]);
});

function consentOf(start: number, interval: BillingInterval, count: number): RecurringConsent {
  return {
    subscriptionId: `0x${'11'.repeat(32)}`,
    payer: ZERO,
    merchant: ZERO,
    token: ZERO,
    capPerPeriod: 1n,
    start,
    ...consentPeriod(interval, count),
    end: 0,
    feeBps: 0,
    feeRecipient: ZERO,
    operator: ZERO,
    arbiter: ZERO,
    timelock: 0,
    disputeWindow: 0,
    disputeTimeout: 0,
    timeoutPayerBps: 0,
  };
}
