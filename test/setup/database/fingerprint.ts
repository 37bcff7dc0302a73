/** What the whole database holds, jobs that wait included, as one short text a table. */
import type { Database } from '../../../prisma/client.ts';

/** What a call may leave behind though it is refused: the count against its limit. */
const uncounted = ['rate_bucket', '_prisma_migrations'];

/** `api_key.last_used_at` is left out, which is written in the background. */
export async function fingerprint(database: Database): Promise<Record<string, string>> {
  const tables = await database.$queryRaw<{ schema: string; name: string }[]>`
    SELECT table_schema AS schema, table_name AS name FROM information_schema.tables
    WHERE table_type = 'BASE TABLE' AND (table_schema = 'public' OR table_name = '_private_jobs')`;
  const parts = tables
    .filter(({ name }) => !uncounted.includes(name))
    .map(
      ({ schema, name }) =>
        `SELECT '${name}' AS name, count(*) || ' ' || coalesce(md5(string_agg(row, ',' ORDER BY row)), '') AS print
         FROM (SELECT (to_jsonb(t) - 'last_used_at')::text AS row FROM "${schema}"."${name}" t) rows`,
    );
  const prints = await database.$queryRawUnsafe<{ name: string; print: string }[]>(parts.join(' UNION ALL '));
  return Object.fromEntries(prints.map(({ name, print }) => [name, print]));
}
