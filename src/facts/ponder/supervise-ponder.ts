import { type ChildProcess, spawn } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { AdvisoryLocks } from '../../platform/advisory-locks.ts';
import { frugalAllocator } from '../../platform/frugal-allocator.ts';
import type { Log } from '../../platform/log.ts';
import { type IndexedChain, indexerFolder, ponderSchema } from './ponder-settings.ts';

export type PonderSupervisor = {
  /** The schema of this build; readers use the views. */
  schema: string;
  /** Whether this process runs Ponder rather than another one. Resolves once it has tried to acquire the lock for the first time. */
  leads(): Promise<boolean>;
  /** Ends Ponder, which is then restarted. Used if Ponder runs and makes no progress. */
  restart(): void;
  stop(): Promise<void>;
};

/** Ponder itself, without npm's launcher, which would leave Ponder running when the launcher is killed. */
const ponderFile = fileURLToPath(new URL('../../../node_modules/ponder/dist/esm/bin/ponder.js', import.meta.url));

/** Loaded before Ponder. */
const PRELOADED = [
  join(indexerFolder, 'leave-with-parent.ts'),
  join(indexerFolder, 'sample-event-loop-seldom.ts'),
  fileURLToPath(new URL('collect-ponder-garbage.ts', import.meta.url)),
];

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** Ponder is restarted at once if it ran at least this long. */
const HEALTHY_MS = 120_000;
const STOP_LIMIT_MS = 10_000;
/** How often a process on standby tries to take over. */
const STANDBY_PAUSE_MS = 1_000;

/**
 * Runs Ponder as a process with an environment of its own and restarts it when it ends: after one second at first, then after twice
 * the last pause, at most a minute. Of several processes with the same database and build, the one that holds an advisory lock runs it, and
 * ends it when the lock is lost. Its memory is limited; Ponder divides it by threads + 1, and a heap of 256 MiB is too small.
 */
export function supervisePonder(
  world: { log: Log; locks: AdvisoryLocks },
  options: { databaseUrl: string; viewsSchema: string; port: number; chains: readonly IndexedChain[] },
): PonderSupervisor {
  const schema = ponderSchema(options.viewsSchema, options.chains);
  const stopping = new AbortController();
  let child: ChildProcess | undefined;
  const end = () => {
    const current = child;
    if (current?.exitCode !== null || current.signalCode !== null) return;
    current.kill('SIGTERM');
    setTimeout(() => current.kill('SIGKILL'), STOP_LIMIT_MS).unref();
  };
  let pauseMs = FIRST_PAUSE_MS;
  let isLeading = false;
  const tried = Promise.withResolvers<void>();
  const lead = async (lost: AbortSignal) => {
    isLeading = true;
    tried.resolve();
    lost.addEventListener('abort', () => {
      isLeading = false;
      end();
    });
    const over = AbortSignal.any([stopping.signal, lost]);
    while (!over.aborted) {
      const startedAt = performance.now();
      child = spawnPonder(schema, options);
      const reason = await ended(child, world.log);
      if (stopping.signal.aborted) return;
      if (performance.now() - startedAt > HEALTHY_MS) pauseMs = FIRST_PAUSE_MS;
      world.log.warn({ reason, pauseMs }, 'Ponder has exited and is restarted.');
      await delay(pauseMs, undefined, { signal: over }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  };
  const run = async () => {
    let isWarned = false;
    while (!stopping.signal.aborted) {
      await world.locks.tryWith(`ponder:${schema}`, lead).then(
        () => {
          isWarned = false;
        },
        (error: unknown) => {
          if (!isWarned) world.log.warn({ error }, 'Ponder is not running, because its lock cannot be acquired.');
          isWarned = true;
        },
      );
      isLeading = false;
      tried.resolve();
      await delay(STANDBY_PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    schema,
    leads: async () => {
      await tried.promise;
      return isLeading;
    },
    restart: end,
    async stop() {
      stopping.abort();
      end();
      await running;
    },
  };
}

function spawnPonder(schema: string, options: Parameters<typeof supervisePonder>[1]): ChildProcess {
  const arguments_ = ['start', '--root', indexerFolder, '--schema', schema, '--views-schema', options.viewsSchema];
  arguments_.push('--hostname', '127.0.0.1', '--port', String(options.port), '--log-format', 'json');
  const flags = ['--max-old-space-size=768', '--max-semi-space-size=4'];
  for (const file of PRELOADED) flags.push('--import', file);
  const compiled = getCompileCacheDir();
  return spawn(process.execPath, [...flags, ponderFile, ...arguments_], {
    cwd: indexerFolder,
    // This process's environment is not passed on, because the API's PORT would override Ponder's.
    env: {
      DATABASE_URL: options.databaseUrl,
      SLUICE_INDEXER: JSON.stringify(options.chains),
      PONDER_TELEMETRY_DISABLED: '1',
      PONDER_MAX_THREADS: '1',
      // Otherwise the bundler's allocator keeps the memory that the build used.
      MIMALLOC_PURGE_DELAY: '0',
      ...frugalAllocator,
      PONDER_CACHE_BYTES: String(32 * 1024 * 1024),
      NODE_ENV: 'production',
      NO_COLOR: '1',
      // The directory of this version of Node is inside the one that was configured.
      ...(compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) }),
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
}

async function ended(child: ChildProcess, log: Log): Promise<string> {
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on('line', (line) => pass(log, line));
  }
  return await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
}

/** Passes Ponder's warnings and errors to the log. Its line for each block is logged for debugging. */
function pass(log: Log, line: string): void {
  const level = /"level":"?(fatal|error|warn|50|60|40)/.exec(line)?.[1];
  if (level === undefined) log.debug({ ponder: line }, 'Ponder');
  else if (level === 'warn' || level === '40') log.warn({ ponder: line }, 'Ponder reported a warning.');
  else log.error({ ponder: line }, 'Ponder reported an error.');
}
