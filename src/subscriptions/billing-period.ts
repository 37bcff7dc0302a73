/**
 * Billing periods are counted from the anchor in UTC, never from the previous period, so that the 31st returns after a short
 * month (31 Jan + 1 month = 28 or 29 Feb, + 2 months = 31 Mar).
 */
import type { BillingInterval } from '../../prisma/client.ts';

export type Cycle = { anchor: Date; interval: BillingInterval; count: number };
export type Period = { start: Date; end: Date };

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const fixedMs = { MINUTE: MINUTE_MS, DAY: DAY_MS, WEEK: 7 * DAY_MS } as const;
const months = { MONTH: 1, YEAR: 12 } as const;

/** The first instant of period `index`; period 0 starts at the anchor. */
export function periodStart(cycle: Cycle, index: number): Date {
  const { interval, count, anchor } = cycle;
  if (interval === 'MONTH' || interval === 'YEAR') return addMonths(anchor, months[interval] * count * index);
  return new Date(anchor.getTime() + fixedMs[interval] * count * index);
}

export function period(cycle: Cycle, index: number): Period {
  return { start: periodStart(cycle, index), end: periodStart(cycle, index + 1) };
}

/** The index of the period that contains `at`; negative before the anchor. */
export function periodIndex(cycle: Cycle, at: Date): number {
  const span = at.getTime() - cycle.anchor.getTime();
  const perPeriodMs = longestPeriodMs(cycle);
  let index = Math.floor(span / perPeriodMs) - 1;
  while (periodStart(cycle, index + 1).getTime() <= at.getTime()) index += 1;
  return index;
}

/** The period in the units of the contract's consent: seconds or calendar months. */
export function consentPeriod(interval: BillingInterval, count: number): { unit: 0 | 1; count: number } {
  if (interval === 'MONTH' || interval === 'YEAR') return { unit: 1, count: months[interval] * count };
  return { unit: 0, count: (fixedMs[interval] / 1000) * count };
}

function longestPeriodMs(cycle: Cycle): number {
  const { interval, count } = cycle;
  if (interval === 'MONTH' || interval === 'YEAR') return 31 * DAY_MS * months[interval] * count;
  return fixedMs[interval] * count;
}

/** The same day and time `count` months later, with the day limited to the end of the month. */
function addMonths(from: Date, count: number): Date {
  const total = from.getUTCFullYear() * 12 + from.getUTCMonth() + count;
  const year = Math.floor(total / 12);
  const month = total - year * 12;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const moved = new Date(from);
  moved.setUTCFullYear(year, month, Math.min(from.getUTCDate(), lastDay));
  return moved;
}
