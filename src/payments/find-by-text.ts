import type { Database } from '../../prisma/client.ts';

export type FoundByText = { payments: string[]; customers: string[] };

/**
 * Ids of payments whose external id, and of customers whose email, name or external id begins with the text, in any case:
 * newest first, at most `limit` of each kind. Every condition has an index of its own. Writes nothing.
 */
export async function findByText(
  database: Database,
  { appIds, text, limit }: { appIds: readonly string[]; text: string; limit: number },
): Promise<FoundByText> {
  const start = `${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
  const rows = await database.$queryRaw<{ kind: string; id: string }[]>`
    (SELECT 'payment' AS kind, id::text AS id FROM payment_intent
      WHERE app_id = ANY(${appIds}::uuid[]) AND lower(external_id) LIKE ${start} ORDER BY id DESC LIMIT ${limit})
    UNION ALL
    (SELECT 'customer', id::text FROM customer_account
      WHERE app_id = ANY(${appIds}::uuid[])
        AND (lower(email) LIKE ${start} OR lower(name) LIKE ${start} OR lower(external_id) LIKE ${start})
      ORDER BY id DESC LIMIT ${limit})`;
  const of = (kind: string) => rows.filter((row) => row.kind === kind).map(({ id }) => id);
  return { payments: of('payment'), customers: of('customer') };
}
