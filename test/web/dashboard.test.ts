/** Logins and settings of the dashboard, without a browser. */
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../web/src/api/api-error.ts';
import { merchantChoices } from '../../web/src/dashboard/session/merchant-choices.ts';
import { joinSpan, splitSpan } from '../../web/src/dashboard/settings/spans.ts';

describe('a member of several merchants', () => {
  const id = '0190e3a6-0000-7000-8000-000000000000';
  const conflict = (details: { param: string; message: string }[], code = 'CONFLICT') =>
    merchantChoices(new ApiError({ code, message: 'Name one.', details }));

  it('chooses from the merchants that the API lists', () => {
    expect(conflict([{ param: 'merchantId', message: `${id} is Shop is open` }])).toEqual([
      { id, name: 'Shop is open' },
    ]);
  });

  it('has no choices after any other error', () => {
    expect(conflict([{ param: 'merchantId', message: `${id} is Shop` }], 'AUTHENTICATION_ERROR')).toEqual([]);
    expect(conflict([{ param: 'code', message: `${id} is Shop` }])).toEqual([]);
    expect(merchantChoices(new Error('no'))).toEqual([]);
  });
});

describe('a duration in seconds', () => {
  it.each([
    [0, '0', 'second'],
    [90, '90', 'second'],
    [120, '2', 'minute'],
    [86_400, '1', 'day'],
    [129_600, '36', 'hour'],
  ] as const)('%s is split into %s of a %s and joined again', (span, count, unit) => {
    expect(splitSpan(span)).toEqual({ count, unit });
    expect(joinSpan(count, unit)).toBe(span);
  });

  it.each(['', '1.5', '-1', '1e3', '99999999999'])('rejects "%s"', (count) => {
    expect(joinSpan(count, 'day')).toBeUndefined();
  });
});
