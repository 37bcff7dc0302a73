/** The contents of the whole database, including pending jobs, as one short text per table. */
import type { Database } from '../../../prisma/client.ts';

/** Tables that a rejected call may still change, because it counts against the rate limit. */
const uncounted = ['rate_bucket', '_prisma_migrations'];

/** Ignores `api_key.last_used_at`, which is written in the background. */
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
