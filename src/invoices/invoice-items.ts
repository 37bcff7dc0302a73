import { Decimal } from 'decimal.js';
import type { InvoiceItem } from '../../prisma/client.ts';
import type { NewSessionItem } from '../checkout/open-checkout-session.ts';

/** An invoice's lines as the lines of a session that pays it. */
export function invoiceItems(items: readonly InvoiceItem[]): NewSessionItem[] {
  return items.map((item) => {
    const gross = new Decimal(item.amount.toString()).times(item.quantity);
    const taxAmount = new Decimal(item.taxAmount.toString());
    return {
      name: item.description,
      description: null,
      amount: item.amount.toFixed(2),
      quantity: item.quantity,
      taxed: { net: gross.minus(taxAmount), taxAmount, gross },
      productPlanId: item.productPlanId,
      productPlanPriceId: item.productPlanPriceId,
    };
  });
}
