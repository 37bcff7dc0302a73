/**
 * The price of a subscription with a coupon as a payer sees it before signing: what the coupon leaves, for how long, and the
 * price after it, which the consent must cover.
 */
import { Decimal } from 'decimal.js';
import type { TaxRate } from '../../../prisma/client.ts';
import { taxLine, taxTotal } from '../../catalog/tax.ts';
import { taxRuleOf } from '../../catalog/tax-rate.ts';
import type { SessionWithItems } from '../../checkout/checkout-session.ts';

/** Fiat amounts with tax, such as "10.00 USD". `periods` is the number of charges that the coupon reduces; null for all of them. */
export type PromisedPrice = { reduced: string; full: string; periods: number | null };

/** The total of a session's lines without their discount. `rate` is the session's tax rate. */
export function undiscountedTotal(session: Pick<SessionWithItems, 'items'>, rate: TaxRate | null): Decimal {
  const tax = taxRuleOf(rate);
  const lines = session.items.map(({ amount, quantity }) =>
    taxLine({ amount: new Decimal(amount.toString()), quantity, tax }),
  );
  return taxTotal(lines).total;
}

/** The price as a part of the sentence that the payer signs; `often` is, for example, "every month". */
export function printPromise(price: PromisedPrice, often: string, { isFirstPaid }: { isFirstPaid: boolean }): string {
  if (price.periods === null) return `${price.reduced} ${often}`;
  const remaining = isFirstPaid ? price.periods - 1 : price.periods;
  const later = `${price.full} ${often}`;
  if (remaining === 0) return later;
  const reduced =
    remaining === 1 ? `${price.reduced} for one payment` : `${price.reduced} for each of ${remaining} payments`;
  return `${reduced} and ${later} afterwards`;
}
