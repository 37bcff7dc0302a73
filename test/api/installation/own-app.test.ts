/** The caller's own `appId` in a body is accepted everywhere, and any other is refused, whether it exists or not. */
import { describe, expect, it } from 'vitest';
import { openRestApi } from '../../setup/api/rest.ts';

const api = await openRestApi();
const { merchantA, merchantB, liveApp } = api;
const key = merchantA.secretKey;
const own = merchantA.appId;
const UNKNOWN = '0190b0a0-0000-7000-8000-000000000000';
const foreign = [
  ['another merchant’s app', merchantB.appId],
  ['another app of the merchant', liveApp.appId],
  ['no app at all', UNKNOWN],
] as const;

const creates = [
  ['/payments/intents', { amount: '10' }],
  ['/payment-links', { name: 'Coffee', slug: 'coffee', amount: '4.20' }],
  ['/tax-rates', { displayName: 'VAT', percentage: 19 }],
] as const;

describe.each(creates)('POST %s', (path, fields) => {
  const post = (appId: unknown, credential: string | undefined = key) =>
    api.rest('POST', path, { key: credential, body: { ...fields, appId } });

  it('accepts the app of its key, in any case', async () => {
    expect((await post(own)).status).toBe(200);
    const again = await api.rest('POST', path, {
      key,
      body: { ...fields, appId: own.toUpperCase(), ...('slug' in fields ? { slug: 'tea' } : {}) },
    });
    expect(again.status).toBe(200);
  });

  it.each(foreign)('refuses %s', async (_what, appId) => {
    const answer = await post(appId);
    expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([
      403,
      'AUTHORIZATION_ERROR',
      'appId',
    ]);
  });

  it('refuses an invalid UUID, a missing credential and a publishable key', async () => {
    const malformed = await post('mine');
    expect([malformed.status, malformed.body.error.param]).toEqual([400, 'appId']);
    expect((await api.rest('POST', path, { body: { ...fields, appId: own } })).status).toBe(401);
    expect((await post(own, merchantA.publishableKey)).status).toBe(403);
  });
});

describe('a created object', () => {
  it('belongs to the app if it is an intent, and a repeated call may omit the app', async () => {
    const headers = { 'idempotency-key': 'own-app' };
    const named = await api.rest('POST', '/payments/intents', { key, headers, body: { amount: '10', appId: own } });
    expect(named.body.data.appId).toBe(own);
    const unnamed = await api.rest('POST', '/payments/intents', { key, headers, body: { amount: '10' } });
    expect([unnamed.body.data.id, unnamed.headers.get('idempotent-replayed')]).toEqual([named.body.data.id, 'true']);
  });

  it('does not store the app if it is a tax rate, which every app of the merchant may use', async () => {
    const body = { displayName: 'GST', percentage: 5, appId: own };
    const { data } = (await api.rest('POST', '/tax-rates', { key, body })).body;
    expect(data).toMatchObject({ merchantId: merchantA.merchantId, displayName: 'GST' });
    expect(data).not.toHaveProperty('appId');
    const changed = await api.rest('PUT', `/tax-rates/${data.id}`, { key, body: { percentage: 6, appId: own } });
    expect([changed.status, changed.body.data.percentage]).toEqual([200, 6]);
    expect((await api.rest('GET', `/tax-rates/${data.id}`, { key: liveApp.secretKey })).status).toBe(200);
    const refused = await api.rest('PUT', `/tax-rates/${data.id}`, {
      key,
      body: { percentage: 7, appId: liveApp.appId },
    });
    expect(refused.status).toBe(403);
    expect((await api.rest('GET', `/tax-rates/${data.id}`, { key })).body.data.percentage).toBe(6);
  });
});

const address = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
describe.each([
  ['POST', `/customers/${UNKNOWN}/wallets`, { chainId: 1, walletAddress: address }],
  ['PUT', `/customers/${UNKNOWN}`, { name: 'Ada' }],
  ['PUT', `/payment-links/${UNKNOWN}`, { name: 'Tea' }],
  ['PUT', `/tax-rates/${UNKNOWN}`, { percentage: 1 }],
  ['PUT', `/product-plans/${UNKNOWN}`, { name: 'Tea' }],
  ['PUT', `/product-plans/${UNKNOWN}/prices/${UNKNOWN}`, { nickname: 'Tea' }],
  ['POST', `/payments/intents/${UNKNOWN}/capture`, {}],
  ['POST', `/payments/intents/${UNKNOWN}/refund`, { reason: 'Broken' }],
  ['POST', `/subscriptions/${UNKNOWN}/cancel`, {}],
  ['POST', `/subscriptions/${UNKNOWN}/checkout`, {}],
  ['PUT', `/subscriptions/${UNKNOWN}`, { productPlanPriceId: UNKNOWN }],
] as const)('%s %s', (method, path, fields) => {
  it('looks up its object with the caller’s own app, and is refused with any other', async () => {
    const call = (appId: string) => api.rest(method, path, { key, body: { ...fields, appId } });
    expect((await call(own)).status).toBe(404);
    for (const [, appId] of foreign) expect((await call(appId)).status).toBe(403);
    expect((await call('mine')).status).toBe(400);
  });
});
