/** One-time codes of checkout sessions, an outcome a test. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { purgeTokens } from '../../../src/auth/tokens/purge-tokens.ts';
import { CODES_LIMIT, EXCHANGES, hashCheckoutCode } from '../../../src/checkout/codes/checkout-code.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { followWs, wsClient } from '../../setup/api/live.ts';
import { openRestApi, type RestApi, type RestCall } from '../../setup/api/rest.ts';

let api: RestApi;
beforeAll(async () => {
  api = await openRestApi({ environment: { TRUSTED_PROXIES: '1' } });
});
afterEach(() => api.clock.set(new Date()));

type Session = { id: string; clientSecret: string; paymentIntentId: string };

async function openSession(key = api.merchantA.secretKey): Promise<Session> {
  const body = { items: [{ name: 'Tea', amount: '10.00' }] };
  return (await api.rest('POST', '/checkout-sessions', { key, body })).body.data;
}

const create = (id: string, call: RestCall) => api.rest('POST', `/checkout-sessions/${id}/codes`, call);
const createFor = async ({ id, clientSecret }: Session): Promise<{ code: string; url: string; expiresAt: string }> =>
  (await create(id, { clientSecret })).body.data;

let addresses = 0;
/** Each call has an address of its own, so that only the test of the limit meets it. */
const exchange = (id: string, code: unknown, from = `203.0.113.${addresses++ % 250}`) =>
  api.rest('POST', `/checkout-sessions/${id}/codes/exchange`, {
    body: { code },
    headers: { 'x-forwarded-for': from },
  });
const codesOf = ({ id }: Session) => api.database.checkoutCode.findMany({ where: { sessionId: id } });
const refused = { code: 'AUTHENTICATION_ERROR', message: 'The code is wrong, used or expired.' };

describe('POST /checkout-sessions/:id/codes', () => {
  it('creates a code that is valid for 120 seconds, and stores neither it nor the secret', async () => {
    const session = await openSession();
    const { status, body, headers } = await create(session.id, { clientSecret: session.clientSecret });
    expect(status).toBe(200);
    const { code, url, expiresAt } = body.data;
    expect(code).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(url).toBe(`${api.world.config.publicUrl}/checkout/${session.id}#code=${code}`);
    expect(Math.abs(Date.parse(expiresAt) - Date.now() - 120_000)).toBeLessThan(10_000);
    expect(headers.get('idempotent-replayed')).toBeNull();
    const [row, ...others] = await codesOf(session);
    expect(others).toEqual([]);
    expect(row?.codeHash).toEqual(hashCheckoutCode(code));
    const stored = JSON.stringify({ ...row, codeHash: Buffer.from(row?.codeHash ?? []).toString('latin1') });
    expect(stored).not.toContain(code);
    expect(stored).not.toContain(session.clientSecret.slice(3));
  });

  it('is refused without a credential, with a wrong one, and with a key', async () => {
    const { id, clientSecret } = await openSession();
    expect((await create(id, {})).status).toBe(401);
    expect((await create(id, { clientSecret: `${clientSecret.slice(0, -1)}!` })).status).toBe(401);
    const { status, body } = await create(id, { key: api.merchantA.secretKey });
    expect([status, body.error.code]).toEqual([403, 'AUTHORIZATION_ERROR']);
  });

  it('rejects the secret of another session like a missing one', async () => {
    const [mine, other] = [await openSession(), await openSession(api.merchantB.secretKey)];
    const foreign = await create(mine.id, { clientSecret: other.clientSecret });
    const missing = await create(newId(), { clientSecret: other.clientSecret });
    const without = ({ body }: typeof foreign) => ({ ...body.error, requestId: '' });
    expect([foreign.status, missing.status]).toEqual([404, 404]);
    expect(without(foreign)).toEqual(without(missing));
    expect(await codesOf(mine)).toEqual([]);
  });

  it('reports a malformed ID', async () => {
    const { clientSecret } = await openSession();
    const { status, body } = await create('seven', { clientSecret });
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(body.error.details).toEqual([expect.objectContaining({ param: 'id' })]);
  });

  it('is refused for a session that can no longer be paid', async () => {
    const complete = await openSession();
    await api.database.checkoutSession.update({ where: { id: complete.id }, data: { status: 'COMPLETE' } });
    const paid = await openSession();
    await api.database.paymentIntent.update({ where: { id: paid.paymentIntentId }, data: { status: 'CAPTURED' } });
    const expired = await openSession();
    await api.database.checkoutSession.update({ where: { id: expired.id }, data: { status: 'EXPIRED' } });
    const answers = await Promise.all(
      [complete, paid, expired].map(({ id, clientSecret }) => create(id, { clientSecret })),
    );
    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
      [409, 'INVALID_STATE'],
      [409, 'INVALID_STATE'],
      [410, 'EXPIRED'],
    ]);
    expect(await Promise.all([complete, paid, expired].map(codesOf))).toEqual([[], [], []]);
  });

  it('creates another code each time, and keeps the newest', async () => {
    const session = await openSession();
    const codes: string[] = [];
    for (let index = 0; index < CODES_LIMIT + 1; index += 1) {
      const { body } = await create(session.id, {
        clientSecret: session.clientSecret,
        headers: { 'idempotency-key': 'the same' },
      });
      codes.push(body.data.code);
    }
    expect(new Set(codes).size).toBe(CODES_LIMIT + 1);
    expect(await codesOf(session)).toHaveLength(CODES_LIMIT);
    expect((await exchange(session.id, codes[0])).status).toBe(401);
    expect((await exchange(session.id, codes.at(-1))).status).toBe(200);
  });

  it('creates one over a WebSocket', async () => {
    const session = await openSession();
    const client = wsClient(api.url, { 'x-client-secret': session.clientSecret });
    const live = followWs(client, 'mutation ($id: ID!) { createCheckoutCode(id: $id) { code } }', { id: session.id });
    const answer = await live.next();
    await client.dispose();
    const code = answer === 'end' ? undefined : answer.data?.createCheckoutCode.code;
    expect((await exchange(session.id, code)).body.data.clientSecret).toBe(session.clientSecret);
  });
});

describe('POST /checkout-sessions/:id/codes/exchange', () => {
  it("returns the session's client secret once", async () => {
    const session = await openSession();
    const { code } = await createFor(session);
    const first = await exchange(session.id, code);
    expect(first.status).toBe(200);
    expect(first.body.data).toEqual({ sessionId: session.id, clientSecret: session.clientSecret });
    const options = `/checkout-sessions/${session.id}`;
    expect((await api.rest('GET', options, { key: api.merchantA.secretKey })).text).not.toContain(code);
    expect(await codesOf(session)).toEqual([]);
    const again = await exchange(session.id, code);
    expect(again.status).toBe(401);
    expect(again.body.error).toMatchObject(refused);
  });

  it('succeeds for exactly one of several concurrent calls', async () => {
    const session = await openSession();
    const { code } = await createFor(session);
    const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(session.id, code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 401)]);
  });

  it('refuses an expired code, and deletes it', async () => {
    const session = await openSession();
    const { code } = await createFor(session);
    api.clock.advance(119);
    const { code: later } = await createFor(session);
    api.clock.advance(2);
    const { status, body } = await exchange(session.id, code);
    expect(status).toBe(401);
    expect(body.error).toMatchObject(refused);
    expect(await codesOf(session)).toHaveLength(1);
    expect((await exchange(session.id, later)).status).toBe(200);
  });

  it('refuses the code of another session, which stays usable', async () => {
    const [mine, other] = [await openSession(), await openSession(api.merchantB.secretKey)];
    const { code } = await createFor(mine);
    for (const id of [other.id, newId()]) {
      const { status, body } = await exchange(id, code);
      expect(status).toBe(401);
      expect(body.error).toMatchObject(refused);
    }
    expect((await exchange(mine.id, code)).body.data.clientSecret).toBe(mine.clientSecret);
  });

  it('reports a malformed code and a malformed ID', async () => {
    const { id } = await openSession();
    const { code } = await createFor(await openSession());
    for (const wrong of ['', 'short', `${code}x`, `${code.slice(1)}+`, `${code.slice(1)}=`]) {
      const { status, body } = await exchange(id, wrong);
      expect([status, body.error.details]).toEqual([400, [expect.objectContaining({ param: 'code' })]]);
    }
    const { status, body } = await exchange('seven', code);
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  });

  it('is limited by network address', async () => {
    const { id } = await openSession();
    const code = 'x'.repeat(43);
    const calls = Array.from({ length: EXCHANGES.burst + 20 }, () => exchange(id, code, '198.51.100.7'));
    const limited = (await Promise.all(calls)).filter(({ status }) => status === 429);
    expect(limited.length).toBeGreaterThan(0);
    expect(limited[0]?.body.error.code).toBe('RATE_LIMIT_EXCEEDED');
    expect(Number(limited[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await exchange(id, code, '198.51.100.8')).status).toBe(401);
  });
});

it('deletes codes that were not exchanged', async () => {
  const session = await openSession();
  await createFor(session);
  await purgeTokens(api.world);
  expect(await codesOf(session)).toHaveLength(1);
  api.clock.advance(3 * 86_400);
  await purgeTokens(api.world);
  expect(await codesOf(session)).toEqual([]);
});
