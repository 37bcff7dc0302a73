import { expect, test } from 'vitest';
import { openAdvisoryLocks } from '../../src/platform/advisory-locks.ts';
import { silentLog } from '../../src/platform/log.ts';
import { freshDatabase } from '../setup/database/database.ts';
import { openDatabaseProxy } from '../setup/database/database-proxy.ts';
import { onTeardown } from '../setup/teardown.ts';

const { database, url } = await freshDatabase();

function open(options: { url: string; sessionMs?: number }) {
  const locks = openAdvisoryLocks({ log: silentLog, sessionMs: 1_000, ...options });
  onTeardown(locks.close);
  return locks;
}

const nothing = async () => undefined;

test('an active holder keeps its lock beyond the timeout of an inactive one', async () => {
  const [holder, other] = [open({ url }), open({ url })];
  const kept = await holder.tryWith('kept', async () => {
    await database.$queryRaw`SELECT pg_sleep(3)::text`;
    expect(await other.tryWith('kept', nothing)).toBe(false);
  });
  expect(kept).toBe(true);
  expect(await other.tryWith('kept', nothing)).toBe(true);
});

test('a disconnected holder loses its lock, and can acquire it again after reconnecting', async () => {
  const proxy = await openDatabaseProxy(url);
  const [holder, other] = [open({ url: proxy.url }), open({ url })];
  const release = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  let isLost = false;
  const working = holder.tryWith('lost', async (lost) => {
    lost.addEventListener('abort', () => {
      isLost = true;
    });
    held.resolve();
    await release.promise;
  });
  await held.promise;
  expect(await other.tryWith('lost', nothing)).toBe(false);
  await proxy.turn('hanging');
  await expect.poll(() => other.tryWith('lost', nothing), { timeout: 20_000 }).toBe(true);
  await expect.poll(() => isLost, { timeout: 20_000 }).toBe(true);
  await proxy.turn('open');
  release.resolve();
  await working;
  await expect.poll(() => holder.tryWith('lost', nothing).catch(() => false), { timeout: 20_000 }).toBe(true);
});
