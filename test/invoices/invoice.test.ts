import { describe, expect, it } from 'vitest';
import type { InvoiceStatus } from '../../prisma/client.ts';
import { type InvoiceTrigger, invoiceNumber, invoiceTriggers, nextInvoiceStatus } from '../../src/invoices/invoice.ts';

const statuses = ['DRAFT', 'OPEN', 'PAID', 'PAST_DUE', 'VOID', 'UNCOLLECTIBLE'] as const satisfies InvoiceStatus[];

const grid: Record<InvoiceStatus, Record<InvoiceTrigger, InvoiceStatus | null>> = {
  DRAFT: { OPEN: 'OPEN', PAY: null, UNPAY: null, FAIL: null, VOID: 'VOID', GIVE_UP: null },
  OPEN: { OPEN: null, PAY: 'PAID', UNPAY: null, FAIL: 'PAST_DUE', VOID: 'VOID', GIVE_UP: null },
  PAID: { OPEN: null, PAY: null, UNPAY: 'OPEN', FAIL: null, VOID: null, GIVE_UP: null },
  PAST_DUE: { OPEN: null, PAY: 'PAID', UNPAY: null, FAIL: null, VOID: 'VOID', GIVE_UP: 'UNCOLLECTIBLE' },
  VOID: { OPEN: null, PAY: null, UNPAY: null, FAIL: null, VOID: null, GIVE_UP: null },
  UNCOLLECTIBLE: { OPEN: null, PAY: 'PAID', UNPAY: null, FAIL: null, VOID: null, GIVE_UP: null },
};

describe('an invoice', () => {
  it.each(statuses.flatMap((from) => invoiceTriggers.map((trigger) => [from, trigger] as const)))(
    'that is %s, on %s',
    (from, trigger) => {
      expect(nextInvoiceStatus(from, trigger)).toBe(grid[from][trigger]);
    },
  );

  it('is numbered with at least six digits', () => {
    expect([invoiceNumber(1), invoiceNumber(999_999), invoiceNumber(1_000_000)]).toEqual([
      'INV-000001',
      'INV-999999',
      'INV-1000000',
    ]);
  });
});
