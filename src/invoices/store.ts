/** The invoices' queries. */
import type { DatabaseTransaction, Invoice } from '../../prisma/client.ts';

/** The invoice under its row lock; lock order everywhere: subscription → invoice → payment → event cursor. */
export async function lockInvoice(tx: DatabaseTransaction, id: string): Promise<Invoice> {
  await tx.$queryRaw`SELECT id FROM invoice WHERE id = ${id}::uuid FOR UPDATE`;
  return tx.invoice.findUniqueOrThrow({ where: { id } });
}
