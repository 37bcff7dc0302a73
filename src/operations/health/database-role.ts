import pg from 'pg';
import type { Database } from '../../../prisma/client.ts';
import type { Log } from '../../platform/log.ts';

/** The database role of the connection, and its privileges that no part needs. */
export type DatabaseRole = { name: string; excess: string[] };

const ROLE = `SELECT rolname::text AS name, array_remove(ARRAY[
    CASE WHEN rolsuper THEN 'SUPERUSER' END, CASE WHEN rolcreatedb THEN 'CREATEDB' END,
    CASE WHEN rolcreaterole THEN 'CREATEROLE' END, CASE WHEN rolreplication THEN 'REPLICATION' END,
    CASE WHEN rolbypassrls THEN 'BYPASSRLS' END], NULL) AS excess
  FROM pg_roles WHERE rolname = current_user`;
/** A database that does not respond must not keep a part from stopping. */
const WAIT_MS = 5_000;

export async function readDatabaseRole({ database }: { database: Database }): Promise<DatabaseRole> {
  const [role] = await database.$queryRawUnsafe<DatabaseRole[]>(ROLE);
  return role ?? { name: 'unknown', excess: [] };
}

/** Logs a warning if the role has more privileges than it needs. Does not report an unreachable database. */
export async function warnOfDatabaseRole({ databaseUrl, log }: { databaseUrl: string; log: Log }): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: WAIT_MS,
    query_timeout: WAIT_MS,
    application_name: 'sluice-role',
  });
  // An error on a broken connection would otherwise be unhandled.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<DatabaseRole>(ROLE);
    const [role] = rows;
    if (!role || role.excess.length === 0) return;
    const { name, excess } = role;
    log.warn(
      { role: name, excess },
      'The database role has more privileges than Sluice needs. See docs/operations.md.',
    );
  } catch (error) {
    log.debug({ error }, 'The database role could not be read.');
  } finally {
    client.end().catch(() => undefined);
  }
}
