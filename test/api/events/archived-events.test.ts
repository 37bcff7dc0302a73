/** The effect of an archive on API clients, and the command that creates it. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';
import { runOperation } from '../../operations/run-operation.ts';
import { followSse } from '../../setup/api/live.ts';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';

const UPDATED =
  'subscription ($id: ID!, $after: Int) { paymentIntentUpdated(id: $id, after: $after) { sequence status } }';
const EVENTS = 'subscription ($after: Int) { events(after: $after) { sequence } }';

let api: RestApi;
let key: string;
let id: string;
let folder: string;
const ops = (...args: string[]) => runOperation({ database: api.database, clock: systemClock }, args);
const create = async (secretKey: string) =>
  (await api.rest('POST', '/payments/intents', { key: secretKey, body: { amount: '1' } })).body.data.id;
const list = (query: string, secretKey = key) => api.rest('GET', `/events${query}`, { key: secretKey });
const sequences = async (query: string, secretKey = key) =>
  (await list(query, secretKey)).body.data.map((event: { sequence: number }) => event.sequence);
const live = (query: string, variables: Record<string, unknown>) =>
  followSse(api.url, query, variables, { 'x-api-key': key });

beforeAll(async () => {
  api = await openRestApi();
  key = api.merchantA.secretKey;
  folder = mkdtempSync(join(tmpdir(), 'sluice-archive-'));
  id = await create(key);
  await create(key);
  await create(key);
  await create(api.merchantB.secretKey);
  const old = new Date('2026-01-05T12:00:00Z');
  const { appId } = api.merchantA;
  await api.database.event.updateMany({ where: { appId, sequence: { lte: 2n } }, data: { createdAt: old } });
  await api.database.eventConsumer.updateMany({ where: { appId }, data: { position: 3n } });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('the command refuses recent events and an invalid date', async () => {
  const young = new Date(systemClock.now().getTime() - 29 * 86_400_000).toISOString();
  expect(await ops('archive', '--before', young, '--to', folder)).toMatchObject({
    code: 2,
    complained: expect.stringContaining('at least 30 days ago'),
  });
  expect(await ops('archive', '--before', 'yesterday')).toMatchObject({ code: 2 });
  expect(await ops('archive')).toMatchObject({ code: 2, complained: expect.stringContaining('--before: is required') });
});

it('a dry run changes nothing, including the audit log', async () => {
  const { code, printed } = await ops('archive', '--before', '2026-02-01', '--to', folder, '--dry-run', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(printed).events).toContainEqual(
    expect.objectContaining({ appId: api.merchantA.appId, events: 2, archivedThrough: '2' }),
  );
  expect([
    readdirSync(folder),
    await api.database.auditEntry.count({ where: { action: 'database.archived' } }),
  ]).toEqual([[], 0]);
  expect(await sequences('')).toEqual([1, 2, 3]);
});

it('REST and live fields refuse an archived position with EXPIRED, and read later ones', async () => {
  expect((await ops('archive', '--before', '2026-02-01', '--to', folder)).code).toBe(0);
  for (const query of ['', '?after=0', '?after=1', '?after=1&types=invoice.paid']) {
    const { status, body } = await list(query);
    expect([status, body.error]).toMatchObject([410, { code: 'EXPIRED', param: 'after' }]);
    expect(body.error.message).toContain('events up to 2 have been archived');
  }
  expect([await sequences('?after=2'), await sequences('?after=3')]).toEqual([[3], []]);
  for (const stream of [await live(EVENTS, { after: 1 }), await live(UPDATED, { id, after: 1 })]) {
    expect((await stream.next()) as object).toMatchObject({ errors: [{ extensions: { code: 'EXPIRED' } }] });
  }
  const events = await live(EVENTS, { after: 2 });
  expect(await events.next()).toEqual({ data: { events: { sequence: 3 } } });
  await events.stop();
});

it('a payment with archived events can be followed from its own sequence', async () => {
  const { data } = await api.graphql('query ($id: ID!) { paymentIntent(id: $id) { sequence } }', { id }, { key });
  expect(data.paymentIntent).toEqual({ sequence: 2 });
  const following = await live(UPDATED, { id, after: 2 });
  expect((await api.rest('POST', `/payments/intents/${id}/cancel`, { key })).status).toBe(200);
  expect(await following.next()).toEqual({ data: { paymentIntentUpdated: { sequence: 4, status: 'CANCELLED' } } });
  await following.stop();
});

it('the events of another merchant are not archived, and the audit log records the actor', async () => {
  expect(await sequences('', api.merchantB.secretKey)).toEqual([1]);
  expect(readdirSync(folder)).toEqual([api.merchantA.appId]);
  expect(await api.database.auditEntry.findMany({ where: { action: 'database.archived' } })).toMatchObject([
    { actorKind: 'COMMAND_LINE', after: { events: 2, folder } },
  ]);
});
