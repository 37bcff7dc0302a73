/** Keys restricted to networks. Every call here comes through one trusted proxy, which forwards the address. */
import { beforeAll, describe, expect, test } from 'vitest';
import { createApiKey } from '../../../src/auth/create-api-key.ts';
import { isWithinNetworks, networksAllow, parseNetwork } from '../../../src/auth/keys/network.ts';
import { followSse, wsClient } from '../../setup/api/live.ts';
import { openRestApi } from '../../setup/api/rest.ts';

const api = await openRestApi({ environment: { TRUSTED_PROXIES: '1' } });
const { merchantA, world } = api;
const scope = { merchantId: merchantA.merchantId, appId: merchantA.appId };
const REFUSED = 'This key may not be used from this network.';
const from = (address: string) => ({ 'x-forwarded-for': address });

let key: string;
beforeAll(async () => {
  const allowedNetworks = ['203.0.113.0/24', '2001:db8:0:1::/64', '2001:db8:0:2::7/128'];
  key = (await createApiKey(world, { scope, kind: 'SECRET', allowedNetworks })).secret;
});

describe.each([
  ['203.0.113.9', true],
  ['::ffff:203.0.113.9', true],
  ['203.0.114.1', false],
  ['2001:db8:0:1:aaaa::1', true],
  ['2001:db8:0:2::7', true],
  // In the same /64, which is the unit of rate limits without a key.
  ['2001:db8:0:2::8', false],
  // The caller's own value precedes the address that the proxy appends.
  ['203.0.113.9, 198.51.100.1', false],
])('a call from %s', (address, allowed) => {
  const code = allowed ? undefined : 'AUTHORIZATION_ERROR';

  test('is authorized over REST by the key’s networks', async () => {
    const { status, body } = await api.rest('GET', '/customers?appId=not-a-uuid', { key, headers: from(address) });
    expect([status, body.error.code]).toEqual(allowed ? [400, 'VALIDATION_ERROR'] : [403, 'AUTHORIZATION_ERROR']);
    if (!allowed) expect(body.error.message).toBe(REFUSED);
  });

  test('is authorized over GraphQL and SSE by the key’s networks', async () => {
    const answer = await api.graphql('{ viewer { kind } }', {}, { key, headers: from(address) });
    expect([answer.status, answer.errors?.[0]?.extensions.code]).toEqual([allowed ? 200 : 403, code]);
    const missing = { id: '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11' };
    const document = 'subscription ($id: ID!) { paymentIntentUpdated(id: $id) { id } }';
    const live = await followSse(api.url, document, missing, { 'x-api-key': key, ...from(address) });
    const first = await live.next();
    expect(first).toMatchObject({ errors: [{ extensions: { code: allowed ? 'NOT_FOUND' : code } }] });
    await live.stop();
  });

  test('is authorized over a websocket by the key’s networks', async () => {
    const { default: WebSocket } = await import('ws');
    const socket = new WebSocket(`${api.url.replace(/^http/, 'ws')}/graphql`, 'graphql-transport-ws', {
      headers: from(address),
    });
    const outcome = new Promise((resolve) => {
      socket.on('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload: { 'x-api-key': key } })));
      socket.on('message', (message) => resolve(JSON.parse(String(message)).type));
      socket.on('close', (closed) => resolve(closed));
    });
    expect(await outcome).toBe(allowed ? 'connection_ack' : 4403);
    socket.close();
  });
});

test('a key without networks works from any address, and an unknown key is rejected as unknown', async () => {
  const answer = await api.graphql(
    '{ viewer { kind } }',
    {},
    { key: merchantA.secretKey, headers: from('198.51.100.1') },
  );
  expect(answer.status).toBe(200);
  const wrong = await api.graphql('{ viewer { kind } }', {}, { key: `${key}x`, headers: from('198.51.100.1') });
  expect(wrong.status).toBe(401);
  const client = wsClient(api.url, { 'x-api-key': `${key}x` });
  expect((await client.closed).code).toBe(4401);
});

test('a rejected call from outside the networks does not count as use of the key', async () => {
  const made = await createApiKey(world, { scope, kind: 'SECRET', allowedNetworks: ['203.0.113.0/24'] });
  await api.graphql('{ viewer { kind } }', {}, { key: made.secret, headers: from('198.51.100.1') });
  const row = await api.database.apiKey.findUniqueOrThrow({ where: { id: made.key.id } });
  expect(row.lastUsedAt).toBeNull();
});

test('a key creates keys only within its own networks', async () => {
  const CREATE = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { allowedNetworks } } }';
  const create = (allowedNetworks?: string[]) =>
    api.graphql(CREATE, { input: { kind: 'SECRET', allowedNetworks } }, { key, headers: from('203.0.113.9') });
  const answers = await Promise.all(
    [undefined, ['203.0.112.0/23'], ['203.0.113.0/25', '198.51.100.1'], ['2001:db8:0:1::/63']].map(create),
  );
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  expect(answers[2]?.errors?.[0]?.message).toMatch(/198\.51\.100\.1\/32/);
  const made = await create(['203.0.113.128/25', '2001:db8:0:1:8000::/65']);
  expect(made.data.createApiKey.apiKey.allowedNetworks).toEqual(['203.0.113.128/25', '2001:db8:0:1:8000::/65']);
});

test('parses networks and determines whether an address or a network is within others', () => {
  expect(parseNetwork('0.0.0.0/0')).toBe('0.0.0.0/0');
  expect(parseNetwork('::/0')).toBe('::/0');
  expect(parseNetwork('10.0.0.1/')).toBeNull();
  expect(networksAllow(['10.0.0.9/8'], '10.200.0.1')).toBe(true);
  expect(networksAllow(['10.0.0.0/8'], 'unknown')).toBe(false);
  expect(networksAllow(['::/0'], '10.0.0.1')).toBe(false);
  expect(isWithinNetworks('10.0.0.0/8', ['10.0.0.0/8'])).toBe(true);
  expect(isWithinNetworks('10.0.0.0/7', ['10.0.0.0/8'])).toBe(false);
  expect(isWithinNetworks('10.0.0.0/8', ['::/0'])).toBe(false);
});
