import { type Database, type TaxRate, transaction } from '../../prisma/client.ts';
import { fieldsOf } from '../auth/audit/audit-entry.ts';
import { recordAction } from '../auth/audit/record-action.ts';
import { firstAnswer } from '../platform/idempotency/first-answer.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { once } from '../platform/idempotency/once.ts';
import { newId } from '../platform/identifier.ts';
import type { CreateTaxRateInput } from './tax-rate.ts';

/** Creates a tax rate of a merchant; `inclusive` is false by default. */
export async function createTaxRate(
  world: { database: Database },
  request: { merchantId: string; input: CreateTaxRateInput; idempotency?: IdempotencyRequest },
): Promise<TaxRate> {
  const first = await firstAnswer<TaxRate>(world.database, request.idempotency);
  if (first) return first.result;
  const { inclusive, ...input } = request.input;
  const { result } = await transaction(world.database, (tx) =>
    once(tx, request.idempotency, async () => {
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
  return result;
}
