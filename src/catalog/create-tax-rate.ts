import type { Database, TaxRate } from '../../prisma/client.ts';
import { fieldsOf } from '../auth/audit/audit-entry.ts';
import { recordAction } from '../auth/audit/record-action.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../platform/idempotency/idempotently.ts';
import { newId } from '../platform/identifier.ts';
import type { CreateTaxRateInput } from './tax-rate.ts';

/** Creates a tax rate of a merchant; `inclusive` is false by default. */
export async function createTaxRate(
  world: { database: Database },
  request: { merchantId: string; input: CreateTaxRateInput; idempotency?: IdempotencyRequest },
): Promise<TaxRate> {
  const { inclusive, ...input } = request.input;
  return await idempotently(world.database, request.idempotency, (write) =>
    write(async (tx) => {
      const { merchantId } = request;
      const rate = await tx.taxRate.create({
        data: { id: newId(), merchantId, ...input, inclusive: inclusive ?? false },
      });
      await recordAction(tx, {
        action: 'tax_rate.created',
        owner: { merchantId },
        target: { type: 'TaxRate', id: rate.id },
        after: fieldsOf(rate, ['displayName', 'percentage', 'inclusive', 'jurisdiction', 'description']),
      });
      return rate;
    }),
  );
}
