import { type CustomerAccount, type Database, type Prisma, transaction } from '../../prisma/client.ts';
import { appScope } from '../auth/app-scope.ts';
import type { Scope } from '../auth/principal.ts';
import { notFound } from '../errors.ts';
import { appendEvents } from '../events/append-events.ts';
import { type CustomerFields, customerFields } from './customer.ts';

/** Updates a customer: absent fields stay unchanged, `null` clears. Appends `customer.updated`. Throws NOT_FOUND. */
export function updateCustomer(
  world: { database: Database },
  request: { scope: Scope; id: string; fields: Partial<CustomerFields> },
): Promise<CustomerAccount> {
  const { metadata, ...plain } = request.fields;
  const data: Prisma.CustomerAccountUpdateInput = {
    ...plain,
    ...(metadata === undefined ? {} : { metadata: metadata ?? {} }),
  };
  return transaction(world.database, async (tx) => {
    const found = await tx.customerAccount.findFirst({ where: { id: request.id, ...appScope(request.scope) } });
    if (!found) throw notFound('customer');
    const customer = await tx.customerAccount.update({ where: { id: found.id }, data });
    await appendEvents(tx, customer.appId, [
      { type: 'customer.updated', resourceId: customer.id, data: customerFields(customer) },
    ]);
    return customer;
  });
}
