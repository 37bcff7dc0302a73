/** The database: one typed client a process, and the transaction every change runs in. */
import { PrismaPg } from '@prisma/adapter-pg';
import { type Prisma, PrismaClient } from '../generated/prisma/client.ts';

export * from '../generated/prisma/client.ts';

export type Database = PrismaClient;
export type DatabaseTransaction = Prisma.TransactionClient;

/**
 * Opens a pool of at most `poolSize` connections (default 5).
 * The caller disconnects with `database.$disconnect()`.
 */
export function openDatabase(options: { url: string; poolSize?: number }): Database {
  const adapter = new PrismaPg({ connectionString: options.url, max: options.poolSize ?? 5 });
  return new PrismaClient({ adapter });
}

/** Runs `work` in one transaction of at most 30 s; waits at most 10 s for a connection. */
export function transaction<Result>(
  database: Database,
  work: (tx: DatabaseTransaction) => Promise<Result>,
): Promise<Result> {
  return database.$transaction(work, { maxWait: 10_000, timeout: 30_000 });
}
