/** A database of its own for a test file, copied from the run's template in some ten milliseconds. */
import pg from 'pg';
import { inject } from 'vitest';
import { type Database, openDatabase } from '../../prisma/client.ts';
import { onTeardown } from './teardown.ts';

export type FreshDatabase = {
  database: Database;
  url: string;
  /** Closes and removes it; done by itself when the test file ends. */
  drop(): Promise<void>;
};

/** All migrations applied, the queue's too; no rows. Dropped, with whoever is still connected, when the file ends. */
export async function freshDatabase(options: { poolSize?: number } = {}): Promise<FreshDatabase> {
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`;
  await administrate(`CREATE DATABASE ${name} TEMPLATE ${inject('templateDatabase')}`);
  const url = new URL(inject('databaseUrl'));
  url.pathname = `/${name}`;
  const database = openDatabase({ url: url.href, ...options });
  let dropped: Promise<void> | undefined;
  const drop = () => {
    dropped ??= database.$disconnect().then(() => administrate(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    return dropped;
  };
  onTeardown(drop);
  return { database, url: url.href, drop };
}

/** An empty database without tables, for tests of the migrations themselves. */
export async function emptyDatabase(): Promise<{ url: string }> {
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`;
  await administrate(`CREATE DATABASE ${name}`);
  onTeardown(() => administrate(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  const url = new URL(inject('databaseUrl'));
  url.pathname = `/${name}`;
  return { url: url.href };
}

async function administrate(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('databaseUrl') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
