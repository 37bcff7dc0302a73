/** The database: one typed client per process, and the transaction that every change runs in. */
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { type Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { keepConnections } from './brief-transaction.ts';
import { type DatabasePools, type OpenedPools, openPools } from './database-pools.ts';
import { exactNumbers } from './exact-numbers.ts';
import { transactionLimits, unguarded } from './guarded-database.ts';
import { type OwnChanges, ownChangesAre, watchPool } from './own-changes.ts';
import { statementNames } from './statement-names.ts';

export * from '../generated/prisma/client.ts';
export { onOwnChange } from './own-changes.ts';

export type Database = PrismaClient;
export type DatabaseTransaction = Prisma.TransactionClient;

type AfterCommit = (database: Database) => void;

const afterCommits = new WeakMap<DatabaseTransaction, AfterCommit[]>();

/**
 * Opens a pool of at most `poolSize` connections (default 5). Set `isPooled` (default false) if the URL points to a connection pooler,
 * whose connections must not keep session state. The caller disconnects with `database.$disconnect()`.
 */
export function openDatabase(options: { url: string; poolSize?: number; isPooled?: boolean }): Database {
  const { url, poolSize = 5, isPooled = false } = options;
  const pool = new pg.Pool({ connectionString: url, max: poolSize, pipeline: !isPooled });
  return openOn({ pool, pools: [pool] }, isPooled);
}

/** Opens separate connection pools for writes, for reads, and for the lanes `credentials` and `health`, all with timeouts. */
export function openBoundedDatabase(options: DatabasePools): Database {
  return openOn(openPools(options), options.isPooled);
}

/** Prisma and hand-written statements share the connections, the names of prepared statements, and the listeners for credential changes. */
function openOn({ pool, pools }: OpenedPools, isPooled: boolean): Database {
  const changes: OwnChanges = new Set();
  for (const each of pools) watchPool(each, changes);
  const names = isPooled ? undefined : statementNames();
  const adapter = new PrismaPg(pool, {
    disposeExternalPool: true,
    ...(names ? { statementNameGenerator: names } : {}),
  });
  const database = new PrismaClient({ adapter: exactNumbers(adapter) });
  keepConnections(database, { pool, names });
  ownChangesAre(database, changes);
  return database;
}

/** Runs `work` in one transaction of at most 30 s. Waits at most 10 s for a connection. */
export async function transaction<Result>(
  database: Database,
  work: (tx: DatabaseTransaction) => Promise<Result>,
): Promise<Result> {
  let committed: AfterCommit[] = [];
  const result = await database.$transaction(async (tx) => {
    const answer = await work(tx);
    committed = afterCommits.get(tx) ?? [];
    return answer;
  }, transactionLimits);
  for (const callback of committed) callback(unguarded(database));
  return result;
}

/** Calls `callback` once the transaction has committed, and never if it does not. `callback` must not throw. */
export function afterCommit(tx: DatabaseTransaction, callback: AfterCommit): void {
  const waiting = afterCommits.get(tx);
  if (waiting) waiting.push(callback);
  else afterCommits.set(tx, [callback]);
}
