import { assert, constantFrom, date, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cycle, consentPeriod, period, periodIndex, periodStart } from '../../src/subscriptions/billing-period.ts';

const starts = (cycle: Cycle, count: number) =>
  Array.from({ length: count }, (_, index) => periodStart(cycle, index).toISOString().slice(0, 10));

describe('billing periods', () => {
  it('return to the 31st after shorter months', () => {
    const cycle: Cycle = { anchor: new Date('2027-01-31T10:00:00Z'), interval: 'MONTH', count: 1 };
    expect(starts(cycle, 5)).toEqual(['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31']);
  });

  it('respect leap years for months and for years', () => {
    const monthly: Cycle = { anchor: new Date('2028-01-30T00:00:00Z'), interval: 'MONTH', count: 1 };
    expect(starts(monthly, 3)).toEqual(['2028-01-30', '2028-02-29', '2028-03-30']);
    const yearly: Cycle = { anchor: new Date('2028-02-29T00:00:00Z'), interval: 'YEAR', count: 1 };
    expect(starts(yearly, 5)).toEqual(['2028-02-29', '2029-02-28', '2030-02-28', '2031-02-28', '2032-02-29']);
  });

  it('may span several intervals', () => {
    const quarterly: Cycle = { anchor: new Date('2027-11-30T00:00:00Z'), interval: 'MONTH', count: 3 };
    expect(starts(quarterly, 3)).toEqual(['2027-11-30', '2028-02-29', '2028-05-30']);
    const fortnightly: Cycle = { anchor: new Date('2027-12-20T00:00:00Z'), interval: 'WEEK', count: 2 };
    expect(starts(fortnightly, 2)).toEqual(['2027-12-20', '2028-01-03']);
  });

  it('are passed to the contract in seconds or months', () => {
    expect(consentPeriod('MINUTE', 5)).toEqual({ unit: 0, count: 300 });
    expect(consentPeriod('WEEK', 1)).toEqual({ unit: 0, count: 604_800 });
    expect(consentPeriod('YEAR', 2)).toEqual({ unit: 1, count: 24 });
  });

  it('follow each other without gap or overlap, so that every instant is in exactly one, for any cycle', () => {
    const anchors = date({ min: new Date('2000-01-01'), max: new Date('2090-12-31'), noInvalidDate: true });
    const intervals = constantFrom('MINUTE', 'DAY', 'WEEK', 'MONTH', 'YEAR');
    assert(
      property(
        anchors,
        intervals,
        integer({ min: 1, max: 13 }),
        integer({ min: 0, max: 60 }),
        (anchor, interval, count, index) => {
          const cycle: Cycle = { anchor, interval, count };
          const { start, end } = period(cycle, index);
          expect(start.getTime()).toBeLessThan(end.getTime());
          expect(period(cycle, index + 1).start).toEqual(end);
          expect(periodIndex(cycle, start)).toBe(index);
          expect(periodIndex(cycle, new Date(end.getTime() - 1))).toBe(index);
          expect(periodIndex(cycle, end)).toBe(index + 1);
        },
      ),
    );
  });
});
