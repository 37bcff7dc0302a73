/**
 * A database as one caller may write to it. Every transaction that is begun through it runs the caller's check as its first
 * statement, and a write outside a transaction gets one of its own, so that nothing is written past the check, whatever
 * the verb. Reads pass through.
 */
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';

/** Whether a caller may write: what that needs to be read, and what judges it. */
export type WriteCheck = {
  /** A query of at most one row; null where nothing is read. */
  query: Prisma.Sql | null;
  /** Throws where the caller may not write any more; given null where there is no row. */
  judge: (row: Record<string, unknown> | null) => void;
};

export type WriteGuard = {
  /** Made anew for each transaction, which runs its query as the first statement, or as a part of it. */
  check: () => WriteCheck;
  /** Runs a whole transaction when the caller has a place for it. */
  place?: <Answer>(work: () => Promise<Answer>) => Promise<Answer>;
};

type Work = (tx: Prisma.TransactionClient) => Promise<unknown>;
type Transact = (work: Work, options?: typeof transactionLimits) => Promise<unknown>;

/** At most 30 s, after waiting at most 10 s for a connection. */
export const transactionLimits = { maxWait: 10_000, timeout: 30_000 };

/** The verbs of a model that write nothing; any other, a future one too, is taken to write. */
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

/** Where a guarded database keeps its guard; nothing else has one. */
const guardKey = Symbol('guard');

/** `database` for one caller. It lives as long as the caller's request, and shares the connections of `database`. */
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
  // The traps answer whatever is asked of a client.
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

/** The database itself, for what belongs to the process and not to a caller; any other is its own. */
export function unguarded(database: PrismaClient): PrismaClient {
  return guardOf(database)?.source ?? database;
}

/**
 * Runs the check of a guarded database without a transaction, for what is only returned. A database without a guard passes,
 * and so does a transaction, which has been checked.
 */
export async function recheck(database: PrismaClient | Prisma.TransactionClient): Promise<void> {
  const guard = guardOf(database);
  if (guard) await pass(guard.source, guard.check());
}

async function pass(reader: Pick<Prisma.TransactionClient, '$queryRaw'>, { query, judge }: WriteCheck): Promise<void> {
  const rows = query ? await reader.$queryRaw<Record<string, unknown>[]>(query) : [];
  judge(rows[0] ?? null);
}

/** The guard of a guarded database; undefined for any other. */
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

/** A statement that begins with SELECT, as text, template or `Prisma.sql`. */
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
