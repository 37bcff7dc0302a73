/** The database role that docs/operations.md documents, and the warning of the parts about one with excess privileges. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { openDatabase } from '../../prisma/client.ts';
import { deployMigrations } from '../../prisma/migrate.ts';
import { createMerchant } from '../../src/auth/create-merchant.ts';
import { asAdmin } from '../../src/local/postgres/bootstrap-database.ts';
import { warnOfDatabaseRole } from '../../src/operations/health/database-role.ts';
import { openLog } from '../../src/platform/log.ts';
import { childEnvironment } from '../setup/child-environment.ts';
import { freshDatabase } from '../setup/database/database.ts';
import { freePort } from '../setup/free-port.ts';
import { onTeardown } from '../setup/teardown.ts';

const root = join(import.meta.dirname, '../..');

/** The SQL under the heading "The database", block by block. */
function documentedSql(): string[] {
  const [, section = ''] = readFileSync(join(root, 'docs/operations.md'), 'utf8').split('\n## The database\n');
  return [...(section.split('\n## ')[0] ?? '').matchAll(/```sql\n([\s\S]+?)```/g)].map((match) => match[1] ?? '');
}

/** Runs statements one by one, because CREATE DATABASE cannot run in a transaction. */
async function runSql(client: pg.Client, sql: string): Promise<void> {
  const statements = sql.replaceAll(/--.*$/gm, '').split(';');
  for (const statement of statements) if (statement.trim() !== '') await client.query(statement);
}

/** The documented role and database under unique names. They are removed when the file ends. */
function nameAnew() {
  const name = `sluice_${crypto.randomUUID().slice(0, 8)}`;
  onTeardown(() =>
    asAdmin(inject('adminUrl'), async (client) => {
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await client.query(`DROP ROLE IF EXISTS ${name}`);
    }),
  );
  const url = new URL(inject('adminUrl'));
  Object.assign(url, { username: name, password: 'secret', pathname: `/${name}` });
  const adminUrl = new URL(inject('adminUrl'));
  adminUrl.pathname = `/${name}`;
  const own = (sql: string) => sql.replaceAll(/\bsluice\b/g, name).replaceAll("'…'", "'secret'");
  return { name, url: url.href, adminUrl: adminUrl.href, own };
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTeardown(() => client.end());
  return client;
}

/** Migrations, the queue's schema, rows, and the schemas that the indexer creates. */
async function expectEnough(url: string): Promise<void> {
  expect((await deployMigrations(url)).applied.length).toBeGreaterThan(0);
  const database = openDatabase({ url, poolSize: 1 });
  onTeardown(() => database.$disconnect());
  await createMerchant({ database }, { name: 'Shop' });
  const client = await connect(url);
  await client.query('CREATE SCHEMA ponder_0123456789; CREATE TABLE ponder_0123456789.rows (n int)');
  await client.query('CREATE SCHEMA ponder; CREATE VIEW ponder.rows AS SELECT * FROM ponder_0123456789.rows');
  const { rows } = await client.query(
    `SELECT rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls FROM pg_roles WHERE rolname = current_user`,
  );
  expect(Object.values(rows[0])).toEqual([false, false, false, false, false]);
}

test('the documented role and database are sufficient for every part', async () => {
  const [own = ''] = documentedSql();
  const { url, own: named } = nameAnew();
  await asAdmin(inject('adminUrl'), (client) => runSql(client, named(own)));
  await expectEnough(url);
});

test('the documented grants are sufficient in a database with another owner', async () => {
  const [, grants = ''] = documentedSql();
  const { name, url, adminUrl, own } = nameAnew();
  await asAdmin(inject('adminUrl'), async (client) => {
    await client.query(`CREATE ROLE ${name} LOGIN PASSWORD 'secret'`);
    await client.query(`CREATE DATABASE ${name}`);
    await client.query(`REVOKE ALL ON DATABASE ${name} FROM PUBLIC`);
  });
  await runSql(await connect(adminUrl), own(grants));
  await expectEnough(url);
});

test('a warning is logged for a role with excess privileges only', async () => {
  const fresh = await freshDatabase();
  const warnings = async (url: string) => {
    const lines: string[] = [];
    const log = openLog({ level: 'warn', part: 'test' }, { write: (line) => void lines.push(line) });
    await warnOfDatabaseRole({ databaseUrl: url, log });
    return lines.map((line) => JSON.parse(line));
  };
  expect(await warnings(fresh.url)).toEqual([]);
  const excess = ['SUPERUSER', 'CREATEDB', 'CREATEROLE', 'REPLICATION', 'BYPASSRLS'];
  expect(await warnings(fresh.adminUrl)).toMatchObject([{ role: new URL(fresh.adminUrl).username, excess }]);
});

test('a part that connects as a superuser starts, and logs a warning', async () => {
  const { adminUrl } = await freshDatabase();
  const child = spawn(process.execPath, [join(root, 'src/main.ts'), 'api'], {
    env: {
      ...childEnvironment,
      DATABASE_URL: adminUrl,
      PORT: String(await freePort()),
      OPERATOR_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
      PRICE_SOURCE: 'fixed',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTeardown(async () => void child.kill('SIGKILL'));
  let lines = '';
  child.stderr.on('data', (chunk) => {
    lines += String(chunk);
  });
  const patience = { timeout: 60_000 };
  await expect.poll(() => lines, patience).toContain('The database role has more privileges than Sluice needs');
  await expect.poll(() => lines, patience).toContain('The API is listening.');
});
