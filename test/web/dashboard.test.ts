/** What the dashboard knows of logins and settings, without a browser. */
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../web/src/api/api-error.ts';
import { merchantChoices } from '../../web/src/dashboard/session/merchant-choices.ts';
import { joinSpan, splitSpan } from '../../web/src/dashboard/settings/spans.ts';

describe('a person of several merchants', () => {
  const id = '0190e3a6-0000-7000-8000-000000000000';
  const conflict = (details: { param: string; message: string }[], code = 'CONFLICT') =>
    merchantChoices(new ApiError({ code, message: 'Name one.', details }));

  it('chooses from those that the API names', () => {
    expect(conflict([{ param: 'merchantId', message: `${id} is Shop is open` }])).toEqual([
      { id, name: 'Shop is open' },
    ]);
  });

  it('has nothing to choose after any other fault', () => {
    expect(conflict([{ param: 'merchantId', message: `${id} is Shop` }], 'AUTHENTICATION_ERROR')).toEqual([]);
    expect(conflict([{ param: 'code', message: `${id} is Shop` }])).toEqual([]);
    expect(merchantChoices(new Error('no'))).toEqual([]);
  });
});

describe('a span of seconds', () => {
  it.each([
    [0, '0', 'second'],
    [90, '90', 'second'],
    [120, '2', 'minute'],
    [86_400, '1', 'day'],
    [129_600, '36', 'hour'],
  ] as const)('%s is %s of a %s, and back', (span, count, unit) => {
    expect(splitSpan(span)).toEqual({ count, unit });
    expect(joinSpan(count, unit)).toBe(span);
  });

  it.each(['', '1.5', '-1', '1e3', '99999999999'])('"%s" is none', (count) => {
    expect(joinSpan(count, 'day')).toBeUndefined();
  });
});
