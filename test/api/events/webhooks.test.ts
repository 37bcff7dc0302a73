import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { queueDeliveries } from '../../../src/events/webhooks/queue-deliveries.ts';
import { serveEndpoint } from '../../../src/events/webhooks/serve-endpoint.ts';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';
import { openReceiver, type Receiver } from '../../setup/receivers/receiver.ts';

let api: RestApi;
let key: string;
let foreign: string;
let path: string;
let receiver: Receiver;
beforeAll(async () => {
  api = await openRestApi({ environment: { WEBHOOK_PRIVATE_ADDRESSES: 'true' } });
  key = api.merchantA.secretKey;
  foreign = api.merchantB.secretKey;
  path = `/apps/${api.merchantA.appId}/webhooks`;
});
beforeEach(async () => {
  await api.database.webhookEndpoint.deleteMany();
  receiver = await openReceiver();
});

const make = async (fields: object = {}) =>
  (await api.rest('POST', path, { key, body: { url: receiver.url, events: ['*'], ...fields } })).body.data;

/** Creates a customer and delivers its event to the endpoint, as the worker does. */
async function deliverEvent(endpoint: { id: string }): Promise<void> {
  await api.rest('POST', '/customers', { key, body: { appId: api.merchantA.appId } });
  const cursor = await api.database.eventCursor.findUniqueOrThrow({ where: { appId: api.merchantA.appId } });
  await queueDeliveries(api.world, { appId: api.merchantA.appId, first: 1n, last: cursor.lastSequence });
  const clock = { now: () => new Date(Date.now() + 1000) };
  await serveEndpoint(
    { database: api.database, clock, privateAddresses: true },
    { endpointId: endpoint.id, until: new Date(Date.now() + 10_000) },
  );
}

describe('POST /apps/:appId/webhooks', () => {
  it('creates an endpoint and returns its secret once', async () => {
    const endpoint = await make({ events: ['invoice.paid'] });
    expect(endpoint).toMatchObject({
      appId: api.merchantA.appId,
      url: receiver.url,
      events: ['invoice.paid'],
      active: true,
    });
    expect(endpoint.secret).toMatch(/^whsec_/);
    const listed = await api.rest('GET', path, { key });
    expect(listed.body.data).toHaveLength(1);
    expect(listed.text).not.toContain('secret');
  });

  it('names every invalid field', async () => {
    const answer = await api.rest('POST', path, {
      key,
      body: { url: 'ftp://x', events: ['nothing.happened'], active: 'yes', ordered: 'strictly' },
    });
    expect(answer.status).toBe(400);
    expect(answer.body.error.details.map((fault: { param: string }) => fault.param).sort()).toEqual([
      'active',
      'events[0]',
      'ordered',
      'url',
    ]);
    expect((await api.rest('POST', path, { key, body: { url: receiver.url, events: [] } })).status).toBe(400);
  });

  it('is refused without a key, with a publishable key and for another merchant’s app', async () => {
    const body = { url: receiver.url, events: ['*'] };
    expect((await api.rest('POST', path, { body })).status).toBe(401);
    expect((await api.rest('POST', path, { key: api.merchantA.publishableKey, body })).status).toBe(403);
    expect((await api.rest('POST', path, { key: foreign, body })).status).toBe(403);
  });

  it('replays the same secret, and stores no cleartext of it besides the endpoint’s own', async () => {
    const call = { key, body: { url: receiver.url, events: ['*'] }, headers: { 'idempotency-key': 'hook' } };
    const [first, second] = [await api.rest('POST', path, call), await api.rest('POST', path, call)];
    expect(second.body).toEqual(first.body);
    expect(JSON.stringify(await api.database.idempotencyRecord.findMany())).not.toContain(first.body.data.secret);
  });

  it('allows at most twenty endpoints', async () => {
    for (let count = 0; count < 20; count += 1) await make();
    const answer = await api.rest('POST', path, { key, body: { url: receiver.url, events: ['*'] } });
    expect([answer.status, answer.body.error.code]).toEqual([409, 'CONFLICT']);
  });
});

describe('a webhook endpoint', () => {
  it('is updated, has its secret rotated, is pinged and is deleted', async () => {
    const endpoint = await make();
    const changed = await api.rest('PUT', `${path}/${endpoint.id}`, { key, body: { active: false } });
    expect(changed.body.data).toMatchObject({ active: false, events: ['*'] });
    const rotated = await api.rest('POST', `${path}/${endpoint.id}/rotate-secret`, { key });
    expect(rotated.body.data.secret).not.toBe(endpoint.secret);
    const pinged = await api.rest('POST', `${path}/${endpoint.id}/test-ping`, { key });
    expect(pinged.body.data).toMatchObject({ delivered: true, responseStatus: 200, responseBody: 'thanks' });
    const keyed = { key, headers: { 'idempotency-key': 'ping' } };
    const first = await api.rest('POST', `${path}/${endpoint.id}/test-ping`, keyed);
    const again = await api.rest('POST', `${path}/${endpoint.id}/test-ping`, keyed);
    expect([first, again].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
    expect(again.body).toEqual(first.body);
    expect((await api.rest('DELETE', `${path}/${endpoint.id}`, { key })).status).toBe(204);
    expect((await api.rest('DELETE', `${path}/${endpoint.id}`, { key })).status).toBe(404);
  });

  it('delivers in order if so configured, over REST and GraphQL', async () => {
    const orderedOf = async () =>
      (await api.graphql('{ webhookEndpoints { id ordered } }', {}, { key })).data.webhookEndpoints;
    const endpoint = await make();
    expect(endpoint.ordered).toBe(false);
    const changed = await api.rest('PUT', `${path}/${endpoint.id}`, { key, body: { ordered: true } });
    expect(changed.body.data).toMatchObject({ id: endpoint.id, ordered: true, active: true });
    expect(await orderedOf()).toEqual([{ id: endpoint.id, ordered: true }]);
    const document = 'mutation ($id: ID!) { updateWebhookEndpoint(id: $id, input: { ordered: false }) { ordered } }';
    await api.graphql(document, { id: endpoint.id }, { key });
    const other = await make({ ordered: true });
    expect(await orderedOf()).toEqual([
      { id: endpoint.id, ordered: false },
      { id: other.id, ordered: true },
    ]);
  });

  it('lists its deliveries newest first by cursor and status, and resends one', async () => {
    const endpoint = await make();
    await deliverEvent(endpoint);
    await deliverEvent(endpoint);
    const list = async (query: string) =>
      (await api.rest('GET', `${path}/${endpoint.id}/deliveries?${query}`, { key })).body;
    const newest = await list('limit=1');
    expect(newest).toMatchObject({
      hasMore: true,
      data: [{ event: 'customer.created', status: 'DELIVERED', attempts: 1, responseStatus: 200 }],
    });
    expect(newest.data[0].payload).toMatchObject({ type: 'customer.created', sequence: expect.any(Number) });
    const older = await list(`limit=1&cursor=${newest.data[0].id}`);
    expect(older).toMatchObject({ hasMore: false });
    expect(older.data[0].id).not.toBe(newest.data[0].id);
    expect((await list('status=FAILED')).data).toEqual([]);
    const again = await api.rest('POST', `${path}/deliveries/${newest.data[0].id}/redeliver`, { key });
    expect(again.body.data).toMatchObject({ status: 'PENDING' });
    expect((await api.rest('GET', `${path}/${endpoint.id}/deliveries?limit=101`, { key })).status).toBe(400);
  });

  it('lists its deliveries over GraphQL as a connection', async () => {
    const endpoint = await make();
    await deliverEvent(endpoint);
    await deliverEvent(endpoint);
    const document = `query ($id: ID!, $first: Int, $after: String) {
      webhookDeliveries(endpointId: $id, first: $first, after: $after) {
        totalCount nodes { id } edges { cursor node { id status } }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
    const list = async (variables: object) => {
      const { data, errors } = await api.graphql(document, { id: endpoint.id, ...variables }, { key });
      return data?.webhookDeliveries ?? errors?.[0]?.extensions;
    };
    const newest = await list({ first: 1 });
    expect(newest).toMatchObject({
      totalCount: 2,
      edges: [{ cursor: newest.pageInfo.endCursor, node: { id: newest.nodes[0].id, status: 'DELIVERED' } }],
      pageInfo: { hasNextPage: true, hasPreviousPage: false, startCursor: newest.pageInfo.endCursor },
    });
    const older = await list({ first: 1, after: newest.pageInfo.endCursor });
    expect(older.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    expect(older.nodes[0].id < newest.nodes[0].id).toBe(true);
    expect(await list({ first: 0 })).toMatchObject({ code: 'VALIDATION_ERROR', param: 'first' });
    expect(await list({ after: 'seven' })).toMatchObject({ code: 'VALIDATION_ERROR', param: 'after' });
  });

  it('of another merchant returns 404, and another merchant’s app returns 403', async () => {
    const endpoint = await make();
    await deliverEvent(endpoint);
    const delivery = await api.database.webhookDelivery.findFirstOrThrow({ where: { webhookId: endpoint.id } });
    const own = `/apps/${api.merchantB.appId}/webhooks`;
    const calls: [string, string, object?][] = [
      ['PUT', `/${endpoint.id}`, { active: false }],
      ['DELETE', `/${endpoint.id}`],
      ['POST', `/${endpoint.id}/rotate-secret`],
      ['POST', `/${endpoint.id}/test-ping`],
      ['GET', `/${endpoint.id}/deliveries`],
      ['POST', `/deliveries/${delivery.id}/redeliver`],
    ];
    for (const [method, suffix, body] of calls) {
      const theirs = await api.rest(method, `${own}${suffix}`, { key: foreign, ...(body ? { body } : {}) });
      expect([suffix, theirs.status]).toEqual([suffix, 404]);
      const through = await api.rest(method, `${path}${suffix}`, { key: foreign, ...(body ? { body } : {}) });
      expect([suffix, through.status]).toEqual([suffix, 403]);
    }
    expect(await api.database.webhookEndpoint.findUnique({ where: { id: endpoint.id } })).toMatchObject({
      active: true,
    });
  });
});

describe('a webhook URL inside a private network', () => {
  const own = '/apps/APP/webhooks';
  const urls = [
    'http://127.0.0.1/',
    'https://10.1.2.3/hook',
    'http://2130706433/',
    'http://[::1]:8080/',
    'http://[::ffff:169.254.169.254]/',
    'http://localhost./',
    'https://a.localhost/',
  ];

  it('is refused on creation and update, and nothing is written', async () => {
    const strict = await openRestApi();
    const { appId, secretKey } = strict.merchantA;
    const at = own.replace('APP', appId);
    const post = (url: string) => strict.rest('POST', at, { key: secretKey, body: { url, events: ['*'] } });
    for (const url of urls) {
      const answer = await post(url);
      expect([url, answer.status, answer.body.error.details?.[0]?.param]).toEqual([url, 400, 'url']);
    }
    expect(await strict.database.webhookEndpoint.count()).toBe(0);
    const made = await post('https://example.com/hook');
    expect(made.status).toBe(200);
    const changed = await strict.rest('PUT', `${at}/${made.body.data.id}`, {
      key: secretKey,
      body: { url: 'http://192.168.0.1/' },
    });
    expect(changed.status).toBe(400);
  });

  it('returns the same error whether a private name exists or not', async () => {
    const strict = await openRestApi();
    const { appId, secretKey } = strict.merchantA;
    const { port } = new URL(receiver.url);
    const ofHost = async (url: string) => {
      const body = { url: 'https://example.com/hook', events: ['*'] };
      const made = await strict.rest('POST', own.replace('APP', appId), { key: secretKey, body });
      const { id } = made.body.data;
      // As if the name had resolved to another address when the endpoint was created.
      await strict.database.webhookEndpoint.update({ where: { id }, data: { url } });
      const ping = await strict.rest('POST', `${own.replace('APP', appId)}/${id}/test-ping`, { key: secretKey });
      const overGraphql = await strict.graphql(
        'mutation ($id: ID!) { pingWebhookEndpoint(id: $id) { delivered responseStatus responseBody error latencyMs } }',
        { id },
        { key: secretKey },
      );
      return [ping.status, ping.body, overGraphql.data, overGraphql.errors];
    };
    const unknown = await ofHost('http://no-such-name.invalid/');
    expect(JSON.stringify(unknown)).toContain('The host has no public address.');
    expect(await ofHost(`http://localhost:${port}/`)).toEqual(unknown);
    expect(await ofHost('http://localhost:1/')).toEqual(unknown);
    expect(await ofHost('https://localhost:1/')).toEqual(unknown);
    expect(receiver.received).toEqual([]);
  });
});
