/** Calls of the client against a running API: resources, lists, idempotency, retries, time limits and errors. */
import { describe, expect, it } from 'vitest';
import {
  createSluice,
  SluiceApiError,
  SluiceConnectionError,
  type SluiceError,
  SluiceTimeoutError,
} from '../../packages/sdk/src/index.ts';
import { openRestApi } from '../setup/api/rest.ts';

const api = await openRestApi();
const { merchantA, merchantB } = api;
const UNKNOWN = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11';
const sluice = createSluice({ baseUrl: `${api.url}/`, apiKey: merchantA.secretKey });

type Seen = { url: string; method: string; key: string | null };

/** A client whose `fetch` calls `meet`, which may throw or return a response. Undefined forwards the call to the gateway. */
function ledClient(meet: (attempt: number) => Response | undefined | Promise<Response | undefined>, late = false) {
  const seen: Seen[] = [];
  const client = createSluice({
    baseUrl: api.url,
    apiKey: merchantA.secretKey,
    fetch: async (input, init) => {
      const headers = new Headers(init?.headers);
      seen.push({ url: String(input), method: init?.method ?? '', key: headers.get('idempotency-key') });
      const attempt = seen.length;
      if (!late) return (await meet(attempt)) ?? fetch(input, init);
      const answer = await fetch(input, init);
      return (await meet(attempt)) ?? answer;
    },
  });
  return { client, seen };
}

const lost = (): never => {
  throw new TypeError('fetch failed', { cause: new Error('ECONNRESET') });
};

const refusal = async (promise: Promise<unknown>) =>
  (await promise.then(
    () => undefined,
    (error: unknown) => error,
  )) as SluiceApiError;

describe('resources', () => {
  it('can be created, read, changed and removed', async () => {
    const intent = await sluice.paymentIntents.create({ amount: '12.50', metadata: { order: '42' } });
    expect(intent).toMatchObject({ amount: '12.50', status: 'CREATED', appId: merchantA.appId });
    expect(await sluice.paymentIntents.get(intent.id)).toMatchObject({ id: intent.id, transactions: [] });
    expect((await sluice.paymentIntents.cancel(intent.id)).status).toBe('CANCELLED');
    const link = await sluice.paymentLinks.create({ appId: merchantA.appId, name: 'Tea', slug: 'tea', amount: '3' });
    expect((await sluice.paymentLinks.update(link.id, { amount: '3.50' })).amount).toBe('3.50');
    expect(await sluice.paymentLinks.delete(link.id)).toBeUndefined();
    expect((await refusal(sluice.paymentLinks.get(link.id))).code).toBe('NOT_FOUND');
  });

  it('keep amounts as strings', async () => {
    const { amount } = await sluice.paymentIntents.create({ amount: '999999999999.99' });
    expect(amount).toBe('999999999999.99');
  });

  it('reject an identifier that would change the path, before a request is sent', async () => {
    const { client, seen } = ledClient(() => undefined);
    for (const id of ['', '.', '..']) expect(() => client.paymentIntents.get(id)).toThrow('not a valid identifier');
    expect(seen).toEqual([]);
    expect((await refusal(client.paymentIntents.get('../customers'))).code).toBe('VALIDATION_ERROR');
    expect(seen.map(({ url }) => url)).toEqual([`${api.url}/payments/intents/..%2Fcustomers`]);
  });

  it('include files, and requests without a method of their own', async () => {
    const file = await sluice.auditLog.export({ format: 'csv' });
    expect((await file.text()).split('\n')[0]).toContain('id');
    const csv = await sluice.request({ method: 'GET', path: '/reports/payments', query: { format: 'csv' } });
    expect(csv.headers.get('content-type')).toContain('text/csv');
  });
});

describe('lists', () => {
  it('return their first page when awaited, and all rows when iterated, even while rows are added', async () => {
    const { id: appId } = { id: merchantB.appId };
    const other = createSluice({ baseUrl: api.url, apiKey: merchantB.secretKey });
    for (let number = 1; number <= 7; number += 1) await other.customers.create({ appId, name: `Customer ${number}` });
    const first = await other.customers.list({ pageSize: 3 });
    expect(first).toMatchObject({ pagination: { total: 7, page: 1, pageSize: 3, totalPages: 3 }, hasMore: true });
    const second = await first.next();
    expect(second?.data.map(({ name }) => name)).toEqual(['Customer 4', 'Customer 3', 'Customer 2']);
    const names: (string | null)[] = [];
    for await (const customer of other.customers.list({ pageSize: 3 })) {
      names.push(customer.name);
      if (names.length === 3) await other.customers.create({ appId, name: 'Customer 8' });
    }
    expect(names).toEqual([7, 6, 5, 4, 3, 2, 1].map((number) => `Customer ${number}`));
  });

  it('of events continue after the last sequence number', async () => {
    const sequences: number[] = [];
    for await (const event of sluice.events.list({ limit: 1 })) sequences.push(event.sequence);
    expect(sequences.length).toBeGreaterThan(2);
    expect(sequences).toEqual(sequences.map((_, index) => index + 1));
  });

  it('of rows with cursors continue after the last row', async () => {
    const all = (await sluice.auditLog.list({ limit: 100 })).data.map(({ id }) => id);
    const ids: string[] = [];
    for await (const entry of sluice.auditLog.list({ limit: 2 })) ids.push(entry.id);
    expect(all.length).toBeGreaterThan(2);
    expect(ids).toEqual(all);
  });

  it('that are empty end at once', async () => {
    const none = await sluice.invoices.list();
    expect(none).toMatchObject({ data: [], hasMore: false });
    expect(await none.next()).toBeUndefined();
  });
});

describe('errors', () => {
  it('contain the code, the fields, the status and the request ID', async () => {
    const error = await refusal(sluice.paymentIntents.create({ amount: '1.234', currency: 'XXX' }));
    expect(error).toBeInstanceOf(SluiceApiError);
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', status: 400, retryable: false });
    expect(error.details.map(({ param }) => param).sort()).toEqual(['amount', 'currency']);
    expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each([
    ['a missing resource', () => sluice.paymentIntents.get(UNKNOWN), 404, 'NOT_FOUND'],
    [
      'a wrong key',
      () => createSluice({ baseUrl: api.url, apiKey: 'sk_test_wrong' }).paymentIntents.list(),
      401,
      'AUTHENTICATION_ERROR',
    ],
    [
      'a key that may not',
      () => createSluice({ baseUrl: api.url, apiKey: merchantA.publishableKey }).paymentIntents.list(),
      403,
      'AUTHORIZATION_ERROR',
    ],
  ])('have a class for %s', async (_name, call, status, code) => {
    expect(await refusal(call())).toMatchObject({ status, code, retryable: false });
  });

  it('never contain the key', async () => {
    const error = await refusal(sluice.paymentIntents.get(UNKNOWN));
    expect(`${error.stack}${JSON.stringify(error)}`).not.toContain(merchantA.secretKey);
  });

  it('are the same for another merchant’s payment as for a missing one', async () => {
    const { id } = await sluice.paymentIntents.create({ amount: '1' });
    const other = createSluice({ baseUrl: api.url, apiKey: merchantB.secretKey });
    const [foreign, missing] = [
      await refusal(other.paymentIntents.get(id)),
      await refusal(other.paymentIntents.get(UNKNOWN)),
    ];
    expect({ ...foreign, requestId: '' }).toEqual({ ...missing, requestId: '' });
  });

  it('describe a response that is not from the gateway', async () => {
    const { client } = ledClient(() => new Response('<html>Bad gateway</html>', { status: 400 }));
    expect(await refusal(client.paymentIntents.list().then())).toMatchObject({
      code: 'UNEXPECTED_RESPONSE',
      status: 400,
      message: expect.stringContaining('Bad gateway'),
    });
  });
});

describe('retries', () => {
  it('reuse one idempotency key, so that a write with lost responses is made once', async () => {
    const { client, seen } = ledClient((attempt) => (attempt < 3 ? lost() : undefined), true);
    const intent = await client.paymentIntents.create({ amount: '5', externalId: 'lost-answers' });
    expect(seen).toHaveLength(3);
    expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
    const rows = await api.database.paymentIntent.findMany({ where: { externalId: 'lost-answers' } });
    expect(rows.map(({ id }) => id)).toEqual([intent.id]);
  });

  it('use the caller’s key, and no header if the body contains a key', async () => {
    const { client, seen } = ledClient(() => undefined);
    const [first, again] = [
      await client.paymentIntents.create({ amount: '6' }, { idempotencyKey: 'order-7' }),
      await client.paymentIntents.create({ amount: '6' }, { idempotencyKey: 'order-7' }),
    ];
    expect(again.id).toBe(first.id);
    const mismatch = await refusal(client.paymentIntents.create({ amount: '7' }, { idempotencyKey: 'order-7' }));
    expect(mismatch.code).toBe('IDEMPOTENCY_MISMATCH');
    await client.paymentIntents.create({ amount: '6', idempotencyKey: 'order-8' });
    expect(seen.map(({ key }) => key)).toEqual(['order-7', 'order-7', 'order-7', null]);
  });

  it('send a file again unchanged', async () => {
    const { client, seen } = ledClient((attempt) => (attempt === 1 ? lost() : undefined));
    const file = new Blob([JSON.stringify({ amount: '5', externalId: 'from-a-file' })], { type: 'application/json' });
    const answer = await client.request({ method: 'POST', path: '/payments/intents', file });
    expect((await answer.json()).data).toMatchObject({ externalId: 'from-a-file' });
    expect(seen).toHaveLength(2);
  });

  it('keep a key across retries of a request without a method of its own', async () => {
    const { client, seen } = ledClient((attempt) => (attempt === 1 ? lost() : undefined), true);
    const call = { method: 'POST', path: '/payments/intents', body: { amount: '5', externalId: 'by-hand' } };
    expect((await client.request(call)).headers.get('idempotent-replayed')).toBe('true');
    expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
    expect(await api.database.paymentIntent.count({ where: { externalId: 'by-hand' } })).toBe(1);
  });

  it('wait as long as the gateway requests', async () => {
    const body = JSON.stringify({
      success: false,
      error: { code: 'RATE_LIMIT_EXCEEDED', message: 'Slow.', requestId: 'r' },
    });
    const { client, seen } = ledClient((attempt) =>
      attempt === 1 ? new Response(body, { status: 429, headers: { 'retry-after': '2' } }) : undefined,
    );
    const startedAt = performance.now();
    await client.taxRates.list();
    expect(seen).toHaveLength(2);
    expect(performance.now() - startedAt).toBeGreaterThan(1_990);
  });

  it('are not made after a final error, or if the gateway requests a long delay', async () => {
    const verdict = ledClient(() => undefined);
    await refusal(verdict.client.paymentIntents.create({ amount: '0' }));
    expect(verdict.seen).toHaveLength(1);
    const body = JSON.stringify({ success: false, error: { code: 'UNAVAILABLE', message: 'Later.', requestId: 'r' } });
    const paused = ledClient(() => new Response(body, { status: 503, headers: { 'retry-after': '3600' } }));
    expect(await refusal(paused.client.taxRates.list())).toMatchObject({ retryable: true, retryAfterMs: 3_600_000 });
    expect(paused.seen).toHaveLength(1);
  });

  it('stop at their maximum', async () => {
    const { client, seen } = ledClient(lost);
    const error = await refusal(client.taxRates.list(undefined, { maxRetries: 1 }));
    expect(error).toBeInstanceOf(SluiceConnectionError);
    expect(error.message).toBe('GET /tax-rates had no response: fetch failed (ECONNRESET)');
    expect(seen).toHaveLength(2);
  });

  it('treat a removal as done if its response was lost', async () => {
    const link = await sluice.paymentLinks.create({ appId: merchantA.appId, name: 'Milk', slug: 'milk', amount: '1' });
    const { client, seen } = ledClient((attempt) => (attempt === 1 ? lost() : undefined), true);
    await client.paymentLinks.delete(link.id);
    expect(seen).toHaveLength(2);
    expect((await refusal(client.paymentLinks.delete(link.id))).code).toBe('NOT_FOUND');
  });
});

describe('time limits and signals', () => {
  const unresponsive = (): typeof fetch => (_input, init) =>
    new Promise((_resolve, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)));

  it('end an attempt without a response', async () => {
    const client = createSluice({
      baseUrl: api.url,
      apiKey: merchantA.secretKey,
      fetch: unresponsive(),
      maxRetries: 0,
    });
    const error: SluiceError = await refusal(client.taxRates.list(undefined, { timeoutMs: 50 }));
    expect(error).toBeInstanceOf(SluiceTimeoutError);
    expect(error).toMatchObject({ retryable: true, message: 'GET /tax-rates had no response within 50 ms.' });
  });

  it('end a call with the caller’s reason, during an attempt and between attempts', async () => {
    const inAttempt = createSluice({ baseUrl: api.url, apiKey: merchantA.secretKey, fetch: unresponsive() });
    const reason = new Error('The shop closes.');
    const controller = new AbortController();
    const call = inAttempt.taxRates.list(undefined, { signal: controller.signal });
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);

    const between = new AbortController();
    const { client, seen } = ledClient(() => {
      setTimeout(() => between.abort(reason), 50);
      return lost();
    });
    await expect(client.taxRates.list(undefined, { signal: between.signal })).rejects.toBe(reason);
    expect(seen).toHaveLength(1);
  });
});

describe('a client', () => {
  it.each([
    [{ baseUrl: 'pay.example.com' }, 'baseUrl is not'],
    [{ baseUrl: 'ftp://pay.example.com' }, 'baseUrl is not'],
    [{ baseUrl: 'https://pay.example.com', apiKey: ' ' }, 'empty'],
    [{ baseUrl: 'https://pay.example.com', apiKey: 'pk_test_1', clientSecret: 'cs' }, 'one of'],
  ])('cannot be created with %j', (options, message) => {
    expect(() => createSluice(options)).toThrow(message);
  });

  it('keeps the path of a base URL and drops its query', async () => {
    const seen: string[] = [];
    const client = createSluice({
      baseUrl: 'https://shop.example/pay/?x=1',
      fetch: async (input) => {
        seen.push(String(input));
        return Response.json({ success: true, data: [] });
      },
    });
    await client.taxRates.list({ includeInactive: true });
    expect(seen).toEqual(['https://shop.example/pay/tax-rates?includeInactive=true']);
  });
});
