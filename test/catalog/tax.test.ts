import { Decimal } from 'decimal.js';
import { assert, integer, nat, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { taxLine, taxTotal } from '../../src/catalog/tax.ts';

const line = (amount: string, percentage: string, inclusive: boolean, quantity = 1) =>
  taxLine({ amount: new Decimal(amount), quantity, tax: { percentage: new Decimal(percentage), inclusive } });

describe('tax of a line', () => {
  it('adds an exclusive rate to the amount', () => {
    const taxed = line('100.00', '19', false);
    expect([taxed.net.toFixed(2), taxed.taxAmount.toFixed(2), taxed.gross.toFixed(2)]).toEqual([
      '100.00',
      '19.00',
      '119.00',
    ]);
  });

  it('extracts an inclusive rate from the amount', () => {
    const taxed = line('119.00', '19', true);
    expect([taxed.net.toFixed(2), taxed.taxAmount.toFixed(2), taxed.gross.toFixed(2)]).toEqual([
      '100.00',
      '19.00',
      '119.00',
    ]);
  });

  it.each([
    ['0.50', '1', false, '0.01'],
    ['0.49', '1', false, '0.00'],
    ['10.05', '10', false, '1.01'],
    ['10.04', '10', false, '1.00'],
    ['1.00', '8.875', false, '0.09'],
  ])('rounds %s at %s %% half-up to the minor unit', (amount, percentage, inclusive, tax) => {
    expect(line(amount, percentage, inclusive).taxAmount.toFixed(2)).toBe(tax);
  });

  it('rounds once per line, not per unit', () => {
    expect(line('0.05', '10', false, 10).taxAmount.toFixed(2)).toBe('0.05');
  });

  it('is zero without a rate or at zero percent', () => {
    expect(taxLine({ amount: new Decimal('5'), quantity: 2, tax: null }).gross.toFixed(2)).toBe('10.00');
    expect(line('5', '0', true).taxAmount.toFixed(2)).toBe('0.00');
  });

  it('keeps net + tax = gross and the sums of lines equal to the totals for any amounts', () => {
    const cents = integer({ min: 1, max: 99_999_999_999 });
    assert(
      property(record({ cents, rate: nat(1_000_000), quantity: integer({ min: 1, max: 1000 }) }), (given) => {
        const amount = new Decimal(given.cents).div(100);
        const percentage = new Decimal(given.rate).div(10_000);
        const lines = [true, false].map((inclusive) =>
          taxLine({ amount, quantity: given.quantity, tax: { percentage, inclusive } }),
        );
        for (const taxed of lines) {
          expect(taxed.net.plus(taxed.taxAmount).equals(taxed.gross)).toBe(true);
          expect(taxed.taxAmount.decimalPlaces()).toBeLessThanOrEqual(2);
          expect(taxed.taxAmount.isNegative()).toBe(false);
        }
        const total = taxTotal(lines);
        expect(total.subtotal.plus(total.taxAmount).equals(total.total)).toBe(true);
      }),
    );
  });
});
