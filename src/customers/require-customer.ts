import type { Database, DatabaseTransaction } from '../../prisma/client.ts';
import { notFound } from '../errors.ts';

/** Throws NOT_FOUND with `param` if a body refers to a customer that does not belong to the app. */
export async function requireCustomer(
  database: Database | DatabaseTransaction,
  request: { appId: string; id: string | null | undefined; param: string },
): Promise<void> {
  if (!request.id) return;
  const where = { id: request.id, appId: request.appId };
  const customer = await database.customerAccount.findFirst({ where, select: { id: true } });
  if (!customer) throw notFound('customer', request.param);
}
