import type { Database, Invoice, InvoiceItem, TaxRate } from '../../prisma/client.ts';
import { requirePlanPrice } from '../catalog/require-plan-price.ts';
import { requireTaxRate } from '../catalog/require-tax-rate.ts';
import { taxRuleOf } from '../catalog/tax-rate.ts';
import { invalid, notFound } from '../errors.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../platform/idempotency/idempotently.ts';
import { newId } from '../platform/identifier.ts';
import { type CreateInvoiceInput, priceInvoice } from './invoice.ts';

export type InvoiceWithItems = Invoice & { items: InvoiceItem[] };

/** The largest total that a money column holds: 12 digits before the decimal point. */
const TOTAL_LIMIT = '999999999999.99';

/**
 * Drafts an invoice, which has no number yet. Each line is taxed at its own rate, or else the invoice's, or else its plan's.
 * Throws NOT_FOUND with `param` for customer, tax rate, plan and price, and VALIDATION_ERROR for those that do not fit.
 */
export async function createInvoice(
  world: { database: Database },
  request: { app: { id: string; merchantId: string }; input: CreateInvoiceInput; idempotency?: IdempotencyRequest },
): Promise<InvoiceWithItems> {
  const { app, input } = request;
  return await idempotently(world.database, request.idempotency, async (write) => {
    const customer = await world.database.customerAccount.findFirst({
      where: { id: input.customerAccountId, appId: app.id },
    });
    if (!customer) throw notFound('customer', 'customerAccountId');
    const items = input.items.map((item) => ({ ...item, quantity: item.quantity ?? 1 }));
    const rates = await lineRates(world.database, app, input);
    const { lines, total } = priceInvoice(
      items,
      rates.map((rate) => taxRuleOf(rate)),
    );
    if (total.total.greaterThan(TOTAL_LIMIT))
      throw invalid([{ param: 'items', message: `sum to more than ${TOTAL_LIMIT}` }]);
    const currency = input.currency ?? 'USD';
    return await write((tx) =>
      tx.invoice.create({
        data: {
          id: newId(),
          appId: app.id,
          customerAccountId: customer.id,
          subtotal: total.subtotal,
          taxAmount: total.taxAmount,
          total: total.total,
          currency,
          taxRateId: input.taxRateId ?? null,
          dueDate: input.dueDate ?? null,
          periodStart: input.periodStart ?? null,
          periodEnd: input.periodEnd ?? null,
          memo: input.memo ?? null,
          allowedChains: input.allowedChains ?? 'ALL',
          allowedTokens: input.allowedTokens ?? 'ALL',
          metadata: input.metadata ?? {},
          items: {
            create: items.map((item, position) => ({
              id: newId(),
              position,
              description: item.description,
              amount: item.amount,
              currency,
              quantity: item.quantity,
              taxAmount: lines[position]?.taxAmount ?? 0,
              taxRateId: rates[position]?.id ?? null,
              productPlanId: item.productPlanId ?? null,
              productPlanPriceId: item.productPlanPriceId ?? null,
            })),
          },
        },
        include: { items: { orderBy: { position: 'asc' } } },
      }),
    );
  });
}

/** The tax rate of each line. Everything that the body refers to is checked for owner and type, with its position in `param`. */
async function lineRates(
  database: Database,
  app: { id: string; merchantId: string },
  input: CreateInvoiceInput,
): Promise<(TaxRate | null)[]> {
  const { merchantId } = app;
  const taxRate = await requireTaxRate(database, { merchantId, id: input.taxRateId, param: 'taxRateId' });
  const rates: (TaxRate | null)[] = [];
  for (const [index, item] of input.items.entries()) {
    const path = `items[${index}].`;
    const own = await requireTaxRate(database, { merchantId, id: item.taxRateId, param: `${path}taxRateId` });
    const sold = await requirePlanPrice(database, { appId: app.id, ...pick(item), path });
    rates.push(own ?? taxRate ?? activeRate(sold?.plan.taxRate ?? null));
  }
  return rates;
}

function pick(item: CreateInvoiceInput['items'][number]) {
  return { productPlanId: item.productPlanId, productPlanPriceId: item.productPlanPriceId };
}

function activeRate(rate: TaxRate | null): TaxRate | null {
  return rate?.isActive ? rate : null;
}
