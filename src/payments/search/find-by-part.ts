import { type Database, Prisma } from '../../../prisma/client.ts';
import type { Scope } from '../../auth/principal.ts';

/** The index is on parts of three characters. */
const SHORTEST_PART = 3;
/** The number of newest payments that are read to learn how common a text is. */
const SAMPLED = 1_000;
/** If at least this many of them contain a text, scanning the payments finds it sooner. */
const COMMON = 20;
/** More ids than these are not passed to another statement. */
const FOUND = 1_000;
/**
 * The number of parts of a text that are looked up in an index. Each part costs a scan of its own list of rows, and the lists of common
 * parts are as long as the table.
 */
const LOOKED_UP = 4;

const REFERENCES = 'payment_intent_reference_parts_idx';
const NAMES = 'customer_account_name_parts_idx';
const EMAILS = 'customer_account_email_parts_idx';

/**
 * Returns the ids of the caller's payments whose external id, or whose customer's name or email, contains the text, ignoring case, or that
 * `wallet` has paid. Null if the text is too short or too common for the index; its matches are then so dense that a scan of the
 * payments finds them soon.
 */
export async function findByPart(
  database: Database,
  { scope, text, wallet }: { scope: Scope; text: string; wallet: string },
): Promise<string[] | null> {
  if ([...text].length < SHORTEST_PART) return null;
  const apps = await database.app.findMany({
    where: { merchantId: scope.merchantId, ...(scope.appId === null ? {} : { id: scope.appId }) },
    select: { id: true },
  });
  const search = {
    appIds: apps.map(({ id }) => id),
    text,
    wallet,
    pattern: `%${text.replace(/[\\%_]/g, '\\$&')}%`,
  };
  if (await isCommon(database, search)) return null;
  const found = await findAll(database, search);
  return found.length > FOUND ? null : found;
}

type PartSearch = { appIds: string[]; text: string; wallet: string; pattern: string };

/** The customers are looked up one by one: Postgres would read all of them to join a sample of 1,000 payments. */
async function isCommon(database: Database, { appIds, pattern }: PartSearch): Promise<boolean> {
  const samples = appIds.map(
    (appId) => Prisma.sql`
      SELECT count(*) AS matches FROM (
        SELECT external_id, customer_account_id FROM payment_intent WHERE app_id = ${appId}::uuid ORDER BY id DESC LIMIT ${SAMPLED}
      ) AS newest LEFT JOIN LATERAL (
        SELECT name, email FROM customer_account WHERE id = newest.customer_account_id LIMIT 1
      ) AS customer ON true
      WHERE newest.external_id ILIKE ${pattern} OR customer.name ILIKE ${pattern} OR customer.email ILIKE ${pattern}`,
  );
  if (samples.length === 0) return false;
  const rows = await database.$queryRaw<{ matches: bigint }[]>`
    SELECT max(matches) AS matches FROM (${Prisma.join(samples, ' UNION ALL ')}) AS sampled`;
  return Number(rows[0]?.matches ?? 0) >= COMMON;
}

/** No branch has a limit of its own, which would make Postgres prefer a walk of all payments to the indexes. */
async function findAll(database: Database, { appIds, text, wallet, pattern }: PartSearch): Promise<string[]> {
  const partsOf = await rarestParts(database, text);
  const rows = await database.$queryRaw<{ id: string }[]>`
    WITH customers AS MATERIALIZED (
      SELECT id FROM customer_account
        WHERE name IS NOT NULL AND text_parts(name) @> ${partsOf(NAMES)}::text[] AND name ILIKE ${pattern}
          AND app_id = ANY(${appIds}::uuid[])
      UNION
      SELECT id FROM customer_account
        WHERE email IS NOT NULL AND text_parts(email) @> ${partsOf(EMAILS)}::text[] AND email ILIKE ${pattern}
          AND app_id = ANY(${appIds}::uuid[])
    ), payments AS MATERIALIZED (
      SELECT id FROM payment_intent
        WHERE external_id IS NOT NULL AND text_parts(external_id) @> ${partsOf(REFERENCES)}::text[] AND external_id ILIKE ${pattern}
          AND app_id = ANY(${appIds}::uuid[])
      UNION
      SELECT id FROM payment_intent WHERE authorization_wallet_address = ${wallet} AND app_id = ANY(${appIds}::uuid[])
      UNION
      SELECT intent.id FROM customers JOIN payment_intent AS intent ON intent.customer_account_id = customers.id
    )
    SELECT id::text FROM payments LIMIT ${FOUND + 1}`;
  return rows.map(({ id }) => id);
}

/**
 * Returns for each index the parts of the text that the fewest rows contain, by the statistics that Postgres keeps of the index. Every
 * row with the whole text has each of its parts, so that fewer parts find more rows and never miss one.
 */
export async function rarestParts(database: Database, text: string): Promise<(index: string) => string[]> {
  const rows = await database.$queryRaw<{ index: string; parts: string[] }[]>`
    SELECT ranked.index, array_agg(ranked.part) AS parts FROM (
      SELECT given.index, given.part, row_number() OVER (PARTITION BY given.index ORDER BY common.frequency NULLS FIRST) AS place
      FROM (
        SELECT index, part FROM unnest(${[REFERENCES, NAMES, EMAILS]}::text[]) AS index CROSS JOIN unnest(text_parts(${text})) AS part
      ) AS given LEFT JOIN (
        SELECT tablename AS index, element.part, element.frequency
        FROM pg_stats, unnest(most_common_elems::text::text[], most_common_elem_freqs) AS element(part, frequency)
        WHERE schemaname = current_schema() AND tablename = ANY (${[REFERENCES, NAMES, EMAILS]}::text[])
      ) AS common USING (index, part)
    ) AS ranked WHERE ranked.place <= ${LOOKED_UP} GROUP BY ranked.index`;
  const parts = new Map(rows.map((row) => [row.index, row.parts]));
  return (index) => parts.get(index) ?? [];
}
