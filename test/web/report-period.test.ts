/** Periods of whole days in UTC, and the paths of reports. */
import { expect, it } from 'vitest';
import { readReconciliation } from '../../web/src/dashboard/reports/reconciliation.ts';
import { formatsOf, reportFile, reportNames, reportPath } from '../../web/src/dashboard/reports/report-files.ts';
import { defaultPeriod, instantsOf, isUnfinished, periodFault } from '../../web/src/dashboard/reports/report-period.ts';

it('includes the first and the last day', () => {
  expect(instantsOf({ first: '2027-02-28', last: '2027-02-28' })).toEqual({
    from: '2027-02-28T00:00:00Z',
    to: '2027-03-01T00:00:00Z',
  });
  expect(instantsOf({ first: '2027-12-01', last: '2027-12-31' }).to).toBe('2028-01-01T00:00:00Z');
});

it('starts with the current month up to today', () => {
  expect(defaultPeriod(new Date('2027-03-09T23:59:59Z'))).toEqual({ first: '2027-03-01', last: '2027-03-09' });
});

it('reports an invalid period', () => {
  expect(periodFault({ first: '', last: '2027-01-01' })).toBe('missing');
  expect(periodFault({ first: '2027-01-02', last: '2027-01-01' })).toBe('backwards');
  expect(periodFault({ first: '2027-01-01', last: '2028-01-02' })).toBe('tooLong');
  expect(periodFault({ first: '2027-01-01', last: '2028-01-01' })).toBeUndefined();
});

it('detects a day that is not over', () => {
  const now = new Date('2027-03-09T12:00:00Z');
  expect(isUnfinished({ first: '2027-03-01', last: '2027-03-09' }, now)).toBe(true);
  expect(isUnfinished({ first: '2027-03-01', last: '2027-03-08' }, now)).toBe(false);
});

it('has a file of each report in each of its formats', () => {
  const period = { first: '2027-01-01', last: '2027-01-31' };
  for (const name of reportNames) {
    for (const format of formatsOf(name)) {
      const choice = { name, format, period, appId: 'a' };
      expect(reportPath(choice)).toMatch(new RegExp(`^/reports/${name}\\?from=.*&format=${format}&appId=a$`));
      expect(reportFile(choice)).toMatch(/^\w+-2027-01-01-2027-01-31\.(csv|json|journal|beancount)$/);
    }
  }
});

it('rejects a truncated report', () => {
  expect(() => readReconciliation('{"success":true,"data":[')).toThrow();
  expect(readReconciliation('{"success":true,"data":[]}')).toEqual({ days: [], differences: [], transfers: 0 });
});
