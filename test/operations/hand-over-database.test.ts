/** A database whose objects belong to a superuser, as in earlier versions, is handed over to a role without privileges. */
import pg from 'pg';
import { expect, test } from 'vitest';
import { type Database, openDatabase } from '../../prisma/client.ts';
import { deployMigrations } from '../../prisma/migrate.ts';
import { createMerchant } from '../../src/auth/create-merchant.ts';
import { handOverDatabase } from '../../src/operations/database/hand-over-database.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { silentLog } from '../../src/platform/log.ts';
import { runQueue } from '../../src/platform/queue.ts';
import { emptyDatabase } from '../setup/database/database.ts';
import { onTeardown } from '../setup/teardown.ts';
import { runOperation } from './run-operation.ts';

/** The objects that Ponder creates, and one of each other kind with an owner. */
const objects = `
  CREATE SCHEMA ponder_0123456789;
  CREATE TYPE ponder_0123456789.kind AS ENUM ('one', 'two');
  CREATE TABLE ponder_0123456789.chain_event (id serial PRIMARY KEY, kind ponder_0123456789.kind, "Odd Name" text);
  CREATE FUNCTION ponder_0123456789.ring() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
  CREATE TRIGGER ring AFTER INSERT ON ponder_0123456789.chain_event EXECUTE FUNCTION ponder_0123456789.ring();
  INSERT INTO ponder_0123456789.chain_event (kind) VALUES ('one');
  CREATE SCHEMA ponder;
  CREATE VIEW ponder.chain_event AS SELECT * FROM ponder_0123456789.chain_event;
  CREATE MATERIALIZED VIEW ponder.counted AS SELECT count(*) FROM ponder_0123456789.chain_event;
  CREATE SEQUENCE ponder.loose;
  CREATE PROCEDURE ponder.nothing(n int, words text DEFAULT '') LANGUAGE sql AS 'SELECT 1';
  CREATE AGGREGATE ponder.total(int) (SFUNC = int4pl, STYPE = int);
  CREATE DOMAIN ponder.positive AS int CHECK (VALUE > 0);
  CREATE TYPE ponder.pair AS (a int, b text);
  CREATE TYPE ponder.span AS RANGE (SUBTYPE = int);
  CREATE TABLE ponder."Quoted ""Table""" (n int) PARTITION BY LIST (n);
  CREATE TABLE ponder.part PARTITION OF ponder."Quoted ""Table""" DEFAULT;`;

const roleOf = (url: string) => new URL(url).username;

/** A database whose objects all belong to the superuser. Also returns the superuser's client. */
async function superusersDatabase() {
  const { url, adminUrl } = await emptyDatabase();
  const [from, to] = [roleOf(adminUrl), roleOf(url)];
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  onTeardown(() => admin.end());
  await admin.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} OWNER TO ${pg.escapeIdentifier(from)}`);
  await deployMigrations(adminUrl);
  await admin.query(objects);
  const database = openDatabase({ url: adminUrl, poolSize: 1 });
  onTeardown(() => database.$disconnect());
  await createMerchant({ database }, { name: 'Kept' });
  return { url, admin, database, from, to };
}

/** Objects of the database outside the system schemas that the role owns, including their dependents. */
async function countOwned(database: Database, role: string): Promise<number> {
  const [row] = await database.$queryRaw<{ count: number }[]>`
    WITH space AS (SELECT oid FROM pg_namespace WHERE nspname !~ '^pg_(catalog|toast)' AND nspname <> 'information_schema')
    SELECT ((SELECT count(*) FROM pg_class WHERE relnamespace IN (SELECT oid FROM space) AND pg_get_userbyid(relowner) = ${role})
      + (SELECT count(*) FROM pg_type WHERE typnamespace IN (SELECT oid FROM space) AND pg_get_userbyid(typowner) = ${role})
      + (SELECT count(*) FROM pg_proc WHERE pronamespace IN (SELECT oid FROM space) AND pg_get_userbyid(proowner) = ${role})
      + (SELECT count(*) FROM space JOIN pg_namespace USING (oid) WHERE pg_get_userbyid(nspowner) = ${role})
      + (SELECT count(*) FROM pg_database WHERE datname = current_database() AND pg_get_userbyid(datdba) = ${role}))::int AS count`;
  return row?.count ?? 0;
}

test('every object changes its owner, and the role can run everything without other privileges', async () => {
  const { url, database, from, to } = await superusersDatabase();
  const before = await countOwned(database, from);
  const changed = await handOverDatabase({ database }, { from, to });
  expect(await countOwned(database, from)).toBe(0);
  // The database itself and `public` have one owner, regardless of the number of objects.
  expect(await countOwned(database, to)).toBe(before);
  expect(changed.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['DATABASE', 'SCHEMA', 'TABLE', 'VIEW']));
  expect(await handOverDatabase({ database }, { from, to })).toEqual([]);

  const plain = new pg.Client({ connectionString: url });
  await plain.connect();
  onTeardown(() => plain.end());
  expect(await deployMigrations(url)).toEqual({ applied: [] });
  const tables = await plain.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname !~ '^(pg_|information_schema)'`,
  );
  expect(tables.rows.length).toBeGreaterThan(50);
  for (const { name } of tables.rows) {
    if (!name.startsWith('ponder.part')) await plain.query(`ALTER TABLE ${name} ADD COLUMN added_by_a_migration int`);
  }
  await plain.query(`ALTER TYPE "plan_type" ADD VALUE 'LATER'`);
  await plain.query('CREATE TABLE public.later (n int); CREATE INDEX ON public.later (n); CREATE SCHEMA ponder_later');
  expect((await plain.query('SELECT name FROM merchant')).rows).toEqual([{ name: 'Kept' }]);
  expect((await plain.query('SELECT kind FROM ponder.chain_event')).rows).toEqual([{ kind: 'one' }]);
  await plain.query('DROP SCHEMA ponder_0123456789 CASCADE');
  await expect(plain.query('CREATE DATABASE another')).rejects.toThrow('permission denied');
  await expect(plain.query('CREATE ROLE another')).rejects.toThrow('permission denied');
  await expect(plain.query(`COPY merchant TO PROGRAM 'true'`)).rejects.toThrow('permission denied');

  const done = Promise.withResolvers<unknown>();
  const queue = await runQueue({
    url,
    log: silentLog,
    jobs: new Map([['probe', async (payload) => done.resolve(payload)]]),
  });
  await plain.query(`SELECT graphile_worker.add_job('probe', '{"n":1}'::json)`);
  expect(await done.promise).toEqual({ n: 1 });
  await queue.stop();
});

test('an interrupted hand-over is completed by the next one', async () => {
  const { admin, database, from, to } = await superusersDatabase();
  await admin.query('BEGIN; LOCK TABLE refund IN ACCESS SHARE MODE');
  const cutOff = handOverDatabase({ database }, { from, to, lockWaitMs: 50 });
  await expect(cutOff).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('public.refund') });
  const [remaining, done] = [await countOwned(database, from), await countOwned(database, to)];
  expect([remaining > 0, done > 0]).toEqual([true, true]);
  await admin.query('COMMIT');
  await handOverDatabase({ database }, { from, to });
  expect(await countOwned(database, from)).toBe(0);
});

test('`ops database hand-over` lists the changes and its requirements', async () => {
  const { url, database, from, to } = await superusersDatabase();
  const world = { database, clock: systemClock };
  const plain = openDatabase({ url, poolSize: 1 });
  onTeardown(() => plain.$disconnect());
  const refused = await runOperation({ ...world, database: plain }, [
    'database',
    'hand-over',
    '--from',
    from,
    '--to',
    to,
  ]);
  expect([refused.code, refused.complained]).toEqual([1, expect.stringContaining('Name a superuser in DATABASE_URL')]);
  const missing = await runOperation(world, ['database', 'hand-over', '--from', from, '--to', 'no_such_role']);
  expect([missing.code, missing.complained]).toEqual([1, 'No such role no_such_role.']);
  const unnamed = await runOperation(world, ['database', 'hand-over', '--from', from]);
  expect([unnamed.code, unnamed.complained]).toEqual([2, expect.stringContaining('--to: is required')]);

  const args = ['database', 'hand-over', '--from', from, '--to', to, '--json'];
  const { code, printed } = await runOperation(world, args);
  expect(code).toBe(0);
  expect(JSON.parse(printed)).toEqual(
    expect.arrayContaining([
      { object: 'table', name: 'public.merchant', owner: to },
      { object: 'table', name: 'ponder."Quoted ""Table"""', owner: to },
      { object: 'schema', name: 'graphile_worker', owner: to },
      { object: 'procedure', name: expect.stringMatching(/^ponder\.nothing\(/), owner: to },
    ]),
  );
  expect(JSON.parse((await runOperation(world, args)).printed)).toEqual([]);
});
