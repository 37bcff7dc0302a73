import pg from 'pg';
import { expect, test } from 'vitest';
import { deployMigrations, migrationStatus, migrationsHash, newMigration, schemaDrift } from '../../prisma/migrate.ts';
import { emptyDatabase, freshDatabase } from '../setup/database/database.ts';

test('an empty database receives every migration once, even if processes deploy concurrently', async () => {
  const { url } = await emptyDatabase();
  expect((await migrationStatus(url)).applied).toEqual([]);
  const deployed = await Promise.all([deployMigrations(url), deployMigrations(url)]);
  const applied = deployed.flatMap((answer) => answer.applied);
  expect(applied.length).toBeGreaterThan(0);
  expect(new Set(applied).size).toBe(applied.length);
  expect(await migrationStatus(url)).toEqual({ applied, pending: [], failed: [], edited: [] });
  expect(await deployMigrations(url)).toEqual({ applied: [] });
});

test('a deployed database contains the tables of the queue', async () => {
  const { database } = await freshDatabase();
  const rows = await database.$queryRaw<{ count: bigint }[]>`SELECT count(*) FROM graphile_worker.jobs`;
  expect(rows[0]?.count).toBe(0n);
});

test('the migrations produce exactly the present schema, so that a new one would be empty', async () => {
  const { adminUrl: url } = await emptyDatabase();
  expect(await schemaDrift(url)).toBeNull();
  expect(await newMigration(url, 'nothing_new')).toBeNull();
});

test('a comparison leaves no shadow database behind', async () => {
  const { adminUrl: url } = await emptyDatabase();
  await schemaDrift(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const remaining = await client.query("SELECT datname FROM pg_database WHERE datname LIKE 'prisma_migrate_shadow%'");
  await client.end();
  expect(remaining.rows).toEqual([]);
});

test.each(['', 'Init', 'two words', '../escape', 'trailing_', 'x'.repeat(61)])(
  'the migration name "%s" is rejected',
  async (name) => {
    await expect(newMigration('postgresql://127.0.0.1:1/none', name)).rejects.toThrow(RangeError);
  },
);

test('the hash of the migrations is stable', () => {
  expect(migrationsHash()).toMatch(/^[0-9a-f]{16}$/);
  expect(migrationsHash()).toBe(migrationsHash());
});
