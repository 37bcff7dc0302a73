/** The test clock where it may not be moved, and who may move it. */
import { expect, test } from 'vitest';
import { openRestApi } from '../setup/rest.ts';
import { testChains } from '../setup/test-chains.ts';

const node = 'http://127.0.0.1:9';
const [one, two] = testChains;
// One chain of real money is enough.
const api = await openRestApi({ rpc: { 31337: node, 31338: node }, chains: [one, { ...two, local: false }] });
const key = api.merchantA.secretKey;

test('time cannot be moved where a chain is not local', async () => {
  const told = await api.rest('GET', '/test-clock', { key });
  expect(told.body.data).toMatchObject({ isMovable: false, offsetSeconds: 0, isAdvancing: false });
  const { status, body } = await api.rest('POST', '/test-clock/advance', { key, body: { seconds: 60 } });
  expect([status, body.error.code]).toEqual([409, 'INVALID_STATE']);
  expect(await api.database.testClock.count()).toBe(0);
});

test('a bad request is told before that, and a publishable key before both', async () => {
  const bad = await api.rest('POST', '/test-clock/advance', { key, body: {} });
  expect([bad.status, bad.body.error.param]).toEqual([400, 'seconds']);
  const publishable = await api.rest('POST', '/test-clock/advance', { key: api.merchantA.publishableKey, body: {} });
  expect([publishable.status, publishable.body.error.code]).toEqual([403, 'AUTHORIZATION_ERROR']);
});

test('an installation without a node cannot move it either', async () => {
  const bare = await openRestApi();
  const { status } = await bare.rest('POST', '/test-clock/advance', {
    key: bare.merchantA.secretKey,
    body: { seconds: 60 },
  });
  expect(status).toBe(409);
});
