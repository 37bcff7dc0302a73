/**
 * A direct connection that stays open for long: it listens, or holds session advisory locks. It asks the server for a sign
 * of life now and then, so that a connection that is dead without a word ends here; `end` then tells its owner.
 */
import pg from 'pg';

export type SteadyClientOptions = {
  /** Without a pooler between. */
  url: string;
  name: string;
  /** Postgres ends the session, with its locks, when it has heard nothing for as long; without it, never. */
  sessionMs?: number | undefined;
};

const CONNECT_MS = 5_000;
const ANSWER_MS = 5_000;
const BEAT_MS = 10_000;
/** Signs of life within the time after which the session would be ended. */
const BEATS_A_SESSION = 4;

/** Not connected yet. The caller listens to `error`, and ends it. */
export function steadyClient({ url, name, sessionMs }: SteadyClientOptions): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: BEAT_MS,
    ...(sessionMs === undefined ? {} : { options: `-c idle_session_timeout=${sessionMs}` }),
  });
  const everyMs = sessionMs === undefined ? BEAT_MS : Math.min(BEAT_MS, sessionMs / BEATS_A_SESSION);
  let asking = false;
  const beat = () => {
    if (asking) return;
    asking = true;
    client
      .query('SELECT 1')
      // With a statement under way, ending destroys the socket.
      .catch(() => client.end().catch(() => undefined))
      .finally(() => {
        asking = false;
      });
  };
  client.once('connect', () => {
    const beating = setInterval(beat, everyMs);
    beating.unref();
    client.once('end', () => clearInterval(beating));
  });
  return client;
}
