import { type Database, type TaxRate, transaction } from '../../prisma/client.ts';
import { firstAnswer } from '../platform/idempotency/first-answer.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { once } from '../platform/idempotency/once.ts';
import { newId } from '../platform/identifier.ts';
import type { CreateTaxRateInput } from './tax-rate.ts';

/** Makes a tax rate of a merchant; `inclusive` is false unless said. */
export async function createTaxRate(
  world: { database: Database },
  request: { merchantId: string; input: CreateTaxRateInput; idempotency?: IdempotencyRequest },
): Promise<TaxRate> {
  const first = await firstAnswer<TaxRate>(world.database, request.idempotency);
  if (first) return first.result;
  const { inclusive, ...input } = request.input;
  const { result } = await transaction(world.database, (tx) =>
    once(tx, request.idempotency, () =>
      tx.taxRate.create({
        data: { id: newId(), merchantId: request.merchantId, ...input, inclusive: inclusive ?? false },
      }),
    ),
  );
  return result;
}
