import { type Database, type TaxRate, transaction } from '../../prisma/client.ts';
import { notFound } from '../errors.ts';
import type { UpdateTaxRateInput } from './tax-rate.ts';

/**
 * Changes a tax rate; what was priced with it keeps its amounts. `{ isActive: false }` archives it.
 * Throws NOT_FOUND, of another merchant's too.
 */
export function updateTaxRate(
  world: { database: Database },
  request: { merchantId: string; id: string; input: UpdateTaxRateInput },
): Promise<TaxRate> {
  return transaction(world.database, async (tx) => {
    const found = await tx.taxRate.findFirst({ where: { id: request.id, merchantId: request.merchantId } });
    if (!found) throw notFound('tax rate');
    return tx.taxRate.update({ where: { id: found.id }, data: request.input });
  });
}
