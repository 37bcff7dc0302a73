/** The values of the form for a new invoice, the total, and their conversion to the input of the API. */
import { Decimal } from 'decimal.js';
import type { CreateInvoiceInput } from '../../../../generated/web/documents.ts';
import { type TaxedLine, taxLine, taxTotal } from '../../../../src/catalog/tax.ts';
import { plainAmount, wholeNumber } from '../plans/price-values.ts';
import type { Currency } from '../resources/currencies.ts';

export type LineValues = { key: string; description: string; amount: string; quantity: string; taxRateId: string };

export type InvoiceValues = {
  customerAccountId: string;
  currency: Currency;
  /** A day, in the format of the browser's date field. */
  dueDate: string;
  memo: string;
  taxRateId: string;
  lines: readonly LineValues[];
};

export type Rate = { id: string; percentage: number; inclusive: boolean };

export function invoiceInput(values: InvoiceValues, appId: string): CreateInvoiceInput {
  const { customerAccountId, currency, dueDate, memo, taxRateId, lines } = values;
  return {
    appId,
    customerAccountId,
    currency,
    // Due by the end of that day in UTC, as periods are also computed in UTC.
    dueDate: dueDate === '' ? null : `${dueDate}T23:59:59.000Z`,
    memo: memo.trim() || null,
    taxRateId: taxRateId || null,
    items: lines.map((line) => ({
      description: line.description.trim(),
      amount: plainAmount(line.amount),
      quantity: wholeNumber(line.quantity, 0),
      ...(line.taxRateId ? { taxRateId: line.taxRateId } : {}),
    })),
  };
}

export type InvoiceTotals = { subtotal: string; taxAmount: string; total: string };

/** The total of the invoice, computed with the same functions as in the API. Null while the amount of a line is invalid. */
export function invoiceTotals(values: InvoiceValues, rates: readonly Rate[]): InvoiceTotals | null {
  const lines: TaxedLine[] = [];
  for (const line of values.lines) {
    const amount = plainAmount(line.amount);
    const quantity = wholeNumber(line.quantity, 0);
    if (!/^(0|[1-9]\d{0,11})(\.\d{1,2})?$/.test(amount) || quantity === 0) return null;
    const rate = rates.find(({ id }) => id === (line.taxRateId || values.taxRateId));
    const tax = rate ? { percentage: new Decimal(rate.percentage), inclusive: rate.inclusive } : null;
    lines.push(taxLine({ amount: new Decimal(amount), quantity, tax }));
  }
  const { subtotal, taxAmount, total } = taxTotal(lines);
  return { subtotal: subtotal.toFixed(2), taxAmount: taxAmount.toFixed(2), total: total.toFixed(2) };
}

export function newLine(): LineValues {
  return { key: crypto.randomUUID(), description: '', amount: '', quantity: '1', taxRateId: '' };
}
