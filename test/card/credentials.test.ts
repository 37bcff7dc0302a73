/** The credentials that the card API accepts over REST, and the profile that an access token changes. */
import { beforeAll, describe, expect, it } from 'vitest';
import { restRoutes } from '../../generated/rest.ts';
import { createPlatformCredential } from '../../src/auth/create-platform-credential.ts';
import { openCardGround } from './card-ground.ts';

const ground = await openCardGround();
const { card, merchantA } = ground;
const UNKNOWN = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11';

const routes = restRoutes
  .filter(({ path, access }) => path.startsWith('/v1/') && !access.includes('public'))
  .map(({ method, path }) => ({ method, path: path.replace(/:\w+/g, UNKNOWN) }));

describe('a card route', () => {
  it('requires a token, unless it issues one', () => {
    expect(routes).toHaveLength(8);
  });

  it.each(routes)('$method $path returns 401 without a bearer token, regardless of other headers', async (route) => {
    const operator = await createPlatformCredential(ground.world, { role: 'OPERATOR', name: 'ops' });
    const keys = [undefined, merchantA.secretKey, merchantA.publishableKey, operator.secret, 'sk_test_unknown'];
    const headers: Record<string, string>[] = [
      {},
      { 'x-client-secret': `cs_${UNKNOWN}_x` },
      { authorization: 'Basic YTpi' },
    ];
    for (const key of keys) {
      for (const header of headers) {
        const body = route.method === 'GET' ? undefined : {};
        const answer = await ground.rest(route.method, route.path, { key, headers: header, body });
        expect([answer.status, answer.body.error.code]).toEqual([401, 'AUTHENTICATION_ERROR']);
      }
    }
  });

  it('reads its bearer token if another credential is sent as well', async () => {
    const { accessToken } = await ground.logIn('both@example.com');
    const headers = { authorization: `Bearer ${accessToken}`, 'x-client-secret': 'unknown' };
    const answer = await ground.rest('GET', '/v1/wallet/profile', { key: merchantA.secretKey, headers });
    expect([answer.status, answer.body.email]).toEqual([200, 'both@example.com']);
  });
});

describe('PUT /v1/wallet/profile', () => {
  let token: string;
  const put = (body: unknown, as: string | undefined = token) =>
    card('PUT', '/wallet/profile', { body, ...(as === undefined ? {} : { token: as }) });

  beforeAll(async () => {
    token = (await ground.logIn('ada@example.com')).accessToken;
  });

  it('changes the user’s name, keeps absent fields, and clears fields with null', async () => {
    const named = await put({ displayName: 'Ada' });
    expect([named.status, named.body]).toEqual([200, { email: 'ada@example.com', displayName: 'Ada', accounts: [] }]);
    expect((await put({})).body.displayName).toBe('Ada');
    expect((await card('GET', '/wallet/profile', { token })).body).toEqual(named.body);
    expect((await put({ displayName: 'x'.repeat(100) })).body.displayName).toHaveLength(100);
    expect((await put({ displayName: null })).body.displayName).toBeNull();
  });

  it.each([
    ['an empty name', { displayName: '' }, 'displayName'],
    ['a name of 101 characters', { displayName: 'x'.repeat(101) }, 'displayName'],
    ['a name that is a number', { displayName: 7 }, 'displayName'],
    ['a field that is not there', { email: 'eve@example.com' }, 'email'],
  ])('rejects %s', async (_what, body, param) => {
    const answer = await put(body);
    expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([400, 'VALIDATION_ERROR', param]);
  });

  it('is not available to a session token, which belongs to one client', async () => {
    const session = await card('POST', '/session-connect/session', {
      token,
      body: { clientOrigin: 'https://shop.example' },
    });
    const answer = await put({ displayName: 'Mallory' }, session.body.sessionToken);
    expect([answer.status, answer.body.error.code]).toEqual([403, 'AUTHORIZATION_ERROR']);
  });

  it('does not change other users', async () => {
    await put({ displayName: 'Ada' });
    const other = (await ground.logIn('grace@example.com')).accessToken;
    expect((await put({ displayName: 'Grace' }, other)).body.displayName).toBe('Grace');
    expect((await card('GET', '/wallet/profile', { token })).body.displayName).toBe('Ada');
    expect((await put({ displayName: 'Eve' }, 'no.token.here')).status).toBe(401);
  });
});
