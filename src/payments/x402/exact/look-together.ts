import { setTimeout as delay } from 'node:timers/promises';
import type { Database, ExactAuthorization } from '../../../../prisma/client.ts';

/** The next read of a process, and whose authorizations it includes. */
type Look = { ids: Set<string>; rows: Promise<ReadonlyMap<string, ExactAuthorization>> };

const LOOK_MS = 100;
const looks = new WeakMap<Database, Look>();

/**
 * Reads an authorization after a moment. All calls of a process that wait at the same time share one query, so that hundreds of callers that
 * wait for their outcomes do not take the connections of the database. Throws if there is no such authorization.
 */
export async function lookTogether(database: Database, id: string): Promise<ExactAuthorization> {
  const look = looks.get(database) ?? openLook(database);
  look.ids.add(id);
  const row = (await look.rows).get(id);
  if (!row) throw new Error(`There is no authorization ${id}.`);
  return row;
}

function openLook(database: Database): Look {
  const ids = new Set<string>();
  const read = async () => {
    await delay(LOOK_MS);
    looks.delete(database);
    const rows = await database.exactAuthorization.findMany({ where: { id: { in: [...ids] } } });
    return new Map(rows.map((row) => [row.id, row]));
  };
  const look = { ids, rows: read() };
  looks.set(database, look);
  return look;
}
