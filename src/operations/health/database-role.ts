import type { Database } from '../../../prisma/client.ts';
import type { Log } from '../../platform/log.ts';

/** Whom we are to the database, and what that role may do that no part ever needs. */
export type DatabaseRole = { name: string; excess: string[] };

export async function readDatabaseRole({ database }: { database: Database }): Promise<DatabaseRole> {
  const [role] = await database.$queryRaw<DatabaseRole[]>`
    SELECT rolname::text AS name, array_remove(ARRAY[
      CASE WHEN rolsuper THEN 'SUPERUSER' END, CASE WHEN rolcreatedb THEN 'CREATEDB' END,
      CASE WHEN rolcreaterole THEN 'CREATEROLE' END, CASE WHEN rolreplication THEN 'REPLICATION' END,
      CASE WHEN rolbypassrls THEN 'BYPASSRLS' END], NULL) AS excess
    FROM pg_roles WHERE rolname = current_user`;
  return role ?? { name: 'unknown', excess: [] };
}

/** Logs a warning where the role may do more than it needs. A database that is away is nothing that this reports. */
export async function warnOfDatabaseRole(world: { database: Database; log: Log }): Promise<void> {
  try {
    const { name, excess } = await readDatabaseRole(world);
    if (excess.length === 0) return;
    world.log.warn({ role: name, excess }, 'The database role may do more than Sluice needs: see docs/operations.md.');
  } catch (error) {
    world.log.debug({ error }, 'The database role could not be read.');
  }
}
