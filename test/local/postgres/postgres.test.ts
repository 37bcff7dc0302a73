import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { ConfigError } from '../../../src/config/config-error.ts';
import { isAlive, stopProcess } from '../../../src/local/child-process.ts';
import { startPostgres } from '../../../src/local/postgres/postgres.ts';
import { canTraverse } from '../../../src/local/postgres/postgres-place.ts';
import { freePort } from '../../setup/free-port.ts';
import { onTeardown } from '../../setup/teardown.ts';

const settings = { fsync: 'off', shared_buffers: '16MB' };
const parent = mkdtempSync(join(tmpdir(), 'sluice-postgres-'));
onTeardown(async () => rmSync(parent, { recursive: true, force: true }));

async function start(options: { folder: string; port: number; log?: (line: string) => void }) {
  const server = await startPostgres({ ...options, settings });
  onTeardown(() => server.stop());
  return server;
}

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const result = await client.query(statement);
  await client.end();
  return result.rows;
}

/** Accessible to the server's user if the test runs as root, unlike the folder that mkdtemp creates. */
const open = join(tmpdir(), `sluice-postgres-open-${crypto.randomUUID()}`);
onTeardown(async () => rmSync(open, { recursive: true, force: true }));

test('rows survive a stop and a kill, and a running server is found again', async () => {
  const options = { folder: open, port: await freePort() };
  const first = await start(options);
  await query(first.url, 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)');
  const found = await start(options);
  expect(found.pid).toBe(first.pid);
  await found.stop();
  expect(isAlive(first.pid)).toBe(false);

  const second = await start(options);
  expect(second.pid).not.toBe(first.pid);
  await query(second.url, 'INSERT INTO kept VALUES (2)');
  await stopProcess(second.pid, 'SIGKILL', 5000);
  const third = await start(options);
  expect(await query(third.url, 'SELECT n FROM kept ORDER BY n')).toEqual([{ n: 1 }, { n: 2 }]);
  const addresses = await query(third.url, 'SHOW listen_addresses');
  expect(addresses).toEqual([{ listen_addresses: '127.0.0.1' }]);

  const moved = await start({ ...options, port: await freePort() });
  expect(await query(moved.url, 'SELECT count(*)::int AS n FROM kept')).toEqual([{ n: 2 }]);
});

test('the database is used by a role that owns it and has no other privileges', async () => {
  const { url } = await start({ folder: open, port: await freePort() });
  const roles = await query(
    url,
    `SELECT rolcanlogin, rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls,
    (SELECT datdba = pg_roles.oid FROM pg_database WHERE datname = current_database()) AS owns
    FROM pg_roles WHERE rolname = current_user`,
  );
  const none = {
    rolsuper: false,
    rolcreatedb: false,
    rolcreaterole: false,
    rolreplication: false,
    rolbypassrls: false,
  };
  expect(roles).toEqual([{ ...none, rolcanlogin: true, owns: true }]);
});

test('a role with extra privileges or a lost password is repaired by the next start', async () => {
  const options = { folder: open, port: await freePort() };
  const first = await start(options);
  await query(first.adminUrl, 'ALTER ROLE gateway SUPERUSER CREATEDB');
  rmSync(join(open, 'role-password'));
  const second = await start(options);
  expect(second.url).not.toBe(first.url);
  const roles = await query(second.url, 'SELECT rolsuper, rolcreatedb FROM pg_roles WHERE rolname = current_user');
  expect(roles).toEqual([{ rolsuper: false, rolcreatedb: false }]);
});

test('passwords are files that only their owner can read, in a private folder', async () => {
  await start({ folder: open, port: await freePort() });
  const modes = ['.', 'password', 'role-password', 'postgres.log', 'data'].map((name) => [
    name,
    (statSync(join(open, name)).mode & 0o777).toString(8),
  ]);
  expect(Object.fromEntries(modes)).toEqual({
    '.': '700',
    password: '600',
    'role-password': '600',
    'postgres.log': '600',
    data: '700',
  });
});

test('connections require a password, even if the data trusts every local user', async () => {
  const options = { folder: join(tmpdir(), `sluice-postgres-trust-${crypto.randomUUID()}`), port: await freePort() };
  onTeardown(async () => rmSync(options.folder, { recursive: true, force: true }));
  const first = await start(options);
  const withPassword = (url: string, password: string) => {
    const other = new URL(url);
    other.password = password;
    return other.href;
  };
  const refused = 'password authentication failed';
  await expect(query(withPassword(first.adminUrl, 'wrong'), 'SELECT 1')).rejects.toThrow(refused);

  await query(first.adminUrl, 'ALTER ROLE sluice PASSWORD NULL');
  await first.stop();
  writeFileSync(join(options.folder, 'data', 'pg_hba.conf'), 'host all all 127.0.0.1/32 trust\n');
  const second = await start(options);
  const attempt = () =>
    query(withPassword(second.adminUrl, 'wrong'), 'SELECT 1').then(
      () => 'let in',
      (error: Error) => error.message,
    );
  await expect.poll(attempt).toContain(refused);
  expect(await query(second.adminUrl, 'SELECT current_user')).toEqual([{ current_user: 'sluice' }]);
  expect(readFileSync(join(options.folder, 'data', 'pg_hba.conf'), 'utf8')).not.toContain('trust');
});

test('an occupied port is an error that names the setting', async () => {
  const stranger: Server = createServer((socket) => socket.end('not a database\n'));
  const port = await freePort();
  await new Promise<void>((resolve) => stranger.listen(port, '127.0.0.1', resolve));
  const started = startPostgres({ folder: join(open, 'taken'), port, settings });
  await expect(started).rejects.toThrow(ConfigError);
  await expect(started).rejects.toThrow(`LOCAL_POSTGRES_PORT: port ${port} is in use by another process`);
  stranger.close();
});

test.runIf(process.getuid?.() === 0)(
  'as root, a folder that only root can enter moves the data to another folder',
  async () => {
    const output: string[] = [];
    const folder = join(parent, 'closed');
    const server = await start({ folder, port: await freePort(), log: (line) => output.push(line) });
    const rows = await query(server.adminUrl, 'SHOW data_directory');
    const data = String(Object.values(rows[0] ?? {})[0]);
    onTeardown(async () => rmSync(join(data, '..'), { recursive: true, force: true }));
    expect(data.startsWith(parent)).toBe(false);
    expect(output.join()).toContain(join(data, '..'));
    expect(canTraverse(parent, { uid: 65534, gid: 65534 })).toBe(false);

    // If the folder is opened later, the data is still found.
    await query(server.url, 'CREATE TABLE kept (n int)');
    await server.stop();
    chmodSync(parent, 0o711);
    const again = await start({ folder, port: await freePort() });
    expect(await query(again.url, 'SELECT count(*)::int AS n FROM kept')).toEqual([{ n: 0 }]);
  },
);
