import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from '../child-process.ts';
import { type LocalPostgres, type StartPostgresOptions, startPostgres } from './postgres.ts';

const LOOK_MS = 500;
const RESTART_LIMIT = 5;
const RESTART_SPAN_MS = 60_000;
const START_PAUSE_MS = 1_000;

/**
 * Starts Postgres and restarts it on the same data when it ends by itself, at most five times a minute, before giving up. Clients find
 * their connections broken and reconnect.
 */
export async function keepPostgres(
  options: StartPostgresOptions,
  world: { log: (line: string) => void; onGivenUp: () => void },
): Promise<LocalPostgres> {
  const first = await startPostgres(options);
  const stopping = new AbortController();
  let current = first;
  const restarts: number[] = [];

  /** The processes of a killed server need a moment to exit, and a start before that fails. */
  const startAgain = async (): Promise<LocalPostgres> => {
    for (;;) {
      const now = Date.now();
      while (restarts[0] !== undefined && now - restarts[0] > RESTART_SPAN_MS) restarts.shift();
      restarts.push(now);
      try {
        return await startPostgres(options);
      } catch (error) {
        if (stopping.signal.aborted || restarts.length > RESTART_LIMIT) throw error;
        await delay(START_PAUSE_MS, undefined, { signal: stopping.signal });
      }
    }
  };
  const watch = async () => {
    while (!stopping.signal.aborted) {
      await delay(LOOK_MS, undefined, { signal: stopping.signal });
      if (isAlive(current.pid)) continue;
      if (restarts.length > RESTART_LIMIT) throw new Error('Postgres exited too often.');
      world.log('Postgres exited and is restarted.');
      current = await startAgain();
    }
  };
  const watching = watch().catch((error: unknown) => {
    if (stopping.signal.aborted) return;
    world.log(`Postgres is not restarted any more: ${error instanceof Error ? error.message : String(error)}`);
    world.onGivenUp();
  });
  return {
    url: first.url,
    adminUrl: first.adminUrl,
    pid: first.pid,
    async stop() {
      stopping.abort();
      await watching;
      await current.stop();
    },
  };
}
