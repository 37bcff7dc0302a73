/** The tasks that require the superuser of the local Postgres. It is used for nothing else. */
import pg from 'pg';

export type BootstrapOptions = {
  /** URL of the database to create, as the superuser. */
  adminUrl: string;
  role: string;
  rolePassword: string;
  log?: ((line: string) => void) | undefined;
};

/**
 * Creates the role and the database that it owns. Objects that the superuser owns in a database of an earlier edition get the new owner one
 * at a time, so that the next start completes an interrupted one.
 */
export async function bootstrapDatabase({ adminUrl, role, rolePassword, log }: BootstrapOptions): Promise<void> {
  const { username: superuser, pathname } = new URL(adminUrl);
  const database = pathname.slice(1);
  await asAdmin(adminUrl, async (client) => {
    await ensureRole(client, { role, password: rolePassword });
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [database]);
    if (found.rowCount === 0) {
      await client.query(`CREATE DATABASE ${pg.escapeIdentifier(database)} OWNER ${pg.escapeIdentifier(role)}`);
    }
  });
  if (!(await ownsAnything(adminUrl))) return;
  // The process that calls this stays, and the database client would stay in its memory.
  const [{ openDatabase }, { handOverDatabase }] = await Promise.all([
    import('../../../prisma/client.ts'),
    import('../../operations/database/hand-over-database.ts'),
  ]);
  const inside = openDatabase({ url: adminUrl, poolSize: 1 });
  try {
    const changed = await handOverDatabase({ database: inside }, { from: superuser, to: role });
    if (changed.length > 0)
      log?.(`The role ${role} now owns the database. Number of objects that were transferred: ${changed.length}.`);
  } finally {
    await inside.$disconnect();
  }
}

/** Whether the superuser owns the database or an object in a schema of users. */
async function ownsAnything(adminUrl: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const owned = await client.query(`
      WITH space AS (SELECT oid, nspowner FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema')
      SELECT FROM pg_database WHERE datname = current_database() AND pg_get_userbyid(datdba) = current_user
      UNION ALL SELECT FROM space WHERE pg_get_userbyid(nspowner) = current_user
      UNION ALL SELECT FROM pg_class WHERE relnamespace IN (SELECT oid FROM space) AND pg_get_userbyid(relowner) = current_user
      UNION ALL SELECT FROM pg_proc WHERE pronamespace IN (SELECT oid FROM space) AND pg_get_userbyid(proowner) = current_user
      UNION ALL SELECT FROM pg_type WHERE typnamespace IN (SELECT oid FROM space) AND pg_get_userbyid(typowner) = current_user
      LIMIT 1`);
    return owned.rowCount !== 0;
  } finally {
    await client.end();
  }
}

/** Creates or alters a role that logs in with `password` and has no privileges beyond what it owns. An existing role loses any others. */
export async function ensureRole(client: pg.Client, request: { role: string; password: string }): Promise<void> {
  const found = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [request.role]);
  const verb = found.rowCount === 0 ? 'CREATE' : 'ALTER';
  const attributes = 'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS';
  await client.query(
    `${verb} ROLE ${pg.escapeIdentifier(request.role)} ${attributes} PASSWORD ${pg.escapeLiteral(request.password)}`,
  );
}

/** Runs `work` as the superuser, in the `postgres` database. */
export async function asAdmin<Answer>(adminUrl: string, work: (client: pg.Client) => Promise<Answer>): Promise<Answer> {
  const url = new URL(adminUrl);
  url.pathname = '/postgres';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
