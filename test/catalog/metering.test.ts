import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MeteringInput, meteredAmount, meteringOf, meteringSchema } from '../../src/catalog/metering.ts';
import { centsOf, exactCents, type Priced, rational } from './exact-usage.ts';

const base = { unitName: 'API call', capAmount: '100' };
const perUnit = (unitAmount: string, includedUnits?: string) =>
  meteringOf({ ...base, scheme: 'PER_UNIT', unitAmount, includedUnits });
const tiers = [
  { upTo: '100', unitAmount: '0.10' },
  { upTo: '200', unitAmount: '0.05', flatAmount: '3' },
  { upTo: null, unitAmount: '0.001' },
];
const tiered = (scheme: 'GRADUATED' | 'VOLUME', includedUnits?: string) =>
  meteringOf({ ...base, scheme, tiers, includedUnits });
const faults = (input: unknown) =>
  (meteringSchema.safeParse(input).error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('the amount for a quantity', () => {
  it.each([
    ['0', '0.00'],
    ['1', '0.00'],
    ['49', '0.00'],
    ['50', '0.01'],
    ['149.999999999999', '0.01'],
    ['150', '0.02'],
    ['1000000', '100.00'],
  ])('is rounded once, half up: %s at 0.0001 is %s', (quantity, amount) => {
    expect(meteredAmount(perUnit('0.0001'), quantity).amount).toBe(amount);
  });

  it.each([
    ['0', '0.00'],
    ['99', '9.90'],
    ['100', '10.00'],
    ['100.5', '13.03'],
    ['101', '13.05'],
    ['200', '18.00'],
    ['200.000000000001', '18.00'],
    ['1200', '19.00'],
  ])('is graduated at tier limits: %s is %s', (quantity, amount) => {
    expect(meteredAmount(tiered('GRADUATED'), quantity).amount).toBe(amount);
  });

  it.each([
    ['100', '10.00'],
    ['100.000000000001', '8.00'],
    ['200', '13.00'],
    ['201', '0.20'],
  ])('uses volume pricing at tier limits: %s is %s', (quantity, amount) => {
    expect(meteredAmount(tiered('VOLUME'), quantity).amount).toBe(amount);
  });

  it('begins after the included units, which do not count for tiers', () => {
    expect(meteredAmount(tiered('GRADUATED', '1000'), '1000')).toEqual({
      amount: '0.00',
      billableUnits: '0',
      tiers: [],
    });
    expect(meteredAmount(tiered('GRADUATED', '1000'), '1150.5')).toEqual({
      amount: '15.53',
      billableUnits: '150.5',
      tiers: [
        { upTo: '100', unitAmount: '0.10', flatAmount: null, quantity: '100' },
        { upTo: '200', unitAmount: '0.05', flatAmount: '3', quantity: '50.5' },
      ],
    });
  });

  it('is rejected if it exceeds the maximum of an invoice', () => {
    expect(meteredAmount(perUnit('999999999999.99'), '1').amount).toBe('999999999999.99');
    expect(() => meteredAmount(perUnit('999999999999'), '2')).toThrow(RangeError);
  });

  it('equals an independent calculation', () => {
    const decimal = (whole: number, digits: number) =>
      fc
        .tuple(fc.integer({ min: 0, max: whole }), fc.integer({ min: 0, max: 10 ** Math.min(digits, 9) - 1 }))
        .map(([units, part]) => `${units}.${String(part).padStart(Math.min(digits, 9), '0')}`);
    const priced: fc.Arbitrary<Priced> = fc.record({
      scheme: fc.constantFrom('GRADUATED' as const, 'VOLUME' as const),
      includedUnits: decimal(50, 6),
      tiers: fc
        .array(
          fc.record({ size: fc.integer({ min: 1, max: 90 }), unitAmount: decimal(3, 9), flatAmount: decimal(9, 2) }),
          {
            minLength: 1,
            maxLength: 5,
          },
        )
        .map((given) => {
          let end = 0;
          return given.map(({ size, ...rest }, index) => {
            end += size;
            return { ...rest, upTo: index === given.length - 1 ? null : String(end) };
          });
        }),
    });
    fc.assert(
      fc.property(priced, decimal(400, 9), (price, quantity) => {
        const metering = meteringOf({ ...base, ...price } as MeteringInput);
        expect(centsOf(meteredAmount(metering, quantity).amount)).toBe(exactCents(price, rational(quantity)));
      }),
      { numRuns: 500 },
    );
  });
});

describe('a metering', () => {
  it('is accepted if it is valid', () => {
    expect(faults({ ...base, scheme: 'PER_UNIT', unitAmount: '0.000000000001' })).toEqual([]);
    expect(faults({ ...base, scheme: 'VOLUME', tiers, includedUnits: '0' })).toEqual([]);
  });

  it.each([
    [{ scheme: 'PER_UNIT' }, ['unitAmount: is required with PER_UNIT']],
    [{ scheme: 'PER_UNIT', unitAmount: '1', tiers }, ['tiers: cannot be combined with PER_UNIT']],
    [{ scheme: 'GRADUATED' }, ['tiers: at least one tier with GRADUATED']],
    [{ scheme: 'VOLUME', tiers, unitAmount: '1' }, ['unitAmount: is sent only with PER_UNIT']],
    [
      {
        scheme: 'VOLUME',
        tiers: [
          { upTo: null, unitAmount: '1' },
          { upTo: '5', unitAmount: '1' },
        ],
      },
      [
        'tiers.0.upTo: is required for all tiers but the last',
        'tiers.1.upTo: null for the last tier, which has no end',
      ],
    ],
    [
      {
        scheme: 'VOLUME',
        tiers: [{ upTo: '5', unitAmount: '1' }, { upTo: '5.0', unitAmount: '1' }, { unitAmount: '1' }],
      },
      ['tiers.1.upTo: more than the 5 of the tier before'],
    ],
    [
      { scheme: 'PER_UNIT', unitAmount: '0.0000000000001' },
      ['unitAmount: plain digits, at most 12 before and 12 after the point'],
    ],
    [{ scheme: 'PER_UNIT', unitAmount: '1', unitName: '' }, ['unitName: between 1 and 50 characters']],
    [{ scheme: 'PER_UNIT', unitAmount: '1', capAmount: '0' }, ['capAmount: more than zero']],
  ])('is rejected: %j', (input, expected) => {
    expect(faults({ ...base, ...input })).toEqual(expected);
  });
});
