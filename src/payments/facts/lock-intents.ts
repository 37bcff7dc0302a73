import type { DatabaseTransaction } from '../../../prisma/client.ts';

/** To the end of the transaction; in the order of their ids, so that two who lock several never wait for each other. */
export async function lockIntents(tx: DatabaseTransaction, ids: readonly string[]): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM payment_intent WHERE id = ANY(${[...new Set(ids)]}::uuid[]) ORDER BY id FOR UPDATE`;
}
