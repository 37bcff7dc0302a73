/** A separate database for one test file, copied from the run's template. */
import pg from 'pg';
import { inject } from 'vitest';
import { type Database, openDatabase } from '../../../prisma/client.ts';
import { onTeardown } from '../teardown.ts';

export type FreshDatabase = {
  database: Database;
  /** Connects as the database's owner, a role without privileges, as every part of an installation does. */
  url: string;
  /** Connects to the same database as the user that created it. */
  adminUrl: string;
  /** Closes and drops the database. Called automatically when the test file ends. */
  drop(): Promise<void>;
};

/** A database with all migrations, including the queue's, and no rows. Dropped with all its connections when the test file ends. */
export async function freshDatabase(options: { poolSize?: number } = {}): Promise<FreshDatabase> {
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`;
  // Copying files takes half as long as writing the template's pages to the log.
  const source = `TEMPLATE ${inject('templateDatabase')} STRATEGY file_copy`;
  await administrate(`CREATE DATABASE ${name} ${source} OWNER ${plainRole()}`);
  const urls = urlsOf(name);
  const database = openDatabase({ url: urls.url, ...options });
  let dropped: Promise<void> | undefined;
  const drop = () => {
    dropped ??= database.$disconnect().then(() => administrate(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    return dropped;
  };
  onTeardown(drop);
  return { database, ...urls, drop };
}

/** An empty database without tables, for tests of the migrations themselves. */
export async function emptyDatabase(): Promise<Pick<FreshDatabase, 'url' | 'adminUrl'>> {
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`;
  await administrate(`CREATE DATABASE ${name} OWNER ${plainRole()}`);
  onTeardown(() => administrate(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  return urlsOf(name);
}

function plainRole(): string {
  return pg.escapeIdentifier(new URL(inject('databaseUrl')).username);
}

function urlsOf(name: string): Pick<FreshDatabase, 'url' | 'adminUrl'> {
  const [url, adminUrl] = [new URL(inject('databaseUrl')), new URL(inject('adminUrl'))];
  url.pathname = `/${name}`;
  adminUrl.pathname = `/${name}`;
  return { url: url.href, adminUrl: adminUrl.href };
}

async function administrate(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('adminUrl') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
