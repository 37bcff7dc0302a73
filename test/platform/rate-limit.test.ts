import { describe, expect, test } from 'vitest';
import { clientAddress } from '../../src/platform/client-address.ts';
import { purgeBuckets } from '../../src/platform/limits/purge-buckets.ts';
import { openRateLimiter, rateLimitHeaders } from '../../src/platform/limits/rate-limit.ts';
import { type Bucket, takeTokens } from '../../src/platform/limits/take-tokens.ts';
import { freshDatabase } from '../setup/database/database.ts';

const { database } = await freshDatabase();
/** A refill that is too slow to affect a test. */
const bucket = (key: string, burst: number): Bucket => ({ key, burst, perSecond: 1 / 3600 });

function limiter(nowMs: () => number = () => performance.now()) {
  let statements = 0;
  const opened = openRateLimiter({
    take: (wanted) => {
      statements++;
      return takeTokens(database, wanted);
    },
    nowMs,
  });
  return { take: opened.take, statements: () => statements };
}

test('a new bucket is full, gives whole tokens until it is empty, and accepts returned tokens', async () => {
  const wanted = bucket('plain', 10);
  expect(await takeTokens(database, { bucket: wanted, asked: 4 })).toMatchObject({ granted: 4 });
  expect(await takeTokens(database, { bucket: wanted, asked: 10 })).toMatchObject({ granted: 6 });
  expect(await takeTokens(database, { bucket: wanted, asked: 1 })).toMatchObject({ granted: 0 });
  expect(await takeTokens(database, { bucket: wanted, asked: 1, returned: 3 })).toMatchObject({ granted: 1 });
  expect((await takeTokens(database, { bucket: wanted, asked: 0, returned: 500 })).remaining).toBe(10);
});

test('a bucket refills at its rate, up to its burst', async () => {
  const wanted: Bucket = { key: 'refill', burst: 10, perSecond: 0.01 };
  await takeTokens(database, { bucket: wanted, asked: 10 });
  await database.$executeRaw`UPDATE rate_bucket SET updated_at = now() - interval '350 seconds' WHERE key = 'refill'`;
  expect(await takeTokens(database, { bucket: wanted, asked: 10 })).toMatchObject({ granted: 3 });
  await database.$executeRaw`UPDATE rate_bucket SET updated_at = now() - interval '1 day' WHERE key = 'refill'`;
  expect(await takeTokens(database, { bucket: wanted, asked: 99 })).toMatchObject({ granted: 10 });
});

test('buckets that are full again are deleted, and no others', async () => {
  const limits = { perSecond: 1, burst: 3 * 86_400 };
  const idle = { forgotten: '4 days', slow: '2 days', recent: '1 hour' };
  for (const [key, age] of Object.entries(idle)) {
    await takeTokens(database, { bucket: bucket(key, 10), asked: 10 });
    await database.$executeRaw`
      UPDATE rate_bucket SET updated_at = clock_timestamp() - ${age}::text::interval WHERE key = ${key}`;
  }
  const remainingKeys = async () => {
    const rows = await database.rateBucket.findMany({ where: { key: { in: Object.keys(idle) } } });
    return rows.map(({ key }) => key).sort();
  };
  expect(await purgeBuckets({ database }, { limits })).toBe(1);
  expect(await remainingKeys()).toEqual(['recent', 'slow']);
  expect(await purgeBuckets({ database }, { limits: { perSecond: 100, burst: 300 } })).toBe(1);
  expect(await remainingKeys()).toEqual(['recent']);
});

test('several processes together admit exactly the burst', async () => {
  const processes = [limiter(), limiter(), limiter()];
  const wanted = bucket('shared', 60);
  const decisions = await Promise.all(Array.from({ length: 150 }, (_, call) => processes[call % 3]?.take(wanted)));
  const admitted = decisions.filter((decision) => decision?.allowed).length;
  // Leased and unused tokens remain with a process for a second after the others have used theirs.
  expect(admitted).toBeLessThanOrEqual(60);
  expect(admitted).toBeGreaterThanOrEqual(48);
});

test('a frequent caller needs few statements, and an exhausted one none', async () => {
  const frozen = limiter(() => 0);
  const wanted = bucket('busy', 300);
  for (let call = 0; call < 300; call++) expect((await frozen.take(wanted)).allowed).toBe(true);
  expect(frozen.statements()).toBeLessThan(25);
  const refused = await frozen.take(wanted);
  expect(refused).toMatchObject({ allowed: false, remaining: 0 });
  expect(refused.retryAfterSeconds).toBeGreaterThan(3000);
  const before = frozen.statements();
  for (let call = 0; call < 100; call++) expect((await frozen.take(wanted)).allowed).toBe(false);
  expect(frozen.statements()).toBe(before);
});

test('unused tokens of an idle process are returned', async () => {
  let now = 0;
  const quiet = limiter(() => now);
  const wanted = bucket('quiet', 100);
  for (let call = 0; call < 9; call++) await quiet.take(wanted);
  now += 5_000;
  await quiet.take(wanted);
  const remaining = await takeTokens(database, { bucket: wanted, asked: 0 });
  expect(Math.round(remaining.remaining)).toBe(90);
});

test('the headers contain the remaining requests and the time of the next ones', () => {
  const wanted: Bucket = { key: 'k', burst: 300, perSecond: 100 };
  expect(rateLimitHeaders({ allowed: true, bucket: wanted, remaining: 100, retryAfterSeconds: 0 })).toEqual({
    'ratelimit-policy': '"default";q=300;w=3',
    ratelimit: '"default";r=100;t=2',
  });
  expect(rateLimitHeaders({ allowed: false, bucket: wanted, remaining: 0, retryAfterSeconds: 1 })).toMatchObject({
    ratelimit: '"default";r=0;t=1',
    'retry-after': '1',
  });
});

describe("a caller's address", () => {
  test.each([
    ['203.0.113.9', undefined, 0, '203.0.113.9'],
    ['203.0.113.9', '198.51.100.1', 0, '203.0.113.9'],
    ['10.0.0.1', 'spoofed, 198.51.100.1', 1, '198.51.100.1'],
    ['10.0.0.1', '198.51.100.1, 10.0.0.2', 2, '198.51.100.1'],
    ['10.0.0.1', '6.6.6.6, 198.51.100.1, 10.0.0.2', 2, '198.51.100.1'],
    ['10.0.0.1', 'rubbish', 1, '10.0.0.1'],
    ['::ffff:203.0.113.9', undefined, 0, '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', undefined, 0, '2001:db8:1:2::/64'],
    ['2001:db8::6', undefined, 0, '2001:db8:0:0::/64'],
    ['::1', undefined, 0, '0:0:0:0::/64'],
    ['fe80::1%eth0', undefined, 0, 'fe80:0:0:0::/64'],
    [undefined, undefined, 0, 'unknown'],
  ])('%s, forwarded for %s behind %i, is %s', (remoteAddress, forwardedFor, trustedProxies, expected) => {
    expect(clientAddress({ remoteAddress, forwardedFor, trustedProxies })).toBe(expected);
  });
});
