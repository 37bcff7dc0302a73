/** The database: one typed client a process, and the transaction every change runs in. */
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
 * Opens a pool of at most `poolSize` connections (default 5). `isPooled`: a pooler stands between, whose connections must
 * keep nothing (default false). The caller disconnects with `database.$disconnect()`.
 */
export function openDatabase(options: { url: string; poolSize?: number; isPooled?: boolean }): Database {
  const { url, poolSize = 5, isPooled = false } = options;
  const pool = new pg.Pool({ connectionString: url, max: poolSize, pipeline: !isPooled });
  return openOn({ pool, reads: pool, pools: [pool] }, isPooled);
}

/** Opens pools of connections for writes, for reads and for what every call needs, with bounded waits. */
export function openBoundedDatabase(options: DatabasePools): Database {
  return openOn(openPools(options), options.isPooled);
}

/** Prisma and statements written by hand share the connections, the names of what those have parsed, and their watch. */
function openOn({ pool, reads, pools }: OpenedPools, isPooled: boolean): Database {
  const changes: OwnChanges = new Set();
  for (const each of pools) watchPool(each, changes);
  const names = isPooled ? undefined : statementNames();
  const adapter = new PrismaPg(pool, {
    disposeExternalPool: true,
    ...(names ? { statementNameGenerator: names } : {}),
  });
  const database = new PrismaClient({ adapter: exactNumbers(adapter) });
  keepConnections(database, { pool, reads, names });
  ownChangesAre(database, changes);
  return database;
}

/** Runs `work` in one transaction of at most 30 s; waits at most 10 s for a connection. */
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
  for (const tell of committed) tell(unguarded(database));
  return result;
}

/** Calls `tell` once the transaction has committed, and never if it does not. It must not throw. */
export function afterCommit(tx: DatabaseTransaction, tell: AfterCommit): void {
  const waiting = afterCommits.get(tx);
  if (waiting) waiting.push(tell);
  else afterCommits.set(tx, [tell]);
}
