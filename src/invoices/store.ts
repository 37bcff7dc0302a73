/** The queries of invoices. */
import type { DatabaseTransaction, Invoice } from '../../prisma/client.ts';

/** Locks the invoice's row and returns it. The lock order everywhere is subscription → invoice → payment → event cursor. */
export async function lockInvoice(tx: DatabaseTransaction, id: string): Promise<Invoice> {
  await tx.$queryRaw`SELECT id FROM invoice WHERE id = ${id}::uuid FOR UPDATE`;
  return tx.invoice.findUniqueOrThrow({ where: { id } });
}

/** Locks the rows of several invoices in the order of their ids, and returns them by id. */
export async function lockInvoices(tx: DatabaseTransaction, ids: readonly string[]): Promise<Map<string, Invoice>> {
  await tx.$queryRaw`SELECT id FROM invoice WHERE id = ANY(${[...ids]}::uuid[]) ORDER BY id FOR UPDATE`;
  const invoices = await tx.invoice.findMany({ where: { id: { in: [...ids] } } });
  return new Map(invoices.map((invoice) => [invoice.id, invoice]));
}
