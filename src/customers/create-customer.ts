import { type CustomerAccount, type CustomerWallet, type Database, transaction } from '../../prisma/client.ts';
import { appendEvents } from '../events/append-events.ts';
import { firstAnswer } from '../platform/idempotency/first-answer.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { once } from '../platform/idempotency/once.ts';
import { newId } from '../platform/identifier.ts';
import { type CustomerFields, customerFields } from './customer.ts';

export type CustomerWithWallets = CustomerAccount & { wallets: CustomerWallet[] };

/** Creates a customer of an app. Appends `customer.created`. */
export async function createCustomer(
  world: { database: Database },
  request: { appId: string; fields: CustomerFields; idempotency?: IdempotencyRequest },
): Promise<CustomerWithWallets> {
  const first = await firstAnswer<CustomerWithWallets>(world.database, request.idempotency);
  if (first) return first.result;
  const { metadata, ...plain } = request.fields;
  const { result } = await transaction(world.database, (tx) =>
    once(tx, request.idempotency, async () => {
      const customer = await tx.customerAccount.create({
        data: { id: newId(), appId: request.appId, ...plain, metadata: metadata ?? {} },
        include: { wallets: true },
      });
      await appendEvents(tx, customer.appId, [
        { type: 'customer.created', resourceId: customer.id, data: customerFields(customer) },
      ]);
      return customer;
    }),
  );
  return result;
}
