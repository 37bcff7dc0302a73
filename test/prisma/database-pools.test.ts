/** The pools of one client with a real server: each wait is bounded, and none of them blocks another. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { type Database, openBoundedDatabase, transaction } from '../../prisma/client.ts';
import { type DatabaseBounds, inLane } from '../../prisma/database-pools.ts';
import { databaseFault } from '../../src/platform/database/database-fault.ts';
import { freshDatabase } from '../setup/database/database.ts';
import { openDatabaseProxy } from '../setup/database/database-proxy.ts';
import { onTeardown } from '../setup/teardown.ts';

const fresh = await freshDatabase();
const bounds: DatabaseBounds = { connectMs: 1_000, lockMs: 300, statementMs: 2_000, idleTransactionMs: 500 };
const merchant = await fresh.database.merchant.create({ data: { id: crypto.randomUUID(), name: 'Alpha' } });

function open(options: { url?: string; isPooled?: boolean; bounds?: Partial<DatabaseBounds> } = {}): Database {
  const database = openBoundedDatabase({
    url: options.url ?? fresh.url,
    isPooled: options.isPooled ?? false,
    writes: 2,
    reads: 2,
    bounds: { ...bounds, ...options.bounds },
  });
  onTeardown(() => database.$disconnect());
  return database;
}

const faultOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: unknown) => databaseFault(error) ?? error,
  );
const rename = (database: Database, name: string) =>
  database.merchant.update({ where: { id: merchant.id }, data: { name } });

/** Holds the merchant's row until the returned function is called. */
async function hold(): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const done = transaction(fresh.database, async (tx) => {
    await tx.$queryRaw`SELECT 1 AS one FROM merchant WHERE id = ${merchant.id}::uuid FOR UPDATE`;
    held.resolve();
    await released.promise;
  });
  await held.promise;
  return async () => {
    released.resolve();
    await done;
  };
}

describe('a bounded wait', () => {
  test('covers a lock, for a single statement and for one in a transaction', async () => {
    const database = open();
    const release = await hold();
    expect(await faultOf(rename(database, 'Beta'))).toBe('lock');
    expect(await faultOf(transaction(database, (tx) => rename(tx as Database, 'Beta')))).toBe('lock');
    await release();
    expect((await rename(database, 'Beta')).name).toBe('Beta');
  });

  test('covers a statement', async () => {
    const database = open();
    expect(await faultOf(database.$queryRaw`SELECT pg_sleep(20)::text`)).toBe('timeout');
    expect(await faultOf(transaction(database, (tx) => tx.$queryRaw`SELECT pg_sleep(20)::text`))).toBe('timeout');
  });

  test('covers a free connection', async () => {
    const database = open({ bounds: { statementMs: 10_000 } });
    const begun = [1, 2].map(() => Promise.withResolvers<void>());
    const taken = begun.map(({ resolve }) =>
      faultOf(
        transaction(database, async (tx) => {
          await tx.merchant.count();
          resolve();
          await tx.$queryRaw`SELECT pg_sleep(3)::text`;
        }),
      ),
    );
    await Promise.all(begun.map(({ promise }) => promise));
    expect(await faultOf(rename(database, 'Gamma'))).toBe('busy');
    expect(await Promise.all(taken)).toEqual(['none', 'none']);
    expect((await rename(database, 'Gamma')).name).toBe('Gamma');
  });

  test('covers the next statement of a transaction, which then holds no locks', async () => {
    const database = open();
    const written = Promise.withResolvers<void>();
    const idle = transaction(database, async (tx) => {
      await tx.merchant.update({ where: { id: merchant.id }, data: { name: 'never' } });
      written.resolve();
      await delay(2_000);
      await tx.merchant.count();
    });
    const outcome = faultOf(idle);
    await written.promise;
    // Waits for the row until Postgres has ended the other one.
    expect((await rename(fresh.database, 'Delta')).name).toBe('Delta');
    expect(['timeout', 'away']).toContain(await outcome);
    expect((await rename(database, 'Epsilon')).name).toBe('Epsilon');
  });

  test('covers a server that does not respond, and the connection is not reused', async () => {
    const proxy = await openDatabaseProxy(fresh.url);
    const database = open({ url: proxy.url });
    const inside = transaction(database, async (tx) => {
      await tx.merchant.count();
      await proxy.turn('hanging');
      await tx.merchant.count();
    });
    expect(['timeout', 'away']).toContain(await faultOf(inside));
    expect(['timeout', 'away']).toContain(await faultOf(database.merchant.count()));
    expect(['timeout', 'away']).toContain(await faultOf(rename(database, 'Zeta')));
    await proxy.turn('open');
    expect((await rename(database, 'Zeta')).name).toBe('Zeta');
    for (let turn = 0; turn < 5; turn++) expect(await database.merchant.count()).toBe(1);
  });

  test('is set by each transaction if a pooler keeps no settings', async () => {
    const database = open({ isPooled: true });
    const read = (reader: Pick<Database, '$queryRaw'>) => reader.$queryRaw<{ lock: string; idle: string }[]>`
      SELECT current_setting('lock_timeout') AS lock, current_setting('idle_in_transaction_session_timeout') AS idle`;
    expect(await transaction(database, read)).toEqual([{ lock: '300ms', idle: '500ms' }]);
    expect(await read(database)).toEqual([{ lock: '0', idle: '0' }]);
  });
});

describe('blocked statements', () => {
  test('leave connections for others', async () => {
    const database = open({ bounds: { statementMs: 10_000, lockMs: 10_000 } });
    const release = await hold();
    const writes = [1, 2].map(() => rename(database, 'Eta'));
    const ended = Promise.all(writes.map(faultOf));
    expect(await database.merchant.count()).toBe(1);
    const reads = [1, 2].map(() => faultOf(database.$queryRaw`SELECT pg_sleep(3)::text`));
    expect(await faultOf(database.merchant.count())).toBe('busy');
    for (const lane of ['credentials', 'health'] as const) {
      expect(await inLane(lane, () => database.merchant.count())).toBe(1);
      expect(
        await inLane(
          lane,
          () => database.$queryRaw`SELECT application_name FROM pg_stat_activity
        WHERE pid = pg_backend_pid()`,
        ),
      ).toEqual([{ application_name: `sluice-${lane}` }]);
    }
    await release();
    expect(await ended).toEqual(['none', 'none']);
    expect(await Promise.all(reads)).toEqual(['none', 'none']);
  });
});

test('a connection to a server that rejects writes is not reused', async () => {
  const { url, adminUrl } = await freshDatabase();
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  const name = pg.escapeIdentifier(new URL(url).pathname.slice(1));
  await admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  const database = open({ url });
  const write = () =>
    transaction(database, (tx) => tx.merchant.create({ data: { id: crypto.randomUUID(), name: 'Beta' } }));
  expect(await faultOf(write())).toBe('away');
  await admin.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
  await admin.end();
  expect((await write()).name).toBe('Beta');
});
