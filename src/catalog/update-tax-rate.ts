import { type Database, type TaxRate, transaction } from '../../prisma/client.ts';
import { changedFields } from '../auth/audit/audit-entry.ts';
import { recordChange } from '../auth/audit/record-action.ts';
import { notFound } from '../errors.ts';
import type { UpdateTaxRateInput } from './tax-rate.ts';

/**
 * Updates a tax rate; amounts calculated with it before do not change. `{ isActive: false }` archives it. Throws NOT_FOUND, also
 * for another merchant's rate.
 */
export function updateTaxRate(
  world: { database: Database },
  request: { merchantId: string; id: string; input: UpdateTaxRateInput },
): Promise<TaxRate> {
  return transaction(world.database, async (tx) => {
    const found = await tx.taxRate.findFirst({ where: { id: request.id, merchantId: request.merchantId } });
    if (!found) throw notFound('tax rate');
    const updated = await tx.taxRate.update({ where: { id: found.id }, data: request.input });
    await recordChange(tx, {
      action: 'tax_rate.updated',
      owner: { merchantId: found.merchantId },
      target: { type: 'TaxRate', id: found.id },
      changed: changedFields(found, updated, Object.keys(request.input)),
    });
    return updated;
  });
}
