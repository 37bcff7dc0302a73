import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { ConfigError } from '../../../src/config.ts';
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

/** Open to the server's user when the test runs as root, unlike the folder that mkdtemp makes. */
const open = join(tmpdir(), `sluice-postgres-open-${crypto.randomUUID()}`);
onTeardown(async () => rmSync(open, { recursive: true, force: true }));

test('rows outlive a stop and a kill, and a server left running is found again', async () => {
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

test('a port that somebody else holds is an error that names the setting', async () => {
  const stranger: Server = createServer((socket) => socket.end('not a database\n'));
  const port = await freePort();
  await new Promise<void>((resolve) => stranger.listen(port, '127.0.0.1', resolve));
  const started = startPostgres({ folder: join(open, 'taken'), port, settings });
  await expect(started).rejects.toThrow(ConfigError);
  await expect(started).rejects.toThrow(`LOCAL_POSTGRES_PORT: port ${port} is taken`);
  stranger.close();
});

test.runIf(process.getuid?.() === 0)(
  'as root, a folder that only root may enter sends the data elsewhere',
  async () => {
    const said: string[] = [];
    const folder = join(parent, 'closed');
    const server = await start({ folder, port: await freePort(), log: (line) => said.push(line) });
    const rows = await query(server.url, 'SHOW data_directory');
    const data = String(Object.values(rows[0] ?? {})[0]);
    onTeardown(async () => rmSync(join(data, '..'), { recursive: true, force: true }));
    expect(data.startsWith(parent)).toBe(false);
    expect(said.join()).toContain(join(data, '..'));
    expect(canTraverse(parent, { uid: 65534, gid: 65534 })).toBe(false);
  },
);
