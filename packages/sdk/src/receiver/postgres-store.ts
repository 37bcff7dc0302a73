/** A cursor in PostgreSQL. Several processes can share it. The handler writes in its transaction, so events are handled exactly once. */
import type { CursorStore } from './cursor-store.ts';

/** The part of a `pg` client that is used. */
export type PostgresClient = {
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
  release(destroy?: boolean | Error): void;
};

/**
 * `pool` is a pool of `pg`. Writes of the handler through the client that it receives are committed together with the cursor, or
 * not at all. The table `sluice_cursor` is created if it is missing. Give each receiver its own `name`.
 */
export function postgresStore<Client extends PostgresClient>({
  pool,
  name = 'default',
  startAfter = 0,
}: {
  pool: { connect(): Promise<Client> };
  name?: string;
  startAfter?: number;
}): CursorStore<Client> {
  let isReady = false;
  const withClient = async <Result>(work: (client: Client) => Promise<Result>): Promise<Result> => {
    const client = await pool.connect();
    try {
      if (!isReady) await prepare(client, { name, startAfter });
      isReady = true;
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      // The connection is discarded with any state that the failed transaction left on it.
      client.release(true);
      throw error;
    }
  };
  return {
    load: () => withClient((client) => readCursor(client, 'SELECT sequence FROM sluice_cursor WHERE name = $1', name)),
    advance: ({ from, to }, work) =>
      withClient(async (client) => {
        await client.query('BEGIN');
        const locked = 'SELECT sequence FROM sluice_cursor WHERE name = $1 FOR UPDATE';
        if ((await readCursor(client, locked, name)) !== from) {
          await client.query('ROLLBACK');
          return false;
        }
        await work(client);
        await client.query('UPDATE sluice_cursor SET sequence = $2 WHERE name = $1', [name, to]);
        await client.query('COMMIT');
        return true;
      }),
  };
}

async function prepare(client: PostgresClient, { name, startAfter }: { name: string; startAfter: number }) {
  await client.query(
    'CREATE TABLE IF NOT EXISTS sluice_cursor (name text PRIMARY KEY, sequence integer NOT NULL CHECK (sequence >= 0))',
  );
  await client.query('INSERT INTO sluice_cursor (name, sequence) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    name,
    startAfter,
  ]);
}

async function readCursor(client: PostgresClient, text: string, name: string): Promise<number> {
  const { rows } = await client.query(text, [name]);
  const sequence = rows[0]?.sequence;
  if (typeof sequence !== 'number') throw new Error(`The cursor ${name} is missing from sluice_cursor.`);
  return sequence;
}
