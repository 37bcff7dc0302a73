/**
 * One Postgres for the run, with a template database for each state of the migrations. The templates are owned by a role without privileges,
 * as which every test connects. TEST_DATABASE_URL names a running server instead. Its user must be a superuser, and its templates are kept
 * for the next run.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { deployMigrations, migrationsHash } from '../../prisma/migrate.ts';
import { ConfigError } from '../../src/config/config-error.ts';
import { isAlive, isRunningWith, stopProcess } from '../../src/local/child-process.ts';
import { asAdmin, ensureRole } from '../../src/local/postgres/bootstrap-database.ts';
import { type LocalPostgres, startPostgres } from '../../src/local/postgres/postgres.ts';
import { freePort } from './free-port.ts';
import { openInstallationServer } from './gateway/installation-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Connects to the run's server as a user that may create databases. */
    adminUrl: string;
    /** Connects to the same server as the role that owns the tests' databases. */
    databaseUrl: string;
    templateDatabase: string;
    /** The URL at which browser tests request the installation that they share. */
    installationServer: string;
  }
}

let stopServer: (() => Promise<void>) | undefined;
let closeInstallation: (() => Promise<void>) | undefined;

export async function setup(project: TestProject): Promise<void> {
  const given = process.env.TEST_DATABASE_URL;
  const server = given === undefined ? await startTestServer() : await useServer(given);
  const role = new URL(server.url).username;
  const template = `sluice_template_${role}_${migrationsHash()}`;
  await makeTemplate(server, template);
  project.provide('adminUrl', server.adminUrl);
  project.provide('databaseUrl', server.url);
  project.provide('templateDatabase', template);
  const database = `test_${crypto.randomUUID().replaceAll('-', '')}`;
  const installation = await openInstallationServer(() => copyTemplate(server, { template, database }));
  closeInstallation = async () => {
    await installation.close();
    await administrate(server.adminUrl, `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
  };
  project.provide('installationServer', installation.url);
}

export async function teardown(): Promise<void> {
  await closeInstallation?.();
  await stopServer?.();
}

type TestServer = Pick<LocalPostgres, 'url' | 'adminUrl'>;

async function startTestServer(): Promise<TestServer> {
  await removeOrphans();
  const folder = join(tmpdir(), `sluice-test-${process.pid}-${crypto.randomUUID().slice(0, 8)}`);
  const server = await startOnFreePort(folder, 3);
  stopServer = async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return server;
}

/** The role's password is derived from the given URL, so that concurrent runs agree on it. */
async function useServer(adminUrl: string): Promise<TestServer> {
  const role = 'sluice_test';
  const password = createHash('sha256').update(adminUrl).digest('hex');
  await asAdmin(adminUrl, async (client) => {
    await client.query('SELECT pg_advisory_lock(7216941733012895)');
    await ensureRole(client, { role, password });
  });
  const url = new URL(adminUrl);
  url.username = role;
  url.password = password;
  return { url: url.href, adminUrl };
}

async function startOnFreePort(folder: string, attempts: number): Promise<LocalPostgres> {
  // A test's data does not have to survive a crash, and durability would take most of a test's time.
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', shared_buffers: '64MB' };
  try {
    return await startPostgres({ folder, port: await freePort(), settings });
  } catch (error) {
    if (attempts > 1 && error instanceof ConfigError) return startOnFreePort(folder, attempts - 1);
    throw error;
  }
}

/** Stops the servers of a killed run, which could not stop them itself. */
async function removeOrphans(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const owner = /^sluice-test-(\d+)-/.exec(name)?.[1];
    if (owner === undefined || isAlive(Number(owner))) continue;
    const folder = join(tmpdir(), name);
    for (const file of ['start.pid', 'data/postmaster.pid', 'evm.pid']) {
      const server = Number(readOrEmpty(join(folder, file)).split('\n')[0]);
      if (server > 0 && isRunningWith(server, folder)) await stopProcess(server, 'SIGINT', 30_000);
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

async function copyTemplate(server: TestServer, names: { template: string; database: string }): Promise<string> {
  const copy = new URL(server.url);
  const owner = pg.escapeIdentifier(copy.username);
  await administrate(server.adminUrl, `CREATE DATABASE ${names.database} TEMPLATE ${names.template} OWNER ${owner}`);
  copy.pathname = `/${names.database}`;
  return copy.href;
}

async function administrate(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The template is created under another name first, so that an incomplete template is never copied. */
async function makeTemplate(server: TestServer, template: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.adminUrl });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock(7216941733012895)');
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [template]);
    if (found.rowCount === 1) return;
    const partial = `${template}_partial`;
    await client.query(`DROP DATABASE IF EXISTS ${partial} WITH (FORCE)`);
    const partialUrl = new URL(server.url);
    await client.query(`CREATE DATABASE ${partial} OWNER ${pg.escapeIdentifier(partialUrl.username)}`);
    partialUrl.pathname = `/${partial}`;
    await deployMigrations(partialUrl.href);
    await client.query(`ALTER DATABASE ${partial} WITH ALLOW_CONNECTIONS false`);
    await client.query(`ALTER DATABASE ${partial} RENAME TO ${template}`);
  } finally {
    await client.end();
  }
}
