import type { CustomerAccount, CustomerWallet, Database } from '../../prisma/client.ts';
import { appendEvents } from '../events/append-events.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../platform/idempotency/idempotently.ts';
import { newId } from '../platform/identifier.ts';
import { type CustomerFields, customerFields } from './customer.ts';

export type CustomerWithWallets = CustomerAccount & { wallets: CustomerWallet[] };

/** Creates a customer of an app. Appends `customer.created`. */
export async function createCustomer(
  world: { database: Database },
  request: { appId: string; fields: CustomerFields; idempotency?: IdempotencyRequest },
): Promise<CustomerWithWallets> {
  const { metadata, ...plain } = request.fields;
  return await idempotently(world.database, request.idempotency, (write) =>
    write(async (tx) => {
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
}
