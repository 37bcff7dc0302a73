/** What the dashboard's forms and lists of plans, links, invoices and tax rates reckon by themselves. */
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
import { fieldFaults, limitWords } from '../../web/src/ui/fields/form/field-faults.ts';

describe('a percentage', () => {
  it.each([
    ['19', 19],
    [' 5,5 ', 5.5],
    ['0', 0],
    ['7.0001', 7.0001],
    ['101', 101],
  ])('%j is %j', (text, percent) => expect(readPercentage(text)).toBe(percent));

  it.each(['', ' ', '0x10', '1e1', '-1', '+1', '.5', '5.', '1.2.3', '19 %', 'Infinity', '007.5', '1'.repeat(400)])(
    '%j is none',
    (text) => expect(readPercentage(text)).toBeNull(),
  );
});

describe('the faults of a form', () => {
  const refused = (details: { param: string; message: string }[]) =>
    new ApiError({ code: 'VALIDATION_ERROR', message: 'Wrong.', details });

  it('stand at their fields, and leave nothing over', () => {
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

  it('are shown as a whole where a field is none of the form’s, where there is none, and where there was no answer', () => {
    const elsewhere = refused([{ param: 'metadata', message: 'is too long' }]);
    expect(fieldFaults(elsewhere, ['name']).rest).toBe(elsewhere);
    const state = new ApiError({ code: 'INVALID_STATE', message: 'It is PAID.' });
    expect(fieldFaults(state, ['name'])).toEqual({ byParam: new Map(), rest: state });
    expect(fieldFaults(null, ['name']).rest).toBeNull();
  });

  it('name the one field that a conflict is about', () => {
    const taken = new ApiError({ code: 'CONFLICT', message: 'The slug coffee is taken.', param: 'slug' });
    expect(fieldFaults(taken, ['slug'])).toEqual({
      byParam: new Map([['slug', 'The slug coffee is taken.']]),
      rest: undefined,
    });
  });

  it('are said in words of ours where their form is known', () => {
    expect(limitWords('between 1 and 100 characters')).toEqual({
      key: 'betweenCharacters',
      values: { least: '1', most: '100' },
    });
    expect(limitWords('between 0 and 100')).toEqual({ key: 'between', values: { least: '0', most: '100' } });
    expect(limitWords('plain digits, at most 12 before and 2 after the point')?.values).toEqual({
      before: '12',
      after: '2',
    });
    expect(limitWords('is something new')).toBeNull();
  });
});

describe('chains and tokens', () => {
  const chain = (chainId: number, isTest: boolean, symbols: string[], family = 'EVM') =>
    ({ chainId, isTest, family, tokens: symbols.map((symbol) => ({ key: `${symbol}-${chainId}` })) }) as ChainSettings;
  const [one, two] = [chain(1, true, ['USDC', 'ETH']), chain(2, true, ['DAI'])];

  it('offers those of the app’s mode, and none that take no payments', () => {
    const all = [one, chain(8, false, []), two, chain(784, true, [], 'SUI')];
    expect(offeredChains(all, 'TEST')).toEqual([one, two]);
    expect(offeredChains(all, 'LIVE').map(({ chainId }) => chainId)).toEqual([8]);
  });

  it('are a list once one is taken out, and ALL again when it is back', () => {
    const without = toggleChain(everything, 1, [one, two]);
    expect(without).toEqual({ chains: [2], tokens: 'ALL' });
    expect(toggleChain(without, 1, [one, two])).toEqual(everything);
    expect(toggleToken(everything, 'ETH-1', ['USDC-1', 'ETH-1'])).toEqual({ chains: 'ALL', tokens: ['USDC-1'] });
  });

  it('drop the tokens of a chain that goes', () => {
    const chosen = { chains: 'ALL', tokens: ['USDC-1', 'DAI-2'] } as const;
    expect(toggleChain(chosen, 1, [one, two])).toEqual({ chains: [2], tokens: ['DAI-2'] });
  });

  it('are read as the API tells them', () => {
    expect(readSelection({ allowedChains: 'ALL', allowedTokens: ['USDC-1'] })).toEqual({
      chains: 'ALL',
      tokens: ['USDC-1'],
    });
  });
});

describe('what forms send', () => {
  it('is a count, null where it may be left empty, and never null for what is no count', () => {
    expect(['', ' ', '0', ' 12 ', '1000000000'].map(countOrNull)).toEqual([null, null, 0, 12, 1_000_000_000]);
    expect(['ten', '1.5', '-1', '1e3'].map(countOrNull)).toEqual([-1, -1, -1, -1]);
  });

  it('is a price with its interval, or without one', () => {
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

  it('is a link with one way to be priced, the others cleared', () => {
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

  it('has a slug from the name', () => {
    expect(slugOf('Große Tasse Kaffee!')).toBe('grosse-tasse-kaffee');
    expect(slugOf('  Crème -- brûlée  ')).toBe('creme-brulee');
    expect(slugOf('★')).toBe('');
    expect(slugOf('a'.repeat(150))).toHaveLength(100);
  });

  it('is an invoice whose total is what the API will reckon', () => {
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

describe('a link’s code', () => {
  const url = 'https://pay.example/link/coffee';

  it('draws exactly the dark squares', () => {
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

  it('comes with a line for a website that a name cannot break out of', () => {
    expect(linkSnippet('<b>Tea & "cake"', url)).toBe(`<a href="${url}">&lt;b&gt;Tea &amp; "cake"</a>`);
  });
});
