import pg from 'pg';

const SCHEMAS = ['public', 'graphile_worker'];

type Table = { name: string; columns: string };

/**
 * Does what `pg_dump --data-only` and `pg_restore` do, for servers without a pg_dump of their version: reads every row in one snapshot, and
 * writes the rows to a database with the same migrations. Ponder's schemas are left out.
 */
export async function takeRows(url: string): Promise<Map<string, string>> {
  return await connected(url, async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const rows = new Map<string, string>();
    for (const { name } of await tablesOf(client)) {
      const found = await client.query<{ rows: string }>(
        `SELECT coalesce(json_agg(row_to_json(one)), '[]')::text AS rows FROM ${name} AS one`,
      );
      rows.set(name, found.rows[0]?.rows ?? '[]');
    }
    await client.query('COMMIT');
    return rows;
  });
}

/** `url` must connect as a superuser. */
export async function putRows(url: string, rows: ReadonlyMap<string, string>): Promise<void> {
  await connected(url, async (client) => {
    await client.query('BEGIN');
    // Foreign keys and triggers are disabled, because the rows have passed them before.
    await client.query('SET LOCAL session_replication_role = replica');
    const tables = await tablesOf(client);
    // The migrations insert rows into some tables. The audit log is empty, and forbids removing rows.
    const emptied = tables.map(({ name }) => name).filter((name) => name !== 'public.audit_entry');
    await client.query(`TRUNCATE ${emptied.join(', ')}`);
    for (const { name, columns } of tables) {
      await client.query(
        `INSERT INTO ${name} (${columns}) OVERRIDING SYSTEM VALUE
         SELECT ${columns} FROM json_populate_recordset(NULL::${name}, $1::json)`,
        [rows.get(name) ?? '[]'],
      );
    }
    await client.query(ADVANCE_SEQUENCES);
    await client.query('COMMIT');
  });
}

/** A sequence that a column owns must continue after the column's greatest value. */
const ADVANCE_SEQUENCES = `
  DO $$
  DECLARE owned record;
  BEGIN
    FOR owned IN
      SELECT seq.oid::regclass AS sequence, tab.oid::regclass AS owner, att.attname AS owner_column
      FROM pg_class seq
      JOIN pg_depend dep ON dep.objid = seq.oid AND dep.deptype IN ('a', 'i') AND dep.refobjsubid > 0
      JOIN pg_class tab ON tab.oid = dep.refobjid
      JOIN pg_attribute att ON att.attrelid = tab.oid AND att.attnum = dep.refobjsubid
      WHERE seq.relkind = 'S'
    LOOP
      EXECUTE format('SELECT setval(%L, coalesce(max(%I), 0) + 1, false) FROM %s',
        owned.sequence, owned.owner_column, owned.owner);
    END LOOP;
  END $$`;

async function tablesOf(client: pg.Client): Promise<Table[]> {
  const found = await client.query<Table>(
    `SELECT format('%I.%I', nsp.nspname, rel.relname) AS name,
       string_agg(quote_ident(att.attname), ', ' ORDER BY att.attnum) FILTER (WHERE att.attgenerated = '') AS columns
     FROM pg_class rel JOIN pg_namespace nsp ON nsp.oid = rel.relnamespace
     JOIN pg_attribute att ON att.attrelid = rel.oid AND att.attnum > 0 AND NOT att.attisdropped
     WHERE rel.relkind = 'r' AND nsp.nspname = ANY($1) GROUP BY nsp.nspname, rel.relname ORDER BY name`,
    [SCHEMAS],
  );
  return found.rows;
}

async function connected<Answer>(url: string, work: (client: pg.Client) => Promise<Answer>): Promise<Answer> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
