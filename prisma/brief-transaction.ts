/**
 * Hand-written transactions of two statements, for frequent operations. BEGIN is sent together with the first statement and COMMIT together
 * with the second, so that the transaction takes two round trips, and locks taken by the second statement are held only until the commit.
 * They use the connections of the database client with their timeouts, the guard's check, and the concurrency limit of the caller.
 * Everything else goes through Prisma.
 */
import { Writable } from 'node:stream';
import pg from 'pg';
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts';
import { quoteInexact } from './exact-numbers.ts';
import { guardOf, unguarded } from './guarded-database.ts';
import { NamedQuery } from './named-query.ts';
import type { statementNames } from './statement-names.ts';

export type BriefWork<Opened> = {
  /**
   * The first statement, which returns one row. It receives an SQL expression that yields the row for the guard's check, and must return it
   * as the column `caller`.
   */
  opening: (caller: Prisma.Sql) => Prisma.Sql;
  /**
   * The second statement, run after the check has passed. Null rolls back, as an error does. It is committed regardless of the rows it
   * returns, so a condition that must prevent the commit must raise an error inside the statement.
   */
  writing: (opened: Opened) => Prisma.Sql | null;
};

type Connections = { pool: pg.Pool; names: ReturnType<typeof statementNames> | undefined };

const kept = new WeakMap<PrismaClient, Connections>();

/** Registers the connections of a client. `names` is absent behind a connection pooler. */
export function keepConnections(database: PrismaClient, connections: Connections): void {
  kept.set(database, connections);
}

/**
 * Runs both statements in one transaction. Returns the rows of the second, with decimals, big integers, timestamps and JSON as Prisma
 * returns them, or undefined if `writing` returned null. Rejects with what the guard's check or `writing` threw, or with the database
 * error, whose `code` is its SQLSTATE.
 */
export async function briefTransaction<Opened, Row>(
  database: PrismaClient,
  { opening, writing }: BriefWork<Opened>,
): Promise<Row[] | undefined> {
  const { check, place } = guardOf(database) ?? unguardedWrites;
  const connections = connectionsOf(database);
  return await place(() =>
    onConnection(connections.pool, async (client) => {
      const { query, verify } = check();
      const caller = query ? Prisma.sql`(SELECT to_jsonb(found.*) FROM (${query}) AS found)` : Prisma.sql`NULL::jsonb`;
      const [, { rows }] = await sendBoth(client, BEGIN, configOf(connections, opening(caller)));
      const opened = rows[0];
      if (opened?.caller === undefined) throw new Error('The first statement answers no row with a column `caller`.');
      verify(opened.caller);
      const statement = writing(opened);
      if (!statement) return undefined;
      const [written] = await sendBoth(client, configOf(connections, statement), COMMIT);
      return written.rows;
    }),
  );
}

/** A statement with its parameters. */
export type Statement = Pick<Prisma.Sql, 'text' | 'values'>;

/** Runs one statement in its own transaction and returns its rows, with values as `briefTransaction` returns them. */
export async function runStatement<Row>(database: PrismaClient, statement: Statement): Promise<Row[]> {
  const connections = connectionsOf(database);
  try {
    const { pool } = connections;
    const config = configOf(connections, statement);
    // The pool returns a promise for a query object too, contrary to its types.
    const answered: unknown = config.name ? pool.query(new NamedQuery(config)) : pool.query(config);
    const { rows } = (await answered) as pg.QueryResult<Row & pg.QueryResultRow>;
    return rows;
  } catch (error) {
    throw withSqlState(error);
  }
}

const BEGIN: pg.QueryConfig = { text: 'BEGIN' };
const COMMIT: pg.QueryConfig = { text: 'COMMIT' };
const ROLLBACK: pg.QueryConfig = { text: 'ROLLBACK' };
/** The transaction status outside a transaction. */
const IDLE = 'I';

const unguardedWrites = {
  check: () => ({ query: null, verify: () => undefined }),
  place: <Answer>(work: () => Promise<Answer>) => work(),
};

function connectionsOf(database: PrismaClient): Connections {
  const found = kept.get(unguarded(database));
  if (!found) throw new Error('This database was not opened by openDatabase or openBoundedDatabase.');
  return found;
}

/**
 * Runs `work` on a connection of the pool. Rolls back a transaction that is still open when `work` fails or returns early, and releases the
 * connection.
 */
async function onConnection<Answer>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<Answer>): Promise<Answer> {
  const client = await pool.connect().catch((error: unknown) => {
    throw withSqlState(error);
  });
  // If the connection breaks, the pending statement rejects. Without this listener, the event would end the process.
  const ignore = () => undefined;
  client.on('error', ignore);
  let broken = false;
  try {
    return await work(client);
  } finally {
    if (client.getTransactionStatus() !== IDLE) {
      await client.query(ROLLBACK).catch(() => {
        broken = true;
      });
    }
    client.off('error', ignore);
    client.release(broken);
  }
}

type Results = [pg.QueryResult, pg.QueryResult];

/** Sends both without waiting for the first result. Postgres treats a COMMIT that follows a failed statement as a ROLLBACK. */
async function sendBoth(client: pg.PoolClient, first: pg.QueryConfig, second: pg.QueryConfig): Promise<Results> {
  try {
    const [one, two] = await Promise.allSettled(
      client.pipeline ? together(client, first, second) : await inTurn(client, first, second),
    );
    if (one.status === 'rejected') throw one.reason;
    if (two.status === 'rejected') throw two.reason;
    return [one.value, two.value];
  } catch (error) {
    throw withSqlState(error);
  }
}

type Sent = [Promise<pg.QueryResult>, Promise<pg.QueryResult>];

/** Sends both in one write to the socket, so that they leave as one packet. */
function together(client: pg.PoolClient, first: pg.QueryConfig, second: pg.QueryConfig): Sent {
  const stream: unknown = Reflect.get(Object(Reflect.get(client, 'connection')), 'stream');
  if (!(stream instanceof Writable)) return [client.query(first), client.query(second)];
  stream.cork();
  try {
    return [client.query(first), client.query(second)];
  } finally {
    stream.uncork();
  }
}

async function inTurn(client: pg.PoolClient, first: pg.QueryConfig, second: pg.QueryConfig): Promise<Sent> {
  const answered = client.query(first);
  await answered;
  return [answered, client.query(second)];
}

function configOf({ names }: Connections, statement: Statement): pg.QueryConfig {
  const { text } = statement;
  const values = statement.values.map(bound);
  const name = names?.({ sql: text, args: values });
  return { text, values, types: exactTypes, ...(name ? { name } : {}) };
}

/** Converts a value to the form that Postgres parses. JSON is passed as text. */
function bound(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'bigint') return String(value);
  return Prisma.Decimal.isDecimal(value) ? value.toFixed() : value;
}

const exactParsers = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.INT8, BigInt],
  [pg.types.builtins.NUMERIC, (text) => new Prisma.Decimal(text)],
  [pg.types.builtins.JSON, readJson],
  [pg.types.builtins.JSONB, readJson],
]);

const exactTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    exactParsers.get(oid) ?? pg.types.getTypeParser(oid, format ?? 'text'),
};

function readJson(text: string): unknown {
  return JSON.parse(quoteInexact(text));
}

/** SQLSTATE codes for the connection errors and timeouts of the operating system and the driver. */
const sqlStates = new Map([
  ['ECONNREFUSED', '08001'],
  ['ECONNRESET', '08006'],
  ['ETIMEDOUT', '57014'],
]);

function withSqlState(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const code = sqlStates.get(String(error.code));
  return code === undefined ? error : Object.assign(error, { code });
}
