/**
 * A database client restricted to what one caller may write. Every transaction begun through it runs the caller's check as its first
 * statement, and a write outside a transaction gets its own, so that no method can bypass the check. Reads pass through.
 */
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';

/** Checks whether a caller may write: what to read, and how to verify it. */
export type WriteCheck = {
  /** A query that returns at most one row, or null if the check reads nothing. */
  query: Prisma.Sql | null;
  /** Throws if the caller may no longer write. Receives null if there is no row. */
  verify: (row: Record<string, unknown> | null) => void;
};

export type WriteGuard = {
  /** Called for each transaction, which runs the check's query as its first statement, or as a part of it. */
  check: () => WriteCheck;
  /** Runs a whole transaction once the caller's concurrency limit allows it. */
  place?: <Answer>(work: () => Promise<Answer>) => Promise<Answer>;
};

type Work = (tx: Prisma.TransactionClient) => Promise<unknown>;
type Transact = (work: Work, options?: typeof transactionLimits) => Promise<unknown>;

/** At most 30 s, after waiting at most 10 s for a connection. */
export const transactionLimits = { maxWait: 10_000, timeout: 30_000 };

/** Model methods that only read. Any other method, including future ones, counts as a write. */
export const readingVerbs: ReadonlySet<string> = new Set([
  'findUnique',
  'findUniqueOrThrow',
  'findFirst',
  'findFirstOrThrow',
  'findMany',
  'count',
  'aggregate',
  'groupBy',
]);

const rawVerbs: ReadonlySet<string> = new Set(['$executeRaw', '$executeRawUnsafe', '$queryRaw', '$queryRawUnsafe']);

type Guard = Required<WriteGuard> & { source: PrismaClient };

/** The property that holds the guard of a guarded database. No other object has it. */
const guardKey = Symbol('guard');

/** Returns `database` restricted to one caller. It lasts as long as the caller's request, and shares the connections of `database`. */
export function guardedDatabase(database: PrismaClient, { check, place = (work) => work() }: WriteGuard): PrismaClient {
  const source = unguarded(database);
  const transact: Transact = (work, options = transactionLimits) =>
    place(() =>
      source.$transaction(async (tx) => {
        await pass(tx, check());
        return await work(tx);
      }, options),
    );
  const guard: Guard = { source, check, place };
  // The traps handle every property of a client.
  return new Proxy({} as PrismaClient, {
    has: (_target, name) => Reflect.has(source, name),
    get(_target, name) {
      if (name === '$transaction') return transact;
      if (name === guardKey) return guard;
      const value: unknown = Reflect.get(source, name);
      if (typeof value === 'function') return boundVerb(source, { name, value, transact });
      return isModel(name, value) ? guardedModel(value, { name, transact }) : value;
    },
  });
}

/** Returns the underlying database, for work that belongs to the process and not to a caller. An unguarded database is returned as is. */
export function unguarded(database: PrismaClient): PrismaClient {
  return guardOf(database)?.source ?? database;
}

/**
 * Runs the check of a guarded database without a transaction, for requests that only return data. An unguarded database passes, and so does
 * a transaction, which has already been checked.
 */
export async function recheck(database: PrismaClient | Prisma.TransactionClient): Promise<void> {
  const guard = guardOf(database);
  if (guard) await pass(guard.source, guard.check());
}

async function pass(reader: Pick<Prisma.TransactionClient, '$queryRaw'>, { query, verify }: WriteCheck): Promise<void> {
  const rows = query ? await reader.$queryRaw<Record<string, unknown>[]>(query) : [];
  verify(rows[0] ?? null);
}

/** Returns the guard of a guarded database, or undefined for any other. */
export function guardOf(database: object): Guard | undefined {
  return Reflect.get(database, guardKey);
}

function boundVerb(
  source: PrismaClient,
  { name, value, transact }: { name: string | symbol; value: unknown; transact: Transact },
): unknown {
  return (...args: unknown[]) => {
    const isWrite = typeof name === 'string' && rawVerbs.has(name) && !(name.startsWith('$query') && isSelect(args[0]));
    if (!isWrite) return Reflect.apply(value as () => unknown, source, args);
    return transact(async (tx) => Reflect.apply(Reflect.get(tx, name), tx, args));
  };
}

/** Whether a statement begins with SELECT, given as text, template or `Prisma.sql`. */
function isSelect(statement: unknown): boolean {
  const parts = typeof statement === 'object' && statement !== null ? Reflect.get(statement, 'strings') : undefined;
  const [first] = typeof statement === 'string' ? [statement] : Array.isArray(parts) ? parts : [Object(statement)[0]];
  return typeof first === 'string' && /^\s*SELECT\b/i.test(first);
}

function isModel(name: string | symbol, value: unknown): value is object {
  return typeof name === 'string' && /^[a-z]/.test(name) && typeof value === 'object' && value !== null;
}

function guardedModel(model: object, { name, transact }: { name: string | symbol; transact: Transact }): object {
  return new Proxy(model, {
    get(source, verb) {
      const value: unknown = Reflect.get(source, verb);
      if (typeof value !== 'function' || typeof verb !== 'string' || readingVerbs.has(verb)) return value;
      return (...args: unknown[]) =>
        transact(async (tx) => Reflect.apply(Reflect.get(Reflect.get(tx, name), verb), undefined, args));
    },
  });
}
