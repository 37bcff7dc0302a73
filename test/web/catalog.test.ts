/** The calculations of the dashboard's forms and lists of plans, links, invoices and tax rates. */
import { encode } from 'uqr';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../web/src/api/api-error.ts';
import { type InvoiceValues, invoiceInput, invoiceTotals } from '../../web/src/dashboard/invoices/invoice-values.ts';
import { codeSvg, linkCode, linkSnippet } from '../../web/src/dashboard/links/link-code.ts';
import { linkInput, newLink, slugOf } from '../../web/src/dashboard/links/link-values.ts';
import { countOrNull, newPrice, priceInput } from '../../web/src/dashboard/plans/price-values.ts';
import {
  everything,
  offeredChains,
  readSelection,
  toggleChain,
  toggleToken,
} from '../../web/src/dashboard/resources/selections.ts';
import { readPercentage } from '../../web/src/dashboard/taxes/read-percentage.ts';
import type { ChainSettings } from '../../web/src/settings.ts';
import { browserLimit, fieldFaults, limitWords } from '../../web/src/ui/fields/form/field-faults.ts';

describe('a percentage', () => {
  it.each([
    ['19', 19],
    [' 5,5 ', 5.5],
    ['0', 0],
    ['7.0001', 7.0001],
    ['101', 101],
  ])('%j is read as %j', (text, percent) => expect(readPercentage(text)).toBe(percent));

  it.each(['', ' ', '0x10', '1e1', '-1', '+1', '.5', '5.', '1.2.3', '19 %', 'Infinity', '007.5', '1'.repeat(400)])(
    'rejects %j',
    (text) => expect(readPercentage(text)).toBeNull(),
  );
});

describe('the errors of a form', () => {
  const refused = (details: { param: string; message: string }[]) =>
    new ApiError({ code: 'VALIDATION_ERROR', message: 'Wrong.', details });
  const allValid = {
    badInput: false,
    customError: false,
    patternMismatch: false,
    rangeOverflow: false,
    rangeUnderflow: false,
    stepMismatch: false,
    tooLong: false,
    tooShort: false,
    typeMismatch: false,
    valid: false,
    valueMissing: false,
  };

  it('appear at their fields without a general error', () => {
    const error = refused([
      { param: 'name', message: 'between 1 and 255 characters' },
      { param: 'allowedChains[2]', message: 'is not known' },
      { param: 'prices[0].amount', message: 'more than zero' },
    ]);
    const { byParam, rest } = fieldFaults(error, ['name', 'allowedChains', 'prices[0].amount']);
    expect([...byParam]).toEqual([
      ['name', 'between 1 and 255 characters'],
      ['allowedChains', 'is not known'],
      ['prices[0].amount', 'more than zero'],
    ]);
    expect(rest).toBeUndefined();
  });

  it('appear as a general error if their field is not in the form, or there is no field or no response', () => {
    const elsewhere = refused([{ param: 'metadata', message: 'is too long' }]);
    expect(fieldFaults(elsewhere, ['name']).rest).toBe(elsewhere);
    const state = new ApiError({ code: 'INVALID_STATE', message: 'It is PAID.' });
    expect(fieldFaults(state, ['name'])).toEqual({ byParam: new Map(), rest: state });
    expect(fieldFaults(null, ['name']).rest).toBeNull();
  });

  it('include a conflict that names its field', () => {
    const taken = new ApiError({ code: 'CONFLICT', message: 'The slug coffee is taken.', param: 'slug' });
    expect(fieldFaults(taken, ['slug'])).toEqual({
      byParam: new Map([['slug', 'The slug coffee is taken.']]),
      rest: undefined,
    });
  });

  it('are translated if their message has a known form', () => {
    expect(limitWords('between 1 and 100 characters')).toEqual({
      key: 'betweenCharacters',
      values: { least: '1', most: '100' },
    });
    expect(limitWords('between 0 and 100')).toEqual({ key: 'between', values: { least: '0', most: '100' } });
    expect(limitWords('plain digits, at most 12 before and 2 after the point')?.values).toEqual({
      before: '12',
      after: '2',
    });
    for (const message of ['not an email address', 'an email address', 'must be a valid email address'])
      expect(limitWords(message), message).toEqual({ key: 'email', values: {} });
    expect(limitWords('is something new')).toBeNull();
  });

  it.each([
    ['is empty', { valueMissing: true, typeMismatch: true }, '1', '10', 'required'],
    ['is no email address', { typeMismatch: true }, '', '', 'email'],
    ['is above the maximum', { rangeOverflow: true }, '1', '10', 'between'],
    ['is below the minimum', { rangeUnderflow: true }, '1', '10', 'between'],
    ['is above the only limit', { rangeOverflow: true }, '', '10', 'atMost'],
    ['is below the only limit', { rangeUnderflow: true }, '1', '', 'atLeast'],
    ['is not a whole number', { stepMismatch: true }, '1', '10', 'number'],
  ])('of a required field that %s name the limit', (_about, validity, min, max, key) => {
    const limit = browserLimit({ validity: { ...allValid, ...validity }, min, max });
    expect(limit.key).toBe(key);
    if (key === 'between') expect(limit.values).toEqual({ least: '1', most: '10' });
  });
});

describe('the selection of chains and tokens', () => {
  const chain = (chainId: number, isTest: boolean, symbols: string[], family = 'EVM') =>
    ({ chainId, isTest, family, tokens: symbols.map((symbol) => ({ key: `${symbol}-${chainId}` })) }) as ChainSettings;
  const [one, two] = [chain(1, true, ['USDC', 'ETH']), chain(2, true, ['DAI'])];

  it('offers the chains of the app’s mode, without those that accept no payments', () => {
    const all = [one, chain(8, false, []), two, chain(784, true, [], 'SUI')];
    expect(offeredChains(all, 'TEST')).toEqual([one, two]);
    expect(offeredChains(all, 'LIVE').map(({ chainId }) => chainId)).toEqual([8]);
  });

  it('becomes a list when an option is removed, and ALL when it is added again', () => {
    const without = toggleChain(everything, 1, [one, two]);
    expect(without).toEqual({ chains: [2], tokens: 'ALL' });
    expect(toggleChain(without, 1, [one, two])).toEqual(everything);
    expect(toggleToken(everything, 'ETH-1', ['USDC-1', 'ETH-1'])).toEqual({ chains: 'ALL', tokens: ['USDC-1'] });
  });

  it('removes the tokens of a removed chain', () => {
    const chosen = { chains: 'ALL', tokens: ['USDC-1', 'DAI-2'] } as const;
    expect(toggleChain(chosen, 1, [one, two])).toEqual({ chains: [2], tokens: ['DAI-2'] });
  });

  it('is read from the API’s fields', () => {
    expect(readSelection({ allowedChains: 'ALL', allowedTokens: ['USDC-1'] })).toEqual({
      chains: 'ALL',
      tokens: ['USDC-1'],
    });
  });
});

describe('the input of a form', () => {
  it('is a count, null for an empty field, and an invalid number for invalid text', () => {
    expect(['', ' ', '0', ' 12 ', '1000000000'].map(countOrNull)).toEqual([null, null, 0, 12, 1_000_000_000]);
    expect(['ten', '1.5', '-1', '1e3'].map(countOrNull)).toEqual([-1, -1, -1, -1]);
  });

  it('is a price with or without an interval', () => {
    const values = { ...newPrice, amount: ' 12,50', billingIntervalCount: '3', trialPeriodDays: '14' };
    expect(priceInput(values, 'SUBSCRIPTION')).toEqual({
      amount: '12.50',
      currency: 'USD',
      billingInterval: 'MONTH',
      billingIntervalCount: 3,
      trialPeriodDays: 14,
    });
    expect(priceInput(values, 'ONE_TIME')).toEqual({ amount: '12.50', currency: 'USD' });
    expect(priceInput({ ...values, billingIntervalCount: 'x', trialPeriodDays: '1.5' }, 'SUBSCRIPTION')).toMatchObject({
      billingIntervalCount: 0,
      trialPeriodDays: -1,
    });
  });

  it('is a link with one kind of price, and null for the others', () => {
    const values = { ...newLink, amount: '4,5', productPlanId: 'plan', productPlanPriceId: 'price' };
    expect(linkInput(values)).toMatchObject({ amount: '4.5', currency: 'USD', productPlanId: null });
    expect(linkInput({ ...values, pricing: 'price' })).toMatchObject({
      amount: null,
      currency: null,
      productPlanId: 'plan',
      productPlanPriceId: 'price',
    });
    expect(linkInput({ ...values, pricing: 'open' })).toMatchObject({ amount: null, productPlanPriceId: null });
  });

  it('contains a slug derived from the name', () => {
    expect(slugOf('Große Tasse Kaffee!')).toBe('grosse-tasse-kaffee');
    expect(slugOf('  Crème -- brûlée  ')).toBe('creme-brulee');
    expect(slugOf('★')).toBe('');
    expect(slugOf('a'.repeat(150))).toHaveLength(100);
  });

  it('is an invoice with the total that the API will calculate', () => {
    const line = { key: '1', description: 'Advice', amount: '19,99', quantity: '3', taxRateId: '' };
    const values: InvoiceValues = {
      customerAccountId: 'c',
      currency: 'EUR',
      dueDate: '2027-01-31',
      memo: ' ',
      taxRateId: 'added',
      lines: [line, { ...line, key: '2', amount: '100', quantity: '1', taxRateId: 'included' }],
    };
    const rates = [
      { id: 'added', percentage: 19, inclusive: false },
      { id: 'included', percentage: 7, inclusive: true },
    ];
    // 59.97 and 19 % of it; 100 with 7 % in it.
    expect(invoiceTotals(values, rates)).toEqual({ subtotal: '153.43', taxAmount: '17.93', total: '171.36' });
    expect(invoiceTotals({ ...values, lines: [{ ...line, amount: '' }] }, rates)).toBeNull();
    expect(invoiceInput(values, 'app')).toMatchObject({
      dueDate: '2027-01-31T23:59:59.000Z',
      memo: null,
      items: [{ amount: '19.99', quantity: 3 }, { taxRateId: 'included' }],
    });
  });
});

describe('the QR code of a link', () => {
  const url = 'https://pay.example/link/coffee';

  it('draws exactly the dark modules', () => {
    const code = linkCode(url);
    const { data } = encode(url, { ecc: 'M', border: 4 });
    const drawn = new Set<string>();
    for (const [, x, y, width] of code.path.matchAll(/M(\d+) (\d+)h(\d+)v1/g)) {
      for (let step = 0; step < Number(width); step += 1) drawn.add(`${Number(x) + step} ${y}`);
    }
    const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`${x} ${y}`] : [])));
    expect([...drawn].sort()).toEqual(dark.sort());
    expect(codeSvg(code)).toContain(`viewBox="0 0 ${data.length} ${data.length}"`);
  });

  it('comes with a snippet for websites in which the name is escaped', () => {
    expect(linkSnippet('<b>Tea & "cake"', url)).toBe(`<a href="${url}">&lt;b&gt;Tea &amp; "cake"</a>`);
  });
});
