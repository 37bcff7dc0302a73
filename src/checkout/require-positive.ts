import type { TaxedTotal } from '../catalog/tax.ts';
import { invalid } from '../errors.ts';

/** Throws VALIDATION_ERROR for a coupon that leaves nothing to pay. `param` is the field that names it. */
export function requirePositive({ total }: TaxedTotal, param: string): void {
  if (total.gt(0)) return;
  throw invalid([{ param, message: 'leaves a total of 0.00; a payment is greater than zero' }]);
}
