/**
 * The queue's worker runs jobs by name and frees the jobs of dead workers, which would otherwise stay locked for hours. Every
 * worker writes a heartbeat to `queue_worker`; when one is silent for 30 s, any other worker unlocks its jobs. A worker also
 * unlocks jobs that the database assigned to it in a response that never arrived. A job may therefore run twice: handlers read
 * their row again under its lock.
 */
import { EventEmitter } from 'node:events';
import { Logger, run, type Task, type WorkerEvents, type WorkerPool } from 'graphile-worker';
import pg from 'pg';
import { patientPool } from './database/patient-pool.ts';
import { FAILED, type JobDefinition, SUPERSEDED } from './jobs.ts';
import type { Log } from './log.ts';

export type JobHandler = (payload: unknown) => Promise<void>;
export type JobTable = ReadonlyMap<string, JobHandler>;

/** An entry of the table: parses the payload and calls the verb with it. */
export function jobEntry<Payload>(
  job: JobDefinition<Payload>,
  verb: (payload: Payload) => Promise<unknown>,
): [name: string, handler: JobHandler] {
  return [
    job.name,
    async (payload) => {
      await verb(job.payload.parse(payload));
    },
  ];
}

export type QueueOptions = {
  /** A direct connection without a pooler, because the queue listens for notifications on it. */
  url: string;
  jobs: JobTable;
  log: Log;
  /** Timeouts of the queue's own statements; waiting for a lock counts towards the statement's. */
  bounds?: QueueBounds;
  /** The number of concurrent jobs, which also determines the number of connections (default 6). */
  concurrency?: number;
  timing?: QueueTiming;
};

export type QueueBounds = { connectMs: number; statementMs: number; idleTransactionMs: number };

/** `retryMs` is how often a job that is out of attempts is retried (default 5 min). */
export type QueueTiming = { beatMs: number; silentMs: number; sweepMs: number; stopMs: number; retryMs?: number };

export type Queue = {
  /** Why no job would be taken now, one sentence each; empty while the worker is running. */
  faults(): string[];
  /** Takes no more jobs and waits at most `stopMs` for those that are running; those that do not finish in time run again. */
  stop(): Promise<void>;
};

/** The library's own poll interval, a fallback for the checks of this file. */
const POLL_MS = 30_000;
/** The longest interval between two checks for due jobs, while notifications are received and while they are not. */
const SLOW_LOOK_MS = 10_000;
const FAST_LOOK_MS = 1_000;
/** The delay of a check after a notification, because the announced job may be due before the next check. */
const ANNOUNCED_LOOK_MS = 250;
const RETRY_MS = 300_000;
const RETRY_BATCH = 100;
const defaultTiming: QueueTiming = { beatMs: 5_000, silentMs: 30_000, sweepMs: 15_000, stopMs: 20_000 };

const defaultBounds: QueueBounds = { connectMs: 5_000, statementMs: 15_000, idleTransactionMs: 10_000 };
/** Added to the statement timeout: Postgres cancels the statement first if it still responds. */
const SILENCE_MARGIN_MS = 2_000;
const KEEPALIVE_MS = 10_000;

/** Starts a worker of the queue, after unlocking the jobs of dead workers. */
export async function runQueue(options: QueueOptions): Promise<Queue> {
  const { log } = options;
  const timing = options.timing ?? defaultTiming;
  const concurrency = options.concurrency ?? 6;
  const pool = openPool(options, { max: concurrency + 2 });
  const lost = (error: Error) => log.warn({ error: error.message }, 'A connection of the queue was lost.');
  pool.on('error', lost);
  pool.on('connect', (client) => client.on('error', lost));
  const ids = new Set<string>();
  const events: WorkerEvents = new EventEmitter();
  events.setMaxListeners(100);
  // Jobs are locked by the pool, not by one of its workers.
  events.on('pool:create', ({ workerPool }) => ids.add(workerPool.id));
  let beaten = Promise.resolve();
  let beatAt = performance.now();
  const beat = () => {
    beaten = writeBeat(pool, [...ids]).then(() => {
      beatAt = performance.now();
    });
    return beaten;
  };
  const held = openHeldJobs(timing.silentMs);
  const waker = openWaker(pool, { events, concurrency, log });
  const sweep = async () => {
    await unlockSilent(pool, { log, silentMs: timing.silentMs });
    await unlockLost(pool, { log, silentMs: timing.silentMs, workers: [...ids], held: held.ids() });
    await healJobs(pool, { log, retryMs: timing.retryMs ?? RETRY_MS });
    waker.look();
  };
  const guarded = (work: () => Promise<void>) => () =>
    void work().catch((error: unknown) => log.warn({ error }, 'The heartbeat or the sweep of the queue failed.'));

  await sweep();
  const runner = await run({
    pgPool: patientPool(pool),
    concurrency,
    noHandleSignals: true,
    pollInterval: POLL_MS,
    gracefulShutdownAbortTimeout: timing.stopMs,
    events,
    logger: loggerOf(log),
    taskList: Object.fromEntries(
      [...options.jobs].map(([name, handler]) => [name, taskOf({ name, handler, held, log })]),
    ),
  });
  let hasEnded = false;
  runner.promise
    .catch((error: unknown) => log.error({ error }, 'The queue stopped.'))
    .finally(() => {
      hasEnded = true;
    });
  await beat();
  const beating = setInterval(guarded(beat), timing.beatMs);
  const sweeping = setInterval(guarded(sweep), timing.sweepMs);
  let stopping: Promise<void> | undefined;
  return {
    faults() {
      const silentMs = performance.now() - beatAt;
      if (hasEnded) return ['The queue no longer accepts jobs.'];
      // By now the other workers consider this one dead and take over its jobs.
      return silentMs > timing.silentMs
        ? [`The queue has not reported to the database for ${Math.round(silentMs / 1000)} s.`]
        : [];
    },
    stop: () => {
      stopping ??= stopQueue();
      return stopping;
    },
  };

  async function stopQueue(): Promise<void> {
    clearInterval(sweeping);
    waker.close();
    await runner.stop().catch((error: unknown) => log.warn({ error }, 'The queue did not stop cleanly.'));
    clearInterval(beating);
    // A pending heartbeat would insert the row again.
    await beaten.catch(() => undefined);
    await pool.query('DELETE FROM queue_worker WHERE id = ANY($1)', [[...ids]]).catch(() => undefined);
    await pool.end();
  }
}

type Waker = { look(): void; close(): void };

/**
 * Wakes the workers when jobs become due. Each of the library's workers polls for that on its own, but they learn of new jobs by
 * a notification, so a single check for the next due time is enough. While notifications are not received, it checks every
 * second.
 */
function openWaker(
  pool: pg.Pool,
  { events, concurrency, log }: { events: WorkerEvents; concurrency: number; log: Log },
): Waker {
  let workers: WorkerPool | undefined;
  let isListening = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  let looking = false;

  /** Checks after this many milliseconds, or earlier if an earlier check is scheduled already. */
  const lookWithin = (ms: number) => {
    const at = performance.now() + ms;
    if (closed || at >= dueAt) return;
    clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(() => void look(), ms);
    timer.unref();
  };
  const look = async () => {
    dueAt = Number.POSITIVE_INFINITY;
    if (looking) return lookWithin(ANNOUNCED_LOOK_MS);
    looking = true;
    const next = await readDue(pool).catch((error: unknown) => {
      log.debug({ error }, 'The queue could not be read.');
      return null;
    });
    looking = false;
    if (closed) return;
    if (next && next.due > 0) workers?.nudge(Math.min(next.due, concurrency));
    lookWithin(Math.min(next?.nextMs ?? FAST_LOOK_MS, isListening ? SLOW_LOOK_MS : FAST_LOOK_MS));
  };
  const onListening = (isUp: boolean) => () => {
    isListening = isUp;
    lookWithin(0);
  };
  events.on('pool:create', ({ workerPool }) => {
    workers = workerPool;
  });
  events.on('pool:listen:success', onListening(true));
  events.on('pool:listen:error', onListening(false));
  events.on('pool:listen:release', onListening(false));
  events.on('pool:listen:notification', () => lookWithin(ANNOUNCED_LOOK_MS));
  events.on('job:failed', () => lookWithin(ANNOUNCED_LOOK_MS));
  return {
    look: () => lookWithin(0),
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/** The number of jobs that are due, and the milliseconds until the next one is. */
async function readDue(pool: pg.Pool): Promise<{ due: number; nextMs: number }> {
  const { rows } = await pool.query<{ due: number; next: number | null }>(
    `SELECT count(*) FILTER (WHERE run_at <= now())::int AS due,
       (extract(epoch FROM min(run_at) FILTER (WHERE run_at > now()) - now()) * 1000)::float8 AS next
     FROM graphile_worker._private_jobs
     WHERE is_available AND run_at <= now() + interval '${SLOW_LOOK_MS} milliseconds'`,
  );
  return { due: rows[0]?.due ?? 0, nextMs: Math.ceil(rows[0]?.next ?? SLOW_LOOK_MS) };
}

function openPool({ url, bounds }: QueueOptions, { max }: { max: number }): pg.Pool {
  const { connectMs, statementMs, idleTransactionMs } = bounds ?? defaultBounds;
  return new pg.Pool({
    connectionString: url,
    max,
    application_name: 'sluice-queue',
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    query_timeout: statementMs + SILENCE_MARGIN_MS,
    idle_in_transaction_session_timeout: idleTransactionMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_MS,
  });
}

function taskOf({ name, handler, held, log }: { name: string; handler: JobHandler; held: HeldJobs; log: Log }): Task {
  return async (payload, { job }) => {
    held.take(job.id);
    try {
      await handler(payload);
    } catch (error) {
      log.error({ job: name, payload, error }, 'A job failed. It will be retried.');
      throw error;
    } finally {
      held.release(job.id);
    }
  };
}

/** The jobs that this process is running, and those that it finished so recently that the database may not know it yet. */
type HeldJobs = { take(id: string): void; release(id: string): void; ids(): string[] };

function openHeldJobs(lingerMs: number): HeldJobs {
  const holds = new Map<string, number>();
  const add = (id: string, count: number) => {
    const remaining = (holds.get(id) ?? 0) + count;
    if (remaining > 0) holds.set(id, remaining);
    else holds.delete(id);
  };
  return {
    take: (id) => add(id, 1),
    release: (id) => void setTimeout(() => add(id, -1), lingerMs).unref(),
    ids: () => [...holds.keys()],
  };
}

async function writeBeat(pool: pg.Pool, ids: string[]): Promise<void> {
  await pool.query(
    `INSERT INTO queue_worker (id, beat_at) SELECT unnest($1::text[]), now()
     ON CONFLICT (id) DO UPDATE SET beat_at = excluded.beat_at`,
    [ids],
  );
}

/**
 * Unlocks the jobs of silent workers: those whose last heartbeat is too old, and those that have held a job for that long without
 * ever writing a heartbeat.
 */
async function unlockSilent(pool: pg.Pool, { log, silentMs }: { log: Log; silentMs: number }): Promise<void> {
  const found = await pool.query<{ id: string }>(
    `DELETE FROM queue_worker WHERE beat_at < now() - $1 * interval '1 millisecond' RETURNING id`,
    [silentMs],
  );
  const unregistered = await pool.query<{ id: string }>(
    `SELECT DISTINCT locked_by AS id FROM graphile_worker.jobs
     WHERE locked_by IS NOT NULL AND locked_at < now() - $1 * interval '1 millisecond'
       AND locked_by NOT IN (SELECT id FROM queue_worker)`,
    [silentMs],
  );
  const silent = [...found.rows, ...unregistered.rows].map((row) => row.id);
  if (silent.length === 0) return;
  await pool.query('SELECT graphile_worker.force_unlock_workers($1::text[])', [silent]);
  log.warn({ workers: silent }, 'The jobs of workers that stopped responding were unlocked.');
}

/**
 * Unlocks jobs that are locked for this worker although it is not running them: the connection broke after the database had
 * locked them and before its response arrived, or before their completion was recorded. Otherwise they would stay locked for
 * hours.
 */
async function unlockLost(
  pool: pg.Pool,
  { log, silentMs, workers, held }: { log: Log; silentMs: number; workers: string[]; held: string[] },
): Promise<void> {
  const lost = await pool.query<{ id: string }>(
    `UPDATE graphile_worker._private_jobs SET locked_by = NULL, locked_at = NULL, updated_at = now()
     WHERE locked_by = ANY($1::text[]) AND locked_at < now() - $2 * interval '1 millisecond' AND id <> ALL($3::bigint[])
     RETURNING id`,
    [workers, silentMs, held],
  );
  if (lost.rows.length === 0) return;
  log.warn({ jobs: lost.rows.map((row) => row.id) }, 'Jobs whose delivery to this worker was lost were unlocked.');
}

/**
 * Removes the rows of superseded jobs that did not end on their own, and gives each job that is out of attempts one more attempt
 * every `retryMs`: at most 100 at a time, those waiting longest first. Handlers read their rows first and do nothing if nothing
 * is left to do, so a job whose purpose was achieved in another way ends here as well.
 */
async function healJobs(pool: pg.Pool, { log, retryMs }: { log: Log; retryMs: number }): Promise<void> {
  await pool.query(`DELETE FROM graphile_worker._private_jobs WHERE locked_at IS NULL AND flags ? '${SUPERSEDED}'`);
  const retried = await pool.query<{ id: string }>(
    `UPDATE graphile_worker._private_jobs
     SET attempts = max_attempts - 1, run_at = now(), updated_at = now(),
       flags = coalesce(flags, '{}'::jsonb) || '{"${FAILED}": true}'::jsonb
     WHERE id IN (
       SELECT id FROM graphile_worker._private_jobs
       WHERE locked_at IS NULL AND attempts >= max_attempts AND updated_at < now() - $1 * interval '1 millisecond'
       ORDER BY updated_at LIMIT ${RETRY_BATCH} FOR UPDATE SKIP LOCKED)
     RETURNING id`,
    [retryMs],
  );
  if (retried.rows.length === 0) return;
  log.warn({ jobs: retried.rows.map((row) => row.id) }, 'Jobs whose attempts had all failed are retried.');
}

function loggerOf(log: Log): Logger {
  return new Logger(() => (level, message, meta) => {
    if (level === 'error') log.error({ meta }, message);
    else if (level === 'warning') log.warn({ meta }, message);
    else log.debug({ meta }, message);
  });
}
