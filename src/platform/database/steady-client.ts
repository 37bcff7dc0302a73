/**
 * A long-lived direct connection for notifications or session advisory locks. It queries the server periodically, so that a
 * connection that died silently is closed here; `end` then notifies its owner.
 */
import pg from 'pg';

export type SteadyClientOptions = {
  /** Must not go through a pooler. */
  url: string;
  name: string;
  /** Postgres ends the session and releases its locks after this much silence; never if omitted. */
  sessionMs?: number | undefined;
};

const CONNECT_MS = 5_000;
const ANSWER_MS = 5_000;
const BEAT_MS = 10_000;
/** The number of queries within the time after which the session would be ended. */
const BEATS_A_SESSION = 4;

/** Returns the client before it is connected. The caller listens for `error` and closes the client. */
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
      // While a statement is pending, ending the client destroys the socket.
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
