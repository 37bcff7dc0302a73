/**
 * The connections of one database client, in pools that cannot starve each other: transactions and other writes, reads, and
 * places kept for credentials and health. Every wait is bounded: for a connection, for a lock, for a statement, for the
 * next statement of a transaction, and for a server that does not answer at all.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';

/** All in milliseconds. */
export type DatabaseBounds = {
  /** For a free connection, and for a new one to be established. */
  connectMs: number;
  lockMs: number;
  statementMs: number;
  /** Between two statements of a transaction: Postgres then ends a transaction whose client stands still. */
  idleTransactionMs: number;
};

export type DatabasePools = { url: string; isPooled: boolean; writes: number; reads: number; bounds: DatabaseBounds };

/** A pool of few places that nothing else takes. */
export type Lane = 'credentials' | 'health';

const laneSizes: Record<Lane, number> = { credentials: 2, health: 1 };
/** Beyond the bound of a statement: Postgres ends the statement first, if it still answers. */
const SILENCE_MARGIN_MS = 2_000;
/** A client whose machine is gone without a word has its connection closed after a minute. */
const SERVER_KEEPALIVE = '-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3';
const CLIENT_KEEPALIVE_MS = 10_000;

const lanes = new AsyncLocalStorage<Lane | undefined>();

/** Statements of `work` outside a transaction use that lane's connections; undefined: those of everybody. */
export function inLane<Answer>(lane: Lane | undefined, work: () => Promise<Answer>): Promise<Answer> {
  // Awaited inside, because Prisma begins a statement when it is awaited.
  return lanes.run(lane, async () => await work());
}

/** `pool` is what the driver adapter takes for one pool, whose `end` ends all of them; `pools` are those behind it, `reads` among them. */
export type OpenedPools = { pool: pg.Pool; reads: pg.Pool; pools: readonly pg.Pool[] };

export function openPools(options: DatabasePools): OpenedPools {
  const { bounds } = options;
  const short = { ...bounds, statementMs: Math.min(bounds.statementMs, bounds.connectMs) };
  const writes = openPool(options, { name: 'sluice-writes', max: options.writes, bounds });
  const reads = openPool(options, { name: 'sluice-reads', max: options.reads, bounds });
  const lanePools: Record<Lane, pg.Pool> = {
    credentials: openPool(options, { name: 'sluice-credentials', max: laneSizes.credentials, bounds: short }),
    health: openPool(options, { name: 'sluice-health', max: laneSizes.health, bounds: short }),
  };
  const pools = [writes, reads, ...Object.values(lanePools)];

  function poolFor(statement: unknown): pg.Pool {
    const lane = lanes.getStore();
    if (lane) return lanePools[lane];
    return isRead(statement) ? reads : writes;
  }

  async function query(statement: pg.QueryConfig): Promise<unknown> {
    return await poolFor(statement)
      .query(statement)
      .catch((error: unknown) => {
        throw coded(error);
      });
  }

  async function connect(): Promise<pg.PoolClient> {
    return await writes.connect().catch((error: unknown) => {
      throw coded(error);
    });
  }

  const end = async () => void (await Promise.all(pools.map((pool) => pool.end())));
  const pool = new Proxy(writes, {
    get(target, name) {
      if (name === 'query') return query;
      if (name === 'connect') return connect;
      if (name === 'end') return end;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { pool, reads, pools };
}

/** The settings of a connection that is bounded in this way; a pooler between refuses those that Postgres is to keep. */
function connectionOf({ url, isPooled }: Pick<DatabasePools, 'url' | 'isPooled'>, bounds: DatabaseBounds) {
  const ours = {
    connectionString: url,
    connectionTimeoutMillis: bounds.connectMs,
    query_timeout: bounds.statementMs + SILENCE_MARGIN_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: CLIENT_KEEPALIVE_MS,
  };
  if (isPooled) return ours;
  return {
    ...ours,
    lock_timeout: bounds.lockMs,
    statement_timeout: bounds.statementMs,
    idle_in_transaction_session_timeout: bounds.idleTransactionMs,
    options: SERVER_KEEPALIVE,
  };
}

function openPool(
  options: DatabasePools,
  { name, max, bounds }: { name: string; max: number; bounds: DatabaseBounds },
): pg.Pool {
  // Statements that need not wait for each other are sent together, where no pooler stands between.
  const pool = new pg.Pool({
    ...connectionOf(options, bounds),
    max,
    application_name: name,
    pipeline: !options.isPooled,
  });
  // A connection that breaks while idle is replaced at the next statement.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => guardClient(client, { bounds, isPooled: options.isPooled }));
  return pool;
}

type Query = (...args: unknown[]) => unknown;

/**
 * A connection on which a statement got no answer is closed, for the pool would give it to the next caller; a transaction
 * begins within the time for a connection, and sets its bounds where the connection cannot keep them.
 */
function guardClient(client: pg.PoolClient, { bounds, isPooled }: { bounds: DatabaseBounds; isPooled: boolean }): void {
  const query: Query = client.query.bind(client);
  const begin = isPooled ? `BEGIN; ${localBounds(bounds)}` : 'BEGIN';
  const guarded: Query = (statement, ...rest) => {
    const asked = isBegin(statement) ? { ...statement, text: begin, query_timeout: bounds.connectMs } : statement;
    const answer = query(asked, ...rest);
    if (!(answer instanceof Promise)) return answer;
    return answer.catch((error: unknown) => {
      if (isSilence(error)) void client.end();
      throw coded(error);
    });
  };
  Reflect.set(client, 'query', guarded);
}

function localBounds({ lockMs, statementMs, idleTransactionMs }: DatabaseBounds): string {
  return [
    `SET LOCAL lock_timeout = ${lockMs}`,
    `SET LOCAL statement_timeout = ${statementMs}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${idleTransactionMs}`,
  ].join('; ');
}

function isBegin(statement: unknown): statement is pg.QueryConfig {
  return textOf(statement) === 'BEGIN';
}

function isRead(statement: unknown): boolean {
  return /^\s*SELECT\b/i.test(textOf(statement) ?? '');
}

function textOf(statement: unknown): string | undefined {
  const text = typeof statement === 'object' && statement !== null ? Reflect.get(statement, 'text') : undefined;
  return typeof text === 'string' ? text : undefined;
}

function isSilence(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/**
 * Adds an error code where the driver has set none. Without one the adapter could not tell a lost connection or a timeout
 * from a bug.
 */
function coded(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error.message === 'timeout exceeded when trying to connect') {
    return Object.assign(error, { code: '53300', severity: 'ERROR' });
  }
  if (isSilence(error)) return Object.assign(error, { code: 'ETIMEDOUT', errno: -110, syscall: 'read' });
  const code = 'code' in error ? String(error.code) : '';
  if (UNREACHED.has(code)) return Object.assign(error, { code: 'ECONNREFUSED', errno: -111, syscall: 'connect' });
  if (code === 'EPIPE' || (code === '' && LOST.test(error.message))) {
    return Object.assign(error, { code: 'ECONNRESET', errno: -104, syscall: 'read' });
  }
  return error;
}

/** Several addresses that all refused are one fault without the name of a system call. */
const UNREACHED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN', 'ENOTFOUND']);
const LOST = /connection terminated|not queryable|connection ended|timeout expired/i;
