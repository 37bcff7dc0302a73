/** Live updates of the client: over WebSockets and server-sent events, despite lost connections. */
import { expect, it } from 'vitest';
import { createSluice, SluiceApiError, type SluiceEvent } from '../../packages/sdk/src/index.ts';
import { openRestApi } from '../setup/api/rest.ts';
import { openBreakableLine, openSocketlessProxy } from './breakable-line.ts';

const api = await openRestApi();
const { merchantA, merchantB } = api;
const at = (baseUrl: string, liveTransport: 'auto' | 'websocket' | 'sse' = 'auto') =>
  createSluice({ baseUrl, apiKey: merchantA.secretKey, liveTransport });
const sluice = at(api.url);

it.each(['websocket', 'sse'] as const)('a payment is watched over %s from its current state', async (transport) => {
  const { id } = await sluice.paymentIntents.create({ amount: '10', metadata: { order: '1' } });
  const seen: string[] = [];
  for await (const intent of at(api.url, transport).paymentIntents.watch(id)) {
    seen.push(intent.status);
    expect(intent).toMatchObject({ id, amount: '10.00', metadata: { order: '1' }, sequence: expect.any(Number) });
    if (intent.status === 'CREATED') await sluice.paymentIntents.cancel(id);
    else break;
  }
  expect(seen).toEqual(['CREATED', 'CANCELLED']);
});

it('a watched payment has the fields of the REST resource', async () => {
  const { id } = await sluice.paymentIntents.create({ amount: '10' });
  const { transactions, dispute, customerAccount, ...own } = await sluice.paymentIntents.get(id);
  expect([transactions, dispute, customerAccount]).toEqual([[], null, null]);
  for await (const { sequence, ...intent } of sluice.paymentIntents.watch(id)) {
    expect(sequence).toBeGreaterThan(0);
    expect(intent).toEqual(own);
    break;
  }
});

it.each(['websocket', 'sse'] as const)(
  'over %s, a lost connection causes no missing and no repeated values',
  async (transport) => {
    const line = await openBreakableLine(api.url);
    const { id } = await sluice.paymentIntents.create({ amount: '10' });
    const seen: { status: string; sequence: number }[] = [];
    for await (const { status, sequence } of at(line.url, transport).paymentIntents.watch(id)) {
      seen.push({ status, sequence });
      if (status !== 'CREATED') break;
      line.break();
      await sluice.paymentIntents.cancel(id);
      // The client fails to connect at least once before the connection is restored.
      line.refusal().then(() => line.mend());
    }
    expect(seen.map(({ status }) => status)).toEqual(['CREATED', 'CANCELLED']);
    expect(line.opened()).toBe(2);
  },
);

it('watching resumes after a sequence number', async () => {
  const { id } = await sluice.paymentIntents.create({ amount: '10' });
  let after = 0;
  for await (const intent of sluice.paymentIntents.watch(id)) {
    after = intent.sequence;
    break;
  }
  await sluice.paymentIntents.cancel(id);
  for await (const intent of sluice.paymentIntents.watch(id, { after })) {
    expect(intent.status).toBe('CANCELLED');
    expect(intent.sequence).toBe(after + 1);
    break;
  }
});

it('watching falls back to server-sent events if no WebSocket can be opened', async () => {
  const proxy = await openSocketlessProxy(api.url);
  const { id } = await sluice.paymentIntents.create({ amount: '10' });
  for await (const intent of at(proxy.url).paymentIntents.watch(id)) {
    expect(intent.status).toBe('CREATED');
    break;
  }
  expect(proxy.refused()).toBe(1);
});

it('new events are followed in order, despite a lost connection', async () => {
  const line = await openBreakableLine(api.url);
  await sluice.paymentIntents.create({ amount: '1' });
  const followed = at(line.url).events.follow({ types: ['payment_intent.created'] });
  const next = followed.next();
  await expect.poll(() => line.opened()).toBeGreaterThan(1);
  const made: string[] = [];
  const make = async () => made.push((await sluice.paymentIntents.create({ amount: '2' })).id);
  await make();
  const seen: (SluiceEvent | undefined)[] = [(await next).value ?? undefined];
  line.break();
  await make();
  await make();
  line.mend();
  seen.push((await followed.next()).value ?? undefined, (await followed.next()).value ?? undefined);
  await followed.return();
  expect(seen.map((event) => (event?.type === 'payment_intent.created' ? event.data.id : undefined))).toEqual(made);
});

it('the newest sequence number is the position of new events', async () => {
  const before = await sluice.events.newestSequence();
  await sluice.paymentIntents.create({ amount: '1' });
  expect(await sluice.events.newestSequence()).toBe(before + 1);
});

it('events are followed from the first one', async () => {
  const sequences: number[] = [];
  for await (const event of sluice.events.follow({ after: 0 })) {
    sequences.push(event.sequence);
    if (sequences.length === 5) break;
  }
  expect(sequences).toEqual([1, 2, 3, 4, 5]);
});

it.each(['websocket', 'sse'] as const)('over %s, a final error ends the loop', async (transport) => {
  const { id } = await sluice.paymentIntents.create({ amount: '10' });
  const first = (key: string, which: string) =>
    createSluice({ baseUrl: api.url, apiKey: key, liveTransport: transport }).paymentIntents.watch(which).next();
  const foreign = await first(merchantB.secretKey, id).catch((error: unknown) => error);
  expect(foreign).toBeInstanceOf(SluiceApiError);
  expect(foreign).toMatchObject({ code: 'NOT_FOUND', retryable: false });
  const wrong = await first('sk_test_wrong', id).catch((error: unknown) => error);
  expect(wrong).toMatchObject({ code: 'AUTHENTICATION_ERROR', status: 401 });
});

it('watching ends with the caller’s reason', async () => {
  const { id } = await sluice.paymentIntents.create({ amount: '10' });
  const controller = new AbortController();
  const reason = new Error('The shop closes.');
  const watching = (async () => {
    for await (const _ of sluice.paymentIntents.watch(id, { signal: controller.signal })) controller.abort(reason);
  })();
  await expect(watching).rejects.toBe(reason);
});

it('a session is watched with its client secret', async () => {
  const { id, clientSecret } = await sluice.checkoutSessions.create({ items: [{ name: 'Tea', amount: '3' }] });
  const payer = createSluice({ baseUrl: api.url, clientSecret });
  const seen: string[] = [];
  for await (const { session } of payer.checkoutSessions.watch(id)) {
    seen.push(session.status);
    if (session.status !== 'OPEN') break;
    await sluice.checkoutSessions.expire(id);
  }
  expect(seen).toEqual(['OPEN', 'EXPIRED']);
});
