/** The upcoming charges by year, with the total of each year. */
import { Decimal } from 'decimal.js';
import type { SubscriptionFactsFragment } from '../../../../generated/web/documents.ts';

export type Charge = SubscriptionFactsFragment['upcomingCharges'][number];

export type CalendarYear = {
  year: number;
  charges: readonly Charge[];
  /** With 2 decimals, in the charges' currency. */
  total: string;
  currency: string;
};

/** Years are in UTC, as in billing, and in the order of the charges. */
export function chargeCalendar(charges: readonly Charge[]): CalendarYear[] {
  const years = new Map<number, Charge[]>();
  for (const charge of charges) {
    const year = new Date(charge.dueAt).getUTCFullYear();
    years.set(year, [...(years.get(year) ?? []), charge]);
  }
  return [...years].map(([year, own]) => ({
    year,
    charges: own,
    total: own.reduce((sum, charge) => sum.plus(charge.total), new Decimal(0)).toFixed(2),
    currency: own[0]?.currency ?? '',
  }));
}

/** Whether periods are so short that two charges may be on the same day. */
export function needsClock(charges: readonly Charge[]): boolean {
  const days = charges.map((charge) => charge.dueAt.slice(0, 10));
  return new Set(days).size < days.length;
}
