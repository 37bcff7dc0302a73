import { beforeAll, describe, expect, it } from 'vitest';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';

let api: RestApi;
let key: string;
let foreign: string;
beforeAll(async () => {
  api = await openRestApi();
  key = api.merchantA.secretKey;
  foreign = api.merchantB.secretKey;
});

const vat = { displayName: 'VAT', percentage: 19 };
const make = async (body: object = vat) => (await api.rest('POST', '/tax-rates', { key, body })).body.data;

describe('POST /tax-rates', () => {
  it('creates a tax rate, exclusive by default', async () => {
    const { status, body } = await api.rest('POST', '/tax-rates', { key, body: vat });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      success: true,
      data: { ...vat, merchantId: api.merchantA.merchantId, inclusive: false, isActive: true, jurisdiction: null },
    });
  });

  it('accepts every field at its limit', async () => {
    const atLimit = {
      displayName: 'x'.repeat(100),
      percentage: 100,
      inclusive: true,
      jurisdiction: 'x'.repeat(50),
      description: 'x'.repeat(500),
    };
    expect(await make(atLimit)).toMatchObject(atLimit);
    expect(await make({ displayName: 'x', percentage: 0 })).toMatchObject({ percentage: 0 });
    expect(await make({ displayName: 'x', percentage: 8.8875 })).toMatchObject({ percentage: 8.8875 });
  });

  it('names every field beyond its limit at once', async () => {
    const body = {
      displayName: 'x'.repeat(101),
      percentage: 100.0001,
      jurisdiction: 'x'.repeat(51),
      description: 'x'.repeat(501),
    };
    const answer = await api.rest('POST', '/tax-rates', { key, body });
    expect(answer.status).toBe(400);
    expect(answer.body.error.details.map((fault: { param: string }) => fault.param).sort()).toEqual(
      Object.keys(body).sort(),
    );
  });

  it.each([
    ['no name', { percentage: 1 }],
    ['an empty name', { displayName: '', percentage: 1 }],
    ['a negative percentage', { displayName: 'x', percentage: -1 }],
    ['a percentage in words', { displayName: 'x', percentage: '19' }],
    ['too fine a percentage', { displayName: 'x', percentage: 1.00001 }],
    ['an unknown field', { ...vat, rate: 1 }],
  ])('refuses %s', async (_what, body) => {
    const answer = await api.rest('POST', '/tax-rates', { key, body });
    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  });

  it('requires a secret key', async () => {
    expect((await api.rest('POST', '/tax-rates', { body: vat })).status).toBe(401);
    const publishable = await api.rest('POST', '/tax-rates', { key: api.merchantA.publishableKey, body: vat });
    expect(publishable.status).toBe(403);
  });

  it('creates one for an idempotency key, and refuses the key with another body', async () => {
    const headers = { 'idempotency-key': 'tax-1' };
    const first = await api.rest('POST', '/tax-rates', { key, body: vat, headers });
    const second = await api.rest('POST', '/tax-rates', { key, body: vat, headers });
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    const other = await api.rest('POST', '/tax-rates', { key, body: { ...vat, percentage: 7 }, headers });
    expect([other.status, other.body.error.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
  });
});

describe('GET /tax-rates', () => {
  it('returns a flat list of active rates, newest first, or of archived ones on request', async () => {
    const [older, newer, archived] = [await make(), await make(), await make()];
    await api.rest('DELETE', `/tax-rates/${archived.id}`, { key });
    const ids = async (query: string) =>
      (await api.rest('GET', `/tax-rates${query}`, { key })).body.data.map((rate: { id: string }) => rate.id);
    expect((await ids('')).slice(0, 2)).toEqual([newer.id, older.id]);
    expect((await ids('?includeInactive=true')).slice(0, 3)).toEqual([archived.id, newer.id, older.id]);
    expect(await ids('?includeInactive=false')).not.toContain(archived.id);
    expect((await api.rest('GET', '/tax-rates?includeInactive=1', { key })).status).toBe(400);
  });

  it('returns an empty list for a merchant without tax rates', async () => {
    expect((await api.rest('GET', '/tax-rates', { key: foreign })).body).toEqual({ success: true, data: [] });
  });
});

describe('a tax rate', () => {
  it('is updated field by field, and cleared by null', async () => {
    const rate = await make({ ...vat, jurisdiction: 'DE', description: 'Full rate' });
    const changed = await api.rest('PUT', `/tax-rates/${rate.id}`, {
      key,
      body: { percentage: 20, jurisdiction: null },
    });
    expect(changed.body.data).toMatchObject({
      displayName: 'VAT',
      percentage: 20,
      jurisdiction: null,
      description: 'Full rate',
    });
    const same = await api.rest('PUT', `/tax-rates/${rate.id}`, { key, body: {} });
    expect(same.body.data).toMatchObject({ percentage: 20, description: 'Full rate' });
    expect((await api.rest('PUT', `/tax-rates/${rate.id}`, { key, body: { displayName: null } })).status).toBe(400);
  });

  it('is archived by DELETE, can still be read, and can be restored', async () => {
    const rate = await make();
    const deleted = await api.rest('DELETE', `/tax-rates/${rate.id}`, { key });
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await api.rest('GET', `/tax-rates/${rate.id}`, { key })).body.data.isActive).toBe(false);
    const back = await api.rest('PUT', `/tax-rates/${rate.id}`, { key, body: { isActive: true } });
    expect(back.body.data.isActive).toBe(true);
  });

  it.each(['GET', 'PUT', 'DELETE'])('returns 404 for %s if it belongs to another merchant', async (method) => {
    const rate = await make();
    const body = method === 'PUT' ? { percentage: 1 } : undefined;
    const theirs = await api.rest(method, `/tax-rates/${rate.id}`, { key: foreign, body });
    const missing = await api.rest(method, '/tax-rates/0190b0a0-0000-7000-8000-000000000000', { key: foreign, body });
    expect([theirs.status, missing.status]).toEqual([404, 404]);
    expect(theirs.body.error.message).toBe(missing.body.error.message);
    expect((await api.rest(method, '/tax-rates/not-a-uuid', { key, body })).status).toBe(400);
  });
});
