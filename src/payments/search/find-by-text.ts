import type { Database } from '../../../prisma/client.ts';

export type FoundByText = { payments: string[]; customers: string[] };

/** How many matching rows are sorted; if more match, which of them are dropped is unspecified. */
const CANDIDATES = 1_000;
/** Sorts after every character. */
const LAST = '\u{10FFFF}';

/**
 * Returns the ids of payments whose external id, and of customers whose email, name or external id, starts with the text,
 * ignoring case: newest first, at most `limit` of each kind. Writes nothing. The candidates are found through the indexes of the
 * migration `search_indexes` before they are sorted: in a single step, Postgres would walk all payments in id order.
 */
export async function findByText(
  database: Database,
  { appIds, text, limit }: { appIds: readonly string[]; text: string; limit: number },
): Promise<FoundByText> {
  const start = text.toLowerCase();
  const end = start + LAST;
  const rows = await database.$queryRaw<{ kind: string; id: string }[]>`
    WITH payments AS MATERIALIZED (
      SELECT id FROM payment_intent WHERE app_id = ANY(${appIds}::uuid[])
        AND lower(external_id) ~>=~ ${start} AND lower(external_id) ~<~ ${end} LIMIT ${CANDIDATES}
    ), customers AS MATERIALIZED (
      (SELECT id FROM customer_account WHERE app_id = ANY(${appIds}::uuid[])
        AND lower(email) ~>=~ ${start} AND lower(email) ~<~ ${end} LIMIT ${CANDIDATES})
      UNION
      (SELECT id FROM customer_account WHERE app_id = ANY(${appIds}::uuid[])
        AND lower(name) ~>=~ ${start} AND lower(name) ~<~ ${end} LIMIT ${CANDIDATES})
      UNION
      (SELECT id FROM customer_account WHERE app_id = ANY(${appIds}::uuid[])
        AND lower(external_id) ~>=~ ${start} AND lower(external_id) ~<~ ${end} LIMIT ${CANDIDATES})
    )
    (SELECT 'payment' AS kind, id::text AS id FROM payments ORDER BY payments.id DESC LIMIT ${limit})
    UNION ALL
    (SELECT 'customer', id::text FROM customers ORDER BY customers.id DESC LIMIT ${limit})`;
  const of = (kind: string) => rows.filter((row) => row.kind === kind).map(({ id }) => id);
  return { payments: of('payment'), customers: of('customer') };
}
