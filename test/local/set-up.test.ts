/** The process that sets up an installation: its error messages, and its end with the process that started it. */
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it } from 'vitest';
import { ConfigError } from '../../src/config/config-error.ts';
import { parseLocalSettings } from '../../src/local/local-settings.ts';
import { openSetUp } from '../../src/local/set-up/run-set-up.ts';
import { emptyDatabase } from '../setup/database/database.ts';
import { freePort } from '../setup/free-port.ts';
import { onTeardown } from '../setup/teardown.ts';

function request(databaseUrl: string) {
  const folder = join(tmpdir(), `sluice-set-up-${crypto.randomUUID()}`);
  mkdirSync(folder);
  onTeardown(async () => rmSync(folder, { recursive: true, force: true }));
  const settings = parseLocalSettings({ LOCAL_FOLDER: folder });
  return { settings, databaseUrl, nodes: [], solana: null, sui: null, demoFile: join(folder, 'demo.json') };
}

function open() {
  const setUp = openSetUp({ PATH: process.env.PATH, HOME: process.env.HOME });
  onTeardown(() => setUp.stop());
  return setUp;
}

it('migrates an empty database, and creates no demo without local chains', async () => {
  const { url } = await emptyDatabase();
  const { migrations, demo } = await open().run(request(url));
  expect(migrations).toBeGreaterThan(30);
  expect(demo).toBeNull();
  expect((await open().run(request(url))).migrations).toBe(0);
});

it('rejects a database of another kind with one sentence and no stack', async () => {
  const { url } = await emptyDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('CREATE TABLE payment_intent (id integer)');
  await client.end();
  const refused = open().run(request(url));
  await expect(refused).rejects.toThrow(ConfigError);
  await expect(refused).rejects.toThrow(
    /^DATABASE_URL: the database contains tables of another program. Use a separate database.$/,
  );
});

it('fails when the database cannot be reached', async () => {
  await expect(open().run(request(`postgresql://nobody@127.0.0.1:${await freePort()}/none`))).rejects.toThrow(
    /ECONNREFUSED|reach/,
  );
});

it('ends when it is stopped before it has a request', async () => {
  const setUp = open();
  await setUp.stop();
  await expect(setUp.run(request('postgresql://nobody@127.0.0.1:1/none'))).rejects.toThrow('exited early');
});
