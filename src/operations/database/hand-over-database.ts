/**
 * Transfers a database to another role. `REASSIGN OWNED` does not work here: it refuses to reassign anything owned by the role that initdb
 * created, because system objects belong to that role too.
 */
import pg from 'pg';
import { type Database, transaction } from '../../../prisma/client.ts';
import { GatewayError, notFound } from '../../errors.ts';
import { carriesCode, isLockTimeout } from '../../platform/database/lock-fault.ts';

/** `kind` is the object type as used in ALTER. `name` is qualified and quoted. */
export type OwnedObject = { kind: string; name: string };

const LOCK_WAIT_MS = 10_000;
const INSUFFICIENT_PRIVILEGE = new Set(['42501']);
/** The schema, table, routine or type does not exist. */
const GONE = new Set(['3F000', '42P01', '42883', '42704', 'P2021']);

/**
 * Makes `to` the owner of the database and of everything in it that `from` owns: schemas, tables with their indexes and sequences, views,
 * materialized views, sequences, routines and types. Objects of the system or of an extension are left alone. Each object changes in its
 * own transaction. After an interruption, another run continues where the previous one stopped. Returns the objects that changed. Throws
 * NOT_FOUND for a role that does not exist, AUTHORIZATION_ERROR where the connection's role may not change the owner, and CONFLICT for an
 * object that stays locked for `lockWaitMs` (default ten seconds).
 */
export async function handOverDatabase(
  { database }: { database: Database },
  { from, to, lockWaitMs = LOCK_WAIT_MS }: { from: string; to: string; lockWaitMs?: number },
): Promise<OwnedObject[]> {
  for (const role of [from, to]) await requireRole(database, role);
  const changed: OwnedObject[] = [];
  const objects = [...(await databaseOf(database, from)), ...(await objectsOf(database, from))];
  for (const object of objects) if (await changeOwner(database, object, { to, lockWaitMs })) changed.push(object);
  return changed;
}

async function requireRole(database: Database, role: string): Promise<void> {
  const found = await database.$queryRaw<unknown[]>`SELECT 1 AS found FROM pg_roles WHERE rolname = ${role}`;
  if (found.length === 0) throw notFound(`role ${role}`);
}

async function databaseOf(database: Database, role: string): Promise<OwnedObject[]> {
  return await database.$queryRaw<OwnedObject[]>`
    SELECT 'DATABASE' AS kind, quote_ident(datname) AS name FROM pg_database
    WHERE datname = current_database() AND pg_get_userbyid(datdba) = ${role}`;
}

/** Schemas come first, because the owner of an object must be allowed to create objects in its schema. */
async function objectsOf(database: Database, role: string): Promise<OwnedObject[]> {
  return await database.$queryRaw<OwnedObject[]>`
    WITH space AS (
      SELECT oid FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
    ), owned AS (
      SELECT 1 AS turn, 'pg_namespace'::regclass AS class, oid FROM pg_namespace
      WHERE oid IN (SELECT oid FROM space) AND pg_get_userbyid(nspowner) = ${role}
      UNION ALL
      SELECT 2, 'pg_class'::regclass, oid FROM pg_class
      WHERE relnamespace IN (SELECT oid FROM space) AND pg_get_userbyid(relowner) = ${role}
        AND relkind IN ('r', 'p', 'v', 'm', 'f')
      UNION ALL
      SELECT 3, 'pg_class'::regclass, oid FROM pg_class sequence
      WHERE relnamespace IN (SELECT oid FROM space) AND pg_get_userbyid(relowner) = ${role} AND relkind = 'S'
        -- The sequence of a column follows its table.
        AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = sequence.oid
          AND refclassid = 'pg_class'::regclass AND refobjsubid > 0 AND deptype IN ('a', 'i'))
      UNION ALL
      SELECT 4, 'pg_proc'::regclass, oid FROM pg_proc
      WHERE pronamespace IN (SELECT oid FROM space) AND pg_get_userbyid(proowner) = ${role}
      UNION ALL
      SELECT 5, 'pg_type'::regclass, type.oid FROM pg_type type LEFT JOIN pg_class rel ON rel.oid = type.typrelid
      WHERE typnamespace IN (SELECT oid FROM space) AND pg_get_userbyid(typowner) = ${role}
        -- The row type of a table and the array of a type follow theirs.
        AND (typtype IN ('e', 'd', 'r') OR (typtype = 'c' AND rel.relkind = 'c'))
    )
    SELECT upper(object.type) AS kind, object.identity AS name
    FROM owned, pg_identify_object(owned.class, owned.oid, 0) AS object
    WHERE NOT EXISTS (SELECT FROM pg_depend WHERE classid = owned.class AND objid = owned.oid AND deptype = 'e')
    ORDER BY owned.turn, object.identity`;
}

/** Returns false for an object that was dropped in the meantime. */
async function changeOwner(
  database: Database,
  { kind, name }: OwnedObject,
  { to, lockWaitMs }: { to: string; lockWaitMs: number },
): Promise<boolean> {
  try {
    await transaction(database, async (tx) => {
      await tx.$queryRaw`SELECT set_config('lock_timeout', ${String(lockWaitMs)}, true)`;
      await tx.$executeRawUnsafe(`ALTER ${kind} ${name} OWNER TO ${pg.escapeIdentifier(to)}`);
    });
    return true;
  } catch (error) {
    if (carriesCode(error, GONE)) return false;
    const what = `${kind.toLowerCase()} ${name}`;
    if (isLockTimeout(error)) {
      throw new GatewayError(
        'CONFLICT',
        `The ${what} is in use. Stop all parts of the installation, and run this again.`,
        {
          cause: error,
        },
      );
    }
    if (carriesCode(error, INSUFFICIENT_PRIVILEGE)) {
      const advice = 'Name a superuser in DATABASE_URL for this command.';
      throw new GatewayError(
        'AUTHORIZATION_ERROR',
        `The role of DATABASE_URL may not change the owner of the ${what} to ${to}. ${advice}`,
        {
          cause: error,
        },
      );
    }
    throw error;
  }
}
