/**
 * An invoice: lines with their tax, numbered without gaps per app when it is opened.
 *
 * ```
 * DRAFT ──open──► OPEN ──paid──► PAID          (a reorg of the payment returns PAID to OPEN)
 *                  │ ├──due and failed──► PAST_DUE ──paid──► PAID
 *                  └─┴──void──► VOID           PAST_DUE ──given up──► UNCOLLECTIBLE
 * ```
 *
 * total = subtotal (net) + taxAmount, always. The payment intent is the authority for whether it is paid.
 */
import { Decimal } from 'decimal.js';
import { z } from 'zod';
import type { Invoice, InvoiceStatus } from '../../prisma/client.ts';
import { currencySchema, fiatAmountSchema } from '../catalog/product-plan.ts';
import { type TaxedLine, type TaxedTotal, type TaxRule, taxLine, taxTotal } from '../catalog/tax.ts';
import { metadataSchema } from '../platform/metadata.ts';

const ITEMS_LIMIT = 100;
const QUANTITY_LIMIT = 1_000_000;

const itemSchema = z.object({
  description: z.string().min(1, 'between 1 and 500 characters').max(500, 'between 1 and 500 characters'),
  amount: fiatAmountSchema,
  quantity: z
    .int()
    .min(1, `between 1 and ${QUANTITY_LIMIT}`)
    .max(QUANTITY_LIMIT, `between 1 and ${QUANTITY_LIMIT}`)
    .nullish(),
  productPlanId: z.guid().nullish(),
  productPlanPriceId: z.guid().nullish(),
  taxRateId: z.guid().nullish(),
});

export const createInvoiceSchema = z
  .object({
    customerAccountId: z.guid(),
    items: z.array(itemSchema).min(1, 'at least one item').max(ITEMS_LIMIT, `at most ${ITEMS_LIMIT} items`),
    currency: currencySchema.nullish(),
    dueDate: z.date().nullish(),
    periodStart: z.date().nullish(),
    periodEnd: z.date().nullish(),
    allowedChains: z.union([z.literal('ALL'), z.array(z.int().positive()).min(1).max(100)]).nullish(),
    allowedTokens: z.union([z.literal('ALL'), z.array(z.string().min(1).max(255)).min(1).max(100)]).nullish(),
    taxRateId: z.guid().nullish(),
    memo: z.string().max(2000, 'at most 2000 characters').nullish(),
    metadata: metadataSchema.nullish(),
  })
  .refine((input) => !input.periodStart || !input.periodEnd || input.periodStart <= input.periodEnd, {
    path: ['periodEnd'],
    message: 'must not be before periodStart',
  });
export type CreateInvoiceInput = z.infer<typeof createInvoiceSchema>;

export const invoiceTriggers = ['OPEN', 'PAY', 'UNPAY', 'FAIL', 'VOID', 'GIVE_UP'] as const;
export type InvoiceTrigger = (typeof invoiceTriggers)[number];

const transitions: { [From in InvoiceStatus]: Partial<Record<InvoiceTrigger, InvoiceStatus>> } = {
  DRAFT: { OPEN: 'OPEN', VOID: 'VOID' },
  OPEN: { PAY: 'PAID', FAIL: 'PAST_DUE', VOID: 'VOID' },
  PAST_DUE: { PAY: 'PAID', VOID: 'VOID', GIVE_UP: 'UNCOLLECTIBLE' },
  PAID: { UNPAY: 'OPEN' },
  VOID: {},
  UNCOLLECTIBLE: { PAY: 'PAID' },
};

/** The status after `trigger`, or null if the trigger is not allowed in this status. */
export function nextInvoiceStatus(from: InvoiceStatus, trigger: InvoiceTrigger): InvoiceStatus | null {
  return transitions[from][trigger] ?? null;
}

/** For example INV-000042: at least six digits. */
export function invoiceNumber(sequence: number): string {
  return `INV-${String(sequence).padStart(6, '0')}`;
}

/** Lines with their tax, and their sums; `rules` has one entry per line, null for an untaxed one. */
export function priceInvoice(
  items: readonly { amount: string; quantity: number }[],
  rules: readonly (TaxRule | null)[],
): { lines: TaxedLine[]; total: TaxedTotal } {
  const lines = items.map((item, index) =>
    taxLine({ amount: new Decimal(item.amount), quantity: item.quantity, tax: rules[index] ?? null }),
  );
  return { lines, total: taxTotal(lines) };
}

/** The scalar fields of an invoice, as the API returns them and events carry them. */
export function invoiceFields(invoice: Invoice) {
  return {
    id: invoice.id,
    appId: invoice.appId,
    customerAccountId: invoice.customerAccountId,
    subscriptionId: invoice.subscriptionId,
    paymentIntentId: invoice.paymentIntentId,
    invoiceNumber: invoice.invoiceNumber,
    status: invoice.status,
    subtotal: invoice.subtotal.toFixed(2),
    taxAmount: invoice.taxAmount.toFixed(2),
    total: invoice.total.toFixed(2),
    currency: invoice.currency,
    discountAmount: invoice.discountAmount.toFixed(2),
    couponId: invoice.couponId,
    taxRateId: invoice.taxRateId,
    allowedChains: invoice.allowedChains,
    allowedTokens: invoice.allowedTokens,
    dueDate: invoice.dueDate?.toISOString() ?? null,
    paidAt: invoice.paidAt?.toISOString() ?? null,
    voidedAt: invoice.voidedAt?.toISOString() ?? null,
    periodStart: invoice.periodStart?.toISOString() ?? null,
    periodEnd: invoice.periodEnd?.toISOString() ?? null,
    memo: invoice.memo,
    usageReason: invoice.usageReason,
    splitFromId: invoice.splitFromId,
    metadata: invoice.metadata ?? {},
    createdAt: invoice.createdAt.toISOString(),
    updatedAt: invoice.updatedAt.toISOString(),
  };
}
