/** A subscription in the dashboard: its forecast, its calendar, and the preview of a plan change. */
import { describe, expect, it } from 'vitest';
import { type Charge, chargeCalendar, needsClock } from '../../web/src/dashboard/subscriptions/charge-calendar.ts';
import { forecastWords } from '../../web/src/dashboard/subscriptions/forecast-words.ts';
import { type PlanChange, planChangeWords } from '../../web/src/dashboard/subscriptions/plan-change-words.ts';

const charge = (dueAt: string, total = '10.00'): Charge => ({
  dueAt,
  periodEnd: dueAt,
  subtotal: total,
  taxAmount: '0.00',
  discountAmount: '0.00',
  total,
  currency: 'USD',
  invoiceId: null,
});

type Foretold = Parameters<typeof forecastWords>[0];
const active: Foretold = {
  status: 'ACTIVE',
  renewalForecast: 'OK',
  renewalOutlook: { expectedAmount: '10000000', balance: '25000000', readAt: '2027-01-01T00:00:00.000Z' },
  approvedAllowance: '9000000',
  cancelAt: null,
  upcomingCharges: [charge('2027-02-01T00:00:00.000Z')],
};

describe('the renewal forecast', () => {
  it.each<[string, Partial<Foretold>, ReturnType<typeof forecastWords>]>([
    ['enough', {}, { key: 'fine', tone: 'good', needed: 10_000_000n, found: 25_000_000n }],
    ['a wallet never looked at', { renewalOutlook: null }, { key: 'unread', tone: 'quiet' }],
    [
      'too little in the wallet',
      { renewalForecast: 'LOW_BALANCE' },
      { key: 'LOW_BALANCE', tone: 'bad', needed: 10_000_000n, found: 25_000_000n },
    ],
    [
      'too little allowed',
      { renewalForecast: 'LOW_ALLOWANCE' },
      { key: 'LOW_ALLOWANCE', tone: 'bad', needed: 10_000_000n, found: 9_000_000n },
    ],
    ['a permit that came too late', { renewalForecast: 'PERMIT_EXPIRED' }, { key: 'PERMIT_EXPIRED', tone: 'bad' }],
    [
      'a revoked consent, also while paused',
      { status: 'PAUSED', renewalForecast: 'REVOKED' },
      { key: 'REVOKED', tone: 'bad' },
    ],
    ['a pause', { status: 'PAUSED' }, { key: 'paused', tone: 'quiet' }],
    [
      'a subscription that ends',
      { cancelAt: '2027-02-01T00:00:00.000Z', upcomingCharges: [] },
      { key: 'ends', tone: 'quiet' },
    ],
    ['charges that fail', { status: 'PAST_DUE' }, { key: 'failing', tone: 'bad' }],
    ['one that has not begun', { status: 'PENDING', renewalForecast: null }, { key: 'notBegun', tone: 'quiet' }],
    ['one that ended', { status: 'CANCELLED', renewalForecast: 'REVOKED' }, { key: 'ended', tone: 'quiet' }],
  ])('describes %s', (_what, part, words) => {
    expect(forecastWords({ ...active, ...part })).toEqual(words);
  });
});

describe('the charge calendar', () => {
  it('lists charges by year, with the total of each year', () => {
    const charges = [
      charge('2027-11-30T10:00:00.000Z', '0.10'),
      charge('2027-12-31T23:30:00.000Z', '0.20'),
      charge('2028-01-31T10:00:00.000Z'),
    ];
    expect(chargeCalendar(charges)).toEqual([
      { year: 2027, charges: charges.slice(0, 2), total: '0.30', currency: 'USD' },
      { year: 2028, charges: charges.slice(2), total: '10.00', currency: 'USD' },
    ]);
    expect(chargeCalendar([])).toEqual([]);
  });

  it('shows the time of day if two charges are due on one day', () => {
    const morning = charge('2027-01-01T08:00:00.000Z');
    expect(needsClock([morning, charge('2027-01-01T08:05:00.000Z')])).toBe(true);
    expect(needsClock([morning, charge('2027-01-02T08:00:00.000Z')])).toBe(false);
  });
});

describe('the preview of a plan change', () => {
  const end = '2027-02-01T00:00:00.000Z';
  const change: PlanChange = {
    effectiveAt: '2027-01-15T00:00:00.000Z',
    isProrated: true,
    nextChargeAt: end,
    lines: [],
    subtotal: '0.00',
    taxAmount: '0.00',
    discountAmount: '0.00',
    total: '0.00',
    currency: 'USD',
    carriedCredit: '3.50',
  };
  const keys = (part: Partial<PlanChange>) => planChangeWords({ ...change, ...part }).map(({ key }) => key);

  it('shows when it takes effect, what is prorated, and the remaining credit', () => {
    expect(planChangeWords(change)).toEqual([
      { key: 'now' },
      { key: 'prorated' },
      { key: 'nextCharge', at: end },
      { key: 'credit', amount: '3.50' },
    ]);
  });

  it('shows a change at the end of the period, or no change', () => {
    expect(keys({ effectiveAt: end, isProrated: false, carriedCredit: null })).toEqual(['atPeriodEnd', 'nextCharge']);
    expect(keys({ effectiveAt: null, isProrated: false })).toEqual(['same']);
  });
});
