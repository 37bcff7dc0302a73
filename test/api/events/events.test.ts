import { beforeAll, describe, expect, it } from 'vitest';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';

let api: RestApi;
let key: string;
beforeAll(async () => {
  api = await openRestApi();
  key = api.merchantA.secretKey;
  for (const name of ['Ada', 'Grace', 'Edsger']) {
    await api.rest('POST', '/customers', { key, body: { appId: api.merchantA.appId, name } });
  }
  await api.rest('POST', '/payments/intents', { key, body: { amount: '1' } });
});

const list = async (query = '', caller: string | undefined = key) =>
  api.rest('GET', `/events${query}`, caller === undefined ? {} : { key: caller });
const sequences = (answer: { body: { data: { sequence: number }[] } }) =>
  answer.body.data.map((event) => event.sequence);

describe('GET /events', () => {
  it('returns the app’s sequence in order from the caller’s position', async () => {
    const all = await list();
    expect([all.status, all.body.hasMore, sequences(all)]).toEqual([200, false, [1, 2, 3, 4]]);
    expect(all.body.data[0]).toMatchObject({
      type: 'customer.created',
      appId: api.merchantA.appId,
      data: { name: 'Ada' },
    });
    expect(all.body.data[0]).not.toHaveProperty('finality');
    const some = await list('?after=1&limit=2');
    expect([some.body.hasMore, sequences(some)]).toEqual([true, [2, 3]]);
    expect((await list('?after=4')).body).toEqual({ success: true, data: [], hasMore: false });
  });

  it('filters by type', async () => {
    expect(sequences(await list('?types=payment_intent.created'))).toEqual([4]);
    expect(sequences(await list('?types=payment_intent.created,customer.created'))).toEqual([1, 2, 3, 4]);
  });

  it('accepts at most 200 types', async () => {
    const asking = (count: number) =>
      list(`?types=${Array.from({ length: count }, () => 'customer.created').join(',')}`);
    expect(sequences(await asking(200))).toEqual([1, 2, 3]);
    const { status, body } = await asking(201);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      param: 'types',
      message: expect.stringContaining('has 201 entries, at most 200'),
    });
  });

  it.each(['?after=-1', '?after=x', '?limit=0', '?limit=1001', '?types=nothing.happened', '?since=1'])(
    'refuses %s',
    async (query) => {
      expect((await list(query)).status).toBe(400);
    },
  );

  it('names every invalid parameter at once', async () => {
    const { body } = await list('?after=-1&limit=1001&types=nothing.happened');
    const params = body.error.details.map((fault: { param: string }) => fault.param);
    expect(params.sort()).toEqual(['after', 'limit', 'types[0]']);
  });

  it('returns only the caller’s events', async () => {
    expect((await api.rest('GET', '/events')).status).toBe(401);
    expect((await list('', api.merchantA.publishableKey)).status).toBe(403);
    expect((await list(`?appId=${api.merchantA.appId}`, api.merchantB.secretKey)).status).toBe(403);
    expect(sequences(await list('', api.merchantB.secretKey))).toEqual([]);
  });
});
