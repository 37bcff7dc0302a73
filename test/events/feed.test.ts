import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, transaction } from '../../prisma/client.ts';
import { appendEvents } from '../../src/events/append-events.ts';
import { type Feed, openFeed } from '../../src/events/feed.ts';
import type { Follower } from '../../src/events/follower.ts';
import { type Listener, openListener } from '../../src/platform/database/listener.ts';
import { newId } from '../../src/platform/identifier.ts';
import { silentLog } from '../../src/platform/log.ts';
import { freshDatabase } from '../setup/database/database.ts';

let database: Database;
let feed: Feed;
let listener: Listener;
const appId = newId();

beforeAll(async () => {
  const fresh = await freshDatabase();
  database = fresh.database;
  listener = openListener({ url: fresh.url, log: silentLog });
  feed = openFeed({ database, listener, log: silentLog });
  const merchantId = newId();
  await database.merchant.create({ data: { id: merchantId, name: 'M' } });
  await database.app.create({ data: { id: appId, merchantId, name: 'A', mode: 'TEST' } });
});
afterAll(async () => {
  await feed.close();
  await listener.close();
});

function append(resourceId: string, count = 1): Promise<unknown> {
  return transaction(database, (tx) =>
    appendEvents(
      tx,
      appId,
      Array.from({ length: count }, () => ({ type: 'customer.updated' as const, resourceId, data: {} })),
    ),
  );
}

async function take(follower: Follower, count: number): Promise<bigint[]> {
  const seen: bigint[] = [];
  while (seen.length < count) {
    const event = await follower.events.next();
    if (event.done) break;
    seen.push(event.value.sequence);
  }
  return seen;
}

describe('the feed', () => {
  test('sends every follower the events after it joined, in order', async () => {
    await append(newId());
    const followers = await Promise.all([feed.follow({ appId }), feed.follow({ appId })]);
    await Promise.all(Array.from({ length: 5 }, () => append(newId(), 2)));
    for (const follower of followers) {
      const first = follower.startedAfter + 1n;
      expect(await take(follower, 10)).toEqual(Array.from({ length: 10 }, (_, index) => first + BigInt(index)));
      follower.stop();
    }
  });

  test('sends a follower of one resource only the events of that resource', async () => {
    const resourceId = newId();
    const follower = await feed.follow({ appId, resourceIds: [resourceId] });
    await append(newId(), 3);
    await append(resourceId);
    await append(newId());
    await append(resourceId);
    expect(await take(follower, 2)).toEqual([follower.startedAfter + 4n, follower.startedAfter + 6n]);
    follower.stop();
  });

  test('disconnects a follower that is too slow, with the position to continue from', async () => {
    const slow = await feed.follow({ appId, queueLimit: 5 });
    const quick = await feed.follow({ appId });
    await append(newId(), 8);
    await take(quick, 8);
    await expect(slow.events.next()).rejects.toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      meta: { after: String(slow.startedAfter) },
    });
    expect((await slow.events.next()).done).toBe(true);
    quick.stop();
  });

  test('releases a follower that stops while it is waiting', async () => {
    const follower = await feed.follow({ appId });
    const waiting = follower.events.next();
    await follower.events.return?.();
    expect((await waiting).done).toBe(true);
    expect(feed.followers()).toBe(0);
  });

  test('polls if notifications are not received', async () => {
    const nowhere = openListener({ url: 'postgresql://nobody@127.0.0.1:1/none', log: silentLog });
    const unnotified = openFeed({ database, listener: nowhere, log: silentLog });
    const follower = await unnotified.follow({ appId });
    await append(newId());
    expect(await take(follower, 1)).toEqual([follower.startedAfter + 1n]);
    await unnotified.close();
    await nowhere.close();
  });
});
