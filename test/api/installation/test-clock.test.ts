/** Installations whose test clock cannot be advanced, and callers who may advance it. */
import { expect, test } from 'vitest';
import { createPlatformCredential } from '../../../src/auth/create-platform-credential.ts';
import { issueToken } from '../../../src/auth/tokens/issue-token.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';
import { testChains } from '../../setup/chains/test-chains.ts';

const node = 'http://127.0.0.1:9';
const [one, two] = testChains;
// One chain with real money is sufficient.
const api = await openRestApi({ rpc: { 31337: node, 31338: node }, chains: [one, { ...two, local: false }] });
const key = api.merchantA.secretKey;

test('time cannot be advanced if a chain is not local', async () => {
  const answer = await api.rest('GET', '/test-clock', { key });
  expect(answer.body.data).toMatchObject({ isMovable: false, offsetSeconds: 0, isAdvancing: false });
  const { status, body } = await api.rest('POST', '/test-clock/advance', { key, body: { seconds: 60 } });
  expect([status, body.error.code]).toEqual([409, 'INVALID_STATE']);
  expect(await api.database.testClock.count()).toBe(0);
});

test('an invalid request is refused before that, and a publishable key first of all', async () => {
  const bad = await api.rest('POST', '/test-clock/advance', { key, body: {} });
  expect([bad.status, bad.body.error.param]).toEqual([400, 'seconds']);
  const publishable = await api.rest('POST', '/test-clock/advance', { key: api.merchantA.publishableKey, body: {} });
  expect([publishable.status, publishable.body.error.code]).toEqual([403, 'AUTHORIZATION_ERROR']);
});

test('time cannot be advanced without a node', async () => {
  const bare = await openRestApi();
  const { status } = await bare.rest('POST', '/test-clock/advance', {
    key: bare.merchantA.secretKey,
    body: { seconds: 60 },
  });
  expect(status).toBe(409);
});

/** The dashboard token of a member of merchant A. */
async function memberToken({ world, database, merchantA }: RestApi, isOperator: boolean): Promise<string> {
  const [memberId, sessionId] = [newId(), newId()];
  const now = world.clock.now();
  const { merchantId } = merchantA;
  await database.member.create({
    data: { id: memberId, merchantId, email: `${memberId}@example.com`, role: 'DEVELOPER', isOperator },
  });
  const expiresAt = new Date(now.getTime() + 3_600_000);
  await database.memberSession.create({ data: { id: sessionId, memberId, expiresAt, createdAt: now } });
  return (await issueToken(world, { subject: { audience: 'dashboard', memberId, sessionId } })).token;
}

const ADVANCE = 'mutation { advanceTestClock(input: { seconds: 60, waitSeconds: 0 }) { isAdvancing targetAt } }';

/** The outcome of each credential over REST and GraphQL, and its value of `mayAdvance`. */
async function outcomes(environment: Record<string, string>) {
  const opened = await openRestApi({ rpc: { 31337: node, 31338: node }, environment });
  const operator = (await createPlatformCredential(opened.world, { role: 'OPERATOR', name: 'Ops' })).secret;
  const arbiter = (await createPlatformCredential(opened.world, { role: 'ARBITER', name: 'Judge' })).secret;
  const callers: Record<string, Record<string, string>> = {
    'secret key': { 'x-api-key': opened.merchantA.secretKey },
    developer: { authorization: `Bearer ${await memberToken(opened, false)}` },
    'developer who operates': { authorization: `Bearer ${await memberToken(opened, true)}` },
    operator: { 'x-api-key': operator },
    arbiter: { 'x-api-key': arbiter },
    nobody: {},
  };
  const results: Record<string, unknown[]> = {};
  for (const [who, headers] of Object.entries(callers)) {
    const body = { seconds: 60, waitSeconds: 0 };
    const rest = await opened.rest('POST', '/test-clock/advance', { headers, body });
    const graphql = await opened.graphql(ADVANCE, {}, { headers });
    const read = await opened.rest('GET', '/test-clock', { headers });
    const answers = [rest.body.error?.code, graphql.errors?.[0]?.extensions.code].map((code) => code ?? 'advances');
    results[who] = [...answers, read.body.data?.mayAdvance ?? read.status];
  }
  return { results, opened, operator };
}

const advances = ['advances', 'advances', true];
const refused = ['AUTHORIZATION_ERROR', 'AUTHORIZATION_ERROR'];
const anonymous = ['AUTHENTICATION_ERROR', 'AUTHENTICATION_ERROR', 401];

test('secret keys and members who may write advance it by default', async () => {
  const { results } = await outcomes({});
  expect(results).toEqual({
    'secret key': advances,
    developer: advances,
    'developer who operates': advances,
    operator: [...refused, false],
    arbiter: [...refused, 403],
    nobody: anonymous,
  });
});

test('only operators advance it with TEST_CLOCK=operator, and keys are refused before validation', async () => {
  const { results, opened, operator } = await outcomes({ TEST_CLOCK: 'operator' });
  expect(results).toEqual({
    'secret key': [...refused, false],
    developer: [...refused, false],
    'developer who operates': advances,
    operator: advances,
    arbiter: [...refused, 403],
    nobody: anonymous,
  });
  const bad = { body: {} };
  const byKey = await opened.rest('POST', '/test-clock/advance', { key: opened.merchantA.secretKey, ...bad });
  const byOperator = await opened.rest('POST', '/test-clock/advance', { key: operator, ...bad });
  expect([byKey.status, byOperator.status]).toEqual([403, 400]);

  const once = { key: operator, body: { seconds: 60, waitSeconds: 0 }, headers: { 'idempotency-key': 'a-minute' } };
  const first = await opened.rest('POST', '/test-clock/advance', once);
  const target = (await opened.database.testClock.findFirst())?.targetAt;
  const again = await opened.rest('POST', '/test-clock/advance', once);
  expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 200, 'true']);
  expect((await opened.database.testClock.findFirst())?.targetAt).toEqual(target);
});
