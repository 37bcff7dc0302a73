/**
 * Session advisory locks on one direct connection. A lock ends with its connection, so a dead process holds none, and Postgres
 * closes the connection of a process that hangs. Work done under a lock must stay correct when the lock is lost: the lock only
 * saves other processes from duplicate work.
 */
import type pg from 'pg';
import { steadyClient } from './database/steady-client.ts';
import type { Log } from './log.ts';

export type AdvisoryLocks = {
  /** Runs `work` while holding the lock of that name. Returns false at once if it is held elsewhere. */
  tryWith(name: string, work: () => Promise<void>): Promise<boolean>;
  close(): Promise<void>;
};

/** A process that stays silent for this long loses its locks. */
const SESSION_MS = 20_000;

/** `url` must not go through a transaction pooler. Connects on first use, and again after a lost connection. */
export function openAdvisoryLocks({
  url,
  log,
  sessionMs = SESSION_MS,
}: {
  url: string;
  log: Log;
  sessionMs?: number | undefined;
}): AdvisoryLocks {
  const held = new Set<string>();
  let connection: Promise<pg.Client> | null = null;

  const forget = (lost: Promise<pg.Client>) => {
    if (connection === lost) connection = null;
  };
  const connect = (): Promise<pg.Client> => {
    if (connection) return connection;
    const client = steadyClient({ url, name: 'sluice-locks', sessionMs });
    const opening = client.connect().then(() => client);
    client.on('error', (error) => {
      log.warn({ error: error.message }, 'The connection that holds locks was lost.');
      forget(opening);
    });
    client.on('end', () => forget(opening));
    opening.catch(() => forget(opening));
    connection = opening;
    return opening;
  };

  return {
    async tryWith(name, work) {
      // A session can acquire its own lock twice, so this process tracks what it holds itself.
      if (held.has(name)) return false;
      held.add(name);
      try {
        const client = await connect();
        const answer = await client.query<{ ok: boolean }>(
          'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS ok',
          [name],
        );
        if (!answer.rows[0]?.ok) return false;
        try {
          await work();
        } finally {
          await client.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [name]).catch(() => undefined);
        }
        return true;
      } finally {
        held.delete(name);
      }
    },
    async close() {
      const open = connection;
      connection = null;
      if (open) await open.then((client) => client.end()).catch(() => undefined);
    },
  };
}
