/** What needs the superuser of the local Postgres, and all that it is used for. */
import pg from 'pg';
import { openDatabase } from '../../../prisma/client.ts';
import { handOverDatabase } from '../../operations/hand-over-database.ts';

export type BootstrapOptions = {
  /** The database that is to be there, as the superuser. */
  adminUrl: string;
  role: string;
  rolePassword: string;
  log?: ((line: string) => void) | undefined;
};

/**
 * Makes the role and the database that it owns. What the superuser owns in a database of an earlier edition is handed
 * over, one object at a time: a start that was cut off half-way is completed by the next one.
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
  const inside = openDatabase({ url: adminUrl, poolSize: 1 });
  try {
    const changed = await handOverDatabase({ database: inside }, { from: superuser, to: role });
    if (changed.length > 0)
      log?.(`The role ${role} now owns the database: ${changed.length} objects were handed over.`);
  } finally {
    await inside.$disconnect();
  }
}

/** A role that logs in with `password` and has no privilege beyond what it owns; one that exists loses what it has more. */
export async function ensureRole(client: pg.Client, request: { role: string; password: string }): Promise<void> {
  const found = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [request.role]);
  const verb = found.rowCount === 0 ? 'CREATE' : 'ALTER';
  const attributes = 'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS';
  await client.query(
    `${verb} ROLE ${pg.escapeIdentifier(request.role)} ${attributes} PASSWORD ${pg.escapeLiteral(request.password)}`,
  );
}

/** Runs `work` as the superuser, in the database that every server has. */
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
