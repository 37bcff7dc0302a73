/**
 * Session advisory locks on one direct connection. A lock ends with its connection, so a dead process holds none, and Postgres
 * closes the connection of a process that hangs. Work done under a lock must stay correct when the lock is lost: the lock only
 * saves other processes from duplicate work.
 */
import type pg from 'pg';
import { steadyClient } from './database/steady-client.ts';
import type { Log } from './log.ts';

export type AdvisoryLocks = {
  /**
   * Runs `work` while holding the lock of that name. Returns false at once if it is held elsewhere. `lost` is aborted when the connection
   * that holds the lock ends, after which another process may acquire it.
   */
  tryWith(name: string, work: (lost: AbortSignal) => Promise<void>): Promise<boolean>;
  close(): Promise<void>;
};

/** The connection, and what is aborted when it ends. */
type Held = { opening: Promise<pg.Client>; ended: AbortController };

/** Null on a standby, whose locks are independent of those of the primary. */
const ACQUIRE = `SELECT CASE WHEN NOT pg_is_in_recovery() THEN pg_try_advisory_lock(hashtextextended($1, 0)) END AS ok`;

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
  let connection: Held | null = null;

  const forget = (lost: Held) => {
    if (connection === lost) connection = null;
    lost.ended.abort();
  };
  const connect = (): Held => {
    if (connection) return connection;
    const client = steadyClient({ url, name: 'sluice-locks', sessionMs });
    const made: Held = { opening: client.connect().then(() => client), ended: new AbortController() };
    client.on('error', (error) => {
      log.warn({ error: error.message }, 'The connection that holds locks was lost.');
      forget(made);
    });
    client.on('end', () => forget(made));
    made.opening.catch(() => forget(made));
    connection = made;
    return made;
  };

  return {
    async tryWith(name, work) {
      // A session can acquire its own lock twice, so this process tracks what it holds itself.
      if (held.has(name)) return false;
      held.add(name);
      try {
        const { opening, ended } = connect();
        const client = await opening;
        const answer = await client.query<{ ok: boolean | null }>(ACQUIRE, [name]);
        const ok = answer.rows[0]?.ok;
        // The next attempt opens a connection, which may reach the primary.
        if (ok === null) await client.end().catch(() => undefined);
        if (!ok) return false;
        try {
          await work(ended.signal);
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
      if (open) await open.opening.then((client) => client.end()).catch(() => undefined);
    },
  };
}
