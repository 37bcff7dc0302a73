/**
 * The connections of one database client, in pools that cannot exhaust each other: transactions and other writes, reads, and connections
 * reserved for credentials and health. Every wait has a timeout: for a connection, for a lock, for a statement, for the next statement of a
 * transaction, and for a server that does not respond at all.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';

/** All values are in milliseconds. */
export type DatabaseBounds = {
  /** Limit for a free connection, and for establishing a new one. */
  connectMs: number;
  lockMs: number;
  statementMs: number;
  /** Limit between two statements of a transaction. Postgres then ends the transaction of the idle client. */
  idleTransactionMs: number;
};

export type DatabasePools = { url: string; isPooled: boolean; writes: number; reads: number; bounds: DatabaseBounds };

/** A small pool of connections reserved for one purpose. */
export type Lane = 'credentials' | 'health';

const laneSizes: Record<Lane, number> = { credentials: 2, health: 1 };
/** Added to the statement timeout, so that Postgres cancels the statement first if it still responds. */
const SILENCE_MARGIN_MS = 2_000;
/** The server closes the connection of an unreachable client after a minute. */
const SERVER_KEEPALIVE = '-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3';
const CLIENT_KEEPALIVE_MS = 10_000;

const lanes = new AsyncLocalStorage<Lane | undefined>();

/** Makes statements of `work` that run outside a transaction use that lane's connections. Undefined selects the shared pools. */
export function inLane<Answer>(lane: Lane | undefined, work: () => Promise<Answer>): Promise<Answer> {
  // Awaited inside the callback, because Prisma starts a statement only when it is awaited.
  return lanes.run(lane, async () => await work());
}

/** `pool` acts as one pool for the driver adapter, and its `end` closes all pools, which `pools` lists. */
export type OpenedPools = { pool: pg.Pool; pools: readonly pg.Pool[] };

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
  return { pool, pools };
}

/** The connection settings for these timeouts. A connection pooler rejects the settings that Postgres enforces. */
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
  // Without a connection pooler, independent statements are pipelined.
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
 * Closes a connection on which a statement received no response or which leads to a standby, because the pool would otherwise give it to
 * the next caller. BEGIN must complete within the connection timeout, and sets the transaction's timeouts where the connection cannot keep
 * them.
 */
function guardClient(client: pg.PoolClient, { bounds, isPooled }: { bounds: DatabaseBounds; isPooled: boolean }): void {
  const query: Query = client.query.bind(client);
  const begin = isPooled ? `BEGIN; ${localBounds(bounds)}` : 'BEGIN';
  const guarded: Query = (statement, ...rest) => {
    const asked = isBegin(statement) ? { ...statement, text: begin, query_timeout: bounds.connectMs } : statement;
    const answer = query(asked, ...rest);
    if (!(answer instanceof Promise)) return answer;
    return answer.catch((error: unknown) => {
      if (isSilence(error) || isReadOnly(error)) void client.end();
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

/** True when a server that was the primary, or never was, refuses a write. A new connection may reach the primary. */
function isReadOnly(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '25006';
}

/**
 * Adds an error code where the driver has set none. Without one, the adapter cannot distinguish a lost connection or a timeout from a bug.
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

/** When several addresses all refuse, the driver reports one error without a system call name. */
const UNREACHED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN', 'ENOTFOUND']);
const LOST = /connection terminated|not queryable|connection ended|timeout expired/i;
