/** The rows that a process remembers: how long, how many, and what removes them. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../../prisma/client.ts';
import { type Listener, openListener } from '../../../src/platform/database/listener.ts';
import { openRowMemory, type RowMemory } from '../../../src/platform/database/row-memory.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { freshDatabase } from '../../setup/database/database.ts';
import { type DatabaseProxy, openDatabaseProxy } from '../../setup/database/database-proxy.ts';
import { onTeardown } from '../../setup/teardown.ts';

const CHANNEL = 'sluice_rows';

let database: Database;
let proxy: DatabaseProxy;
let listener: Listener;
let memory: RowMemory;
let nowMs = 0;
let changeOwn: () => void = () => undefined;

beforeAll(async () => {
  const fresh = await freshDatabase();
  database = fresh.database;
  proxy = await openDatabaseProxy(fresh.url);
  listener = openListener({ url: proxy.url, log: silentLog });
  onTeardown(() => listener.close());
});

beforeEach(async () => {
  await proxy.turn('open');
  nowMs = 0;
  memory = openRowMemory({
    listener,
    channel: CHANNEL,
    limit: 3,
    nowMs: () => nowMs,
    onOwnChange: (forget) => {
      changeOwn = forget;
      return () => undefined;
    },
  });
  await untilRemembered();
});

/** Waits until a row is remembered, and removes it. */
async function untilRemembered(): Promise<void> {
  const look = async () => {
    await memory.kind('look')('look', async () => ({}));
    return memory.size();
  };
  await expect.poll(look, { timeout: 20_000 }).toBe(1);
  memory.forget();
}

/** Counts reads, so that a read from memory is distinguished from another. */
function counted(name = 'row') {
  let reads = 0;
  const find = memory.kind<{ read: number }>(name);
  return (key = 'a') =>
    find(key, async () => {
      reads += 1;
      return { read: reads };
    });
}

describe('a row', () => {
  test('is remembered for one second after the request', async () => {
    const read = counted();
    expect(await read()).toEqual({ read: 1 });
    nowMs = 999;
    expect(await read()).toEqual({ read: 1 });
    nowMs = 1_000;
    expect(await read()).toEqual({ read: 2 });
  });

  test('expires one second after its read began, even if the read is slow, and is not shared after that', async () => {
    const find = memory.kind<{ read: number }>('slow');
    let arrive: (row: { read: number }) => void = () => undefined;
    const slow = find('a', () => new Promise((resolve) => (arrive = resolve)));
    nowMs = 600;
    const shared = find('a', () => Promise.reject(new Error('not asked again')));
    nowMs = 1_000;
    const later = find('a', async () => ({ read: 2 }));
    expect(await later).toEqual({ read: 2 });
    arrive({ read: 1 });
    expect(await slow).toEqual({ read: 1 });
    expect(await shared).toEqual({ read: 1 });
    // The older result, which arrived last, does not replace the newer one beyond its own second.
    expect((await find('a', async () => ({ read: 3 }))).read).toBeGreaterThan(1);
  });

  test('is separate for each kind and key', async () => {
    expect(await counted('one')('a')).toEqual({ read: 1 });
    const other = counted('other');
    expect(await other('a')).toEqual({ read: 1 });
    expect(await other('b')).toEqual({ read: 2 });
    expect(await other('a')).toEqual({ read: 1 });
  });

  test('that is not found is read again', async () => {
    const find = memory.kind<object>('missing');
    await expect(find('a', () => Promise.reject(new Error('no such row')))).rejects.toThrow('no such row');
    expect(await find('a', async () => ({ made: 'since' }))).toEqual({ made: 'since' });
  });
});

test('beyond the limit, the most recently used rows are kept', async () => {
  const read = counted();
  for (const key of ['a', 'b', 'c', 'a', 'd']) await read(key);
  expect(memory.size()).toBe(3);
  expect(await read('a')).toEqual({ read: 1 });
  expect(await read('b')).toEqual({ read: 5 });
});

describe('a change', () => {
  test('by another process removes the row on notification, regardless of the payload', async () => {
    const read = counted();
    await read();
    await database.$executeRaw`SELECT pg_notify(${CHANNEL}, 'anything')`;
    await expect.poll(() => memory.size(), { timeout: 10_000 }).toBe(0);
    expect(await read()).toEqual({ read: 2 });
  });

  test('by this process removes the row at once', async () => {
    const read = counted();
    await read();
    changeOwn();
    expect(await read()).toEqual({ read: 2 });
  });

  test('prevents a read in progress from being remembered or shared', async () => {
    const find = memory.kind<{ of: string }>('raced');
    const begun = Promise.withResolvers<void>();
    const row = Promise.withResolvers<{ of: string }>();
    const before = find('a', () => {
      begun.resolve();
      return row.promise;
    });
    await begun.promise;
    changeOwn();
    const after = find('a', async () => ({ of: 'after' }));
    row.resolve({ of: 'before' });
    expect([await before, await after]).toEqual([{ of: 'before' }, { of: 'after' }]);
    expect(await find('a', async () => ({ of: 'later' }))).toEqual({ of: 'after' });
  });
});

test('nothing is remembered while notifications may be lost, and remembered rows are removed', async () => {
  const read = counted();
  await read();
  await proxy.turn('refused');
  await expect.poll(() => memory.size(), { timeout: 10_000 }).toBe(0);
  expect([await read(), await read()]).toEqual([{ read: 2 }, { read: 3 }]);
  expect(memory.size()).toBe(0);
  await proxy.turn('open');
  await untilRemembered();
  expect([await read(), await read()]).toEqual([{ read: 4 }, { read: 4 }]);
});

test('nothing is remembered after it is closed', async () => {
  const read = counted();
  await read();
  memory.close();
  expect(memory.size()).toBe(0);
  expect([await read(), await read()]).toEqual([{ read: 2 }, { read: 3 }]);
});
