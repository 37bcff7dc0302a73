import type { Database, DatabaseTransaction, TaxRate } from '../../prisma/client.ts';
import { invalid, notFound } from '../errors.ts';

/**
 * The merchant's active tax rate that a body refers to in `param`; null if it refers to none. Throws NOT_FOUND with `param` for a
 * missing rate or another merchant's, and VALIDATION_ERROR for an archived one.
 */
export async function requireTaxRate(
  database: Database | DatabaseTransaction,
  request: { merchantId: string; id: string | null | undefined; param: string },
): Promise<TaxRate | null> {
  if (!request.id) return null;
  const rate = await database.taxRate.findFirst({ where: { id: request.id, merchantId: request.merchantId } });
  if (!rate) throw notFound('tax rate', request.param);
  if (!rate.isActive) throw invalid([{ param: request.param, message: 'is archived' }]);
  return rate;
}
