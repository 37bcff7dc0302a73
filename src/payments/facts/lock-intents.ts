import type { DatabaseTransaction } from '../../../prisma/client.ts';

/** Locks the intents until the transaction ends, in id order, so that two transactions that lock several cannot deadlock. */
export async function lockIntents(tx: DatabaseTransaction, ids: readonly string[]): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM payment_intent WHERE id = ANY(${[...new Set(ids)]}::uuid[]) ORDER BY id FOR UPDATE`;
}
