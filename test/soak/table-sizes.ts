import pg from 'pg';

export type TableSize = { table: string; rows: number; bytes: number };

/** Jobs that should already have run. Jobs that are scheduled for later are not counted, because there are many of them. */
export const DUE_JOBS = 'jobs that are due';

/** The exact number of rows and the size in bytes, including indexes, of every table, and the number of due jobs. */
export async function readTableSizes(databaseUrl: string): Promise<TableSize[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const found = await client.query<{ name: string; bytes: string; rows: string }>(`
      SELECT n.nspname || '.' || c.relname AS name, pg_total_relation_size(c.oid)::text AS bytes,
        (xpath('/row/count/text()', query_to_xml(format('SELECT count(*) FROM %I.%I', n.nspname, c.relname),
          false, true, '')))[1]::text AS rows
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND NOT c.relispartition
      ORDER BY 1`);
    const due = await client.query<{ rows: string }>(
      `SELECT count(*)::text AS rows FROM graphile_worker.jobs WHERE run_at < now() - interval '10 seconds'`,
    );
    const tables = found.rows.map(({ name, bytes, rows }) => ({
      // Each build of Ponder has a schema with a hash in its name.
      table: name.replace(/^public\./, '').replace(/^ponder_[0-9a-f]{10}\./, 'ponder_build.'),
      rows: Number(rows),
      bytes: Number(bytes),
    }));
    return [...tables, { table: DUE_JOBS, rows: Number(due.rows[0]?.rows ?? 0), bytes: 0 }];
  } finally {
    await client.end();
  }
}
