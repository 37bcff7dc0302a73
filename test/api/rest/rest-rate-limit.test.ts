/** Rate limits over HTTP: per key, per address without one, shared between processes. */
import { expect, test } from 'vitest';
import { openGate } from '../../../src/api/gate.ts';
import { openParts } from '../../../src/api/open-parts.ts';
import { startApi } from '../../../src/api/start-api.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { openTestGraph } from '../../setup/api/graph.ts';
import { callRest, openRestApi } from '../../setup/api/rest.ts';
import { onTeardown } from '../../setup/teardown.ts';

const UNKNOWN = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11';
const BURST = 20;
const api = await openRestApi({
  environment: {
    RATE_LIMIT_PER_SECOND: '1',
    RATE_LIMIT_BURST: String(BURST),
    RATE_LIMIT_KEYLESS_PER_SECOND: '5',
    TRUSTED_PROXIES: '1',
  },
});
const { world } = api;
const graph = await openTestGraph();
const second = await startApi({ world, graph }, { host: '127.0.0.1', port: 0 }, openParts(world));
onTeardown(() => second.close());

/** Calls as fast as possible, and returns the elapsed seconds, because the bucket refills in the meantime. */
async function flood(count: number, call: (n: number) => Promise<{ status: number; headers: Headers }>) {
  const startedAt = performance.now();
  const answers = await Promise.all(Array.from({ length: count }, (_, n) => call(n)));
  return {
    admitted: answers.filter((answer) => answer.status !== 429).length,
    refused: answers.filter((answer) => answer.status === 429),
    seconds: (performance.now() - startedAt) / 1000,
  };
}

test('allows one burst for each key over all processes, and then returns 429 with a retry time', async () => {
  const urls = [api.url, second.url];
  const { admitted, refused, seconds } = await flood(60, (n) =>
    callRest(urls[n % 2] ?? api.url, 'GET', '/payments/intents?pageSize=1', { key: api.merchantA.secretKey }),
  );
  expect(admitted).toBeLessThanOrEqual(BURST + Math.ceil(seconds));
  expect(admitted).toBeGreaterThanOrEqual(BURST - 6);
  const headers = refused[0]?.headers;
  expect(Number(headers?.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(headers?.get('ratelimit-policy')).toBe(`"default";q=${BURST};w=${BURST}`);
  expect(headers?.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/);
  const other = await api.rest('GET', '/payments/intents', { key: api.merchantB.secretKey });
  expect(other.status).toBe(200);
  expect(other.headers.get('ratelimit')).toMatch(/^"default";r=\d+;t=\d+$/);
});

test('returns 429 with an error object, including for writes', async () => {
  await flood(BURST * 2, () => api.rest('GET', '/tax-rates', { key: api.liveApp.secretKey }));
  const refused = await flood(5, () =>
    api.rest('POST', '/payments/intents', { key: api.liveApp.secretKey, body: { amount: '1' } }),
  );
  expect(refused.refused.length).toBeGreaterThan(0);
  expect(refused.refused[0]).toMatchObject({ body: { success: false, error: { code: 'RATE_LIMIT_EXCEEDED' } } });
});

test('limits requests without a key by address, including those with wrong keys', async () => {
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
  const { admitted, refused, seconds } = await flood(40, (n) =>
    api.rest('GET', '/payments/intents', { ...from('198.51.100.7'), key: `sk_test_guess_${n}` }),
  );
  expect(admitted).toBeLessThanOrEqual(5 + Math.ceil(seconds * 5));
  expect(refused.length).toBeGreaterThan(0);
  expect((await api.rest('GET', '/payments/intents', from('198.51.100.8'))).status).toBe(401);
});

test.each(['/mail-preview/', '/unsubscribe/customer/', '/renewal/'])(
  'limits requests for pages without a credential by address: %s',
  async (start) => {
    const kind = start === '/renewal/' ? '' : '/RECEIPT';
    const path = `${start}${UNKNOWN}${kind}${start.startsWith('/mail') ? '/en' : ''}`;
    const ask = (address: string) => fetch(`${api.url}${path}`, { headers: { 'x-forwarded-for': address } });
    const statuses: number[] = [];
    for (let call = 0; call < 40; call += 1) statuses.push((await ask(`198.51.100.${start.length}`)).status);
    expect(new Set(statuses)).toEqual(new Set([404, 429]));
    expect((await ask(`198.51.101.${start.length}`)).status).toBe(404);
  },
);

test('allows reads and refuses writes while the limit cannot be checked', async () => {
  const gate = openGate({
    authenticate: async () => ({ kind: 'anonymous' }),
    limiter: { take: () => Promise.reject(new Error('down')), isKnownEmpty: () => undefined },
    limits: { perSecond: 1, burst: 1, keylessPerSecond: 1 },
    trustedProxies: 0,
    log: silentLog,
  });
  const admit = (method: string) => gate.admit({ method, headers: {}, remoteAddress: '203.0.113.9' });
  expect((await admit('GET')).refusal).toBeUndefined();
  expect((await admit('POST')).refusal).toMatchObject({ code: 'UNAVAILABLE', status: 503 });
});
