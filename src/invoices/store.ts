/** The queries of invoices. */
import type { DatabaseTransaction, Invoice } from '../../prisma/client.ts';

/** Locks the invoice's row and returns it. The lock order everywhere is subscription → invoice → payment → event cursor. */
export async function lockInvoice(tx: DatabaseTransaction, id: string): Promise<Invoice> {
  await tx.$queryRaw`SELECT id FROM invoice WHERE id = ${id}::uuid FOR UPDATE`;
  return tx.invoice.findUniqueOrThrow({ where: { id } });
}
