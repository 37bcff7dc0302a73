/** Limits of anonymous callers over HTTP, event streams and websockets, which apply before a document is parsed or executed. */
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { callGraphql } from '../../setup/api/api.ts';
import { openRestApi } from '../../setup/api/rest.ts';

const PER_SECOND = 12;
const api = await openRestApi({
  environment: {
    RATE_LIMIT_PER_SECOND: '1',
    RATE_LIMIT_BURST: '30',
    RATE_LIMIT_KEYLESS_PER_SECOND: String(PER_SECOND),
    LIVE_CONNECTIONS_PER_ADDRESS: '3',
    TRUSTED_PROXIES: '1',
  },
});
const wsUrl = `${api.url.replace(/^http/, 'ws')}/graphql`;
let lastAddress = 0;
/** An address without earlier requests. */
const newAddress = () => `198.51.100.${++lastAddress}`;
const from = (address: string) => ({ 'x-forwarded-for': address });

function connect(address: string): WebSocket {
  return new WebSocket(wsUrl, 'graphql-transport-ws', { headers: from(address) });
}

async function initialised(address: string, payload: Record<string, string> = {}): Promise<WebSocket> {
  const socket = connect(address);
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init', payload }));
  expect(JSON.parse(String((await once(socket, 'message'))[0]))).toMatchObject({ type: 'connection_ack' });
  return socket;
}

async function reply(socket: WebSocket, query: string, id = '1') {
  socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query } }));
  return JSON.parse(String((await once(socket, 'message'))[0]));
}

const closed = async (socket: WebSocket) => (await once(socket, 'close'))[0];

describe('GraphQL over HTTP', () => {
  test('charges a unit for an invalid document as for a valid one', async () => {
    const headers = { ...from(newAddress()), accept: 'application/json' };
    const startedAt = performance.now();
    const answers = await Promise.all(Array.from({ length: 60 }, () => callGraphql(api.url, '{ x }', {}, { headers })));
    const refilled = Math.ceil(((performance.now() - startedAt) / 1000) * PER_SECOND);
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.length - refused.length).toBeLessThanOrEqual(PER_SECOND + refilled);
    expect(refused[0]?.errors?.[0]?.extensions).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryable: true });
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(refused[0]?.headers.get('ratelimit')).toMatch(/r=0/);
    expect(refused[0]?.headers.get('access-control-allow-origin')).toBe('*');
  });

  test('refuses a wrong credential before parsing the document', async () => {
    const headers = { ...from(newAddress()), accept: 'application/json' };
    const { status, errors } = await callGraphql(api.url, '{', {}, { key: 'sk_test_wrong', headers });
    expect(status).toBe(401);
    expect(errors?.[0]?.extensions.code).toBe('AUTHENTICATION_ERROR');
  });

  test('refuses further unknown credentials of an address over its limit, but accepts a valid one', async () => {
    const headers = from(newAddress());
    const key = api.merchantB.secretKey;
    expect((await callGraphql(api.url, '{ viewer { kind } }', {}, { key, headers })).status).toBe(200);
    const flood = Array.from({ length: 60 }, (_, n) =>
      callGraphql(api.url, '{ viewer { kind } }', {}, { key: `sk_test_${n}`, headers }),
    );
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect((await callGraphql(api.url, '{ viewer { kind } }', {}, { key, headers })).status).toBe(200);
  });

  test('charges another unit for every 500 of complexity before executing a query', async () => {
    const key = api.liveApp.secretKey;
    const remaining = (headers: Headers) => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
    const cheap = await callGraphql(api.url, '{ viewer { kind } }', {}, { key });
    const dear = await callGraphql(
      api.url,
      '{ paymentIntents(first: 100) { nodes { id transactions { id type status txHash } events { sequence type } } } }',
      {},
      { key },
    );
    expect(dear.status).toBe(200);
    expect(remaining(cheap.headers) - remaining(dear.headers)).toBeGreaterThanOrEqual(3);
    const answers = [];
    for (let call = 0; call < 12; call++) {
      answers.push(
        await callGraphql(
          api.url,
          '{ paymentIntents(first: 100) { nodes { id transactions { id } events { id } } } }',
          {},
          { key },
        ),
      );
    }
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.errors?.[0]?.extensions.code).toBe('RATE_LIMIT_EXCEEDED');
    expect(refused?.data).toBeUndefined();
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });

  test('counts introspection as complexity', async () => {
    const headers = from(newAddress());
    const aliases = Array.from({ length: 5 }, (_, n) => `a${n}: __schema { queryType { name } }`).join(' ');
    const { errors } = await callGraphql(api.url, `{ ...f } fragment f on Query { ${aliases} }`, {}, { headers });
    expect(errors?.[0]?.extensions.details?.map(({ param }) => param)).toEqual(['complexity']);
  });

  test('does not charge for a preflight request', async () => {
    const headers = { ...from(newAddress()), origin: 'https://shop.example', 'access-control-request-method': 'POST' };
    for (let call = 0; call < PER_SECOND * 2; call++) {
      const answer = await fetch(`${api.url}/graphql`, { method: 'OPTIONS', headers });
      expect(answer.status).toBe(204);
    }
  });

  test('limits the open event streams of an address', async () => {
    const address = newAddress();
    const key = api.merchantA.secretKey;
    const session = await api.rest('POST', '/checkout-sessions', {
      key,
      body: { items: [{ name: 'Tea', amount: '1' }] },
    });
    const { id, clientSecret } = session.body.data;
    const open = async () => {
      const abort = new AbortController();
      const response = await fetch(`${api.url}/graphql`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'text/event-stream',
          'x-client-secret': clientSecret,
          ...from(address),
        },
        body: JSON.stringify({ query: `subscription { checkoutUpdated(id: "${id}") { session { status } } }` }),
        signal: abort.signal,
      });
      return { status: response.status, abort };
    };
    const streams = [await open(), await open(), await open()];
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await open()).status).toBe(429);
    for (const { abort } of streams) abort.abort();
    await expect.poll(async () => (await open()).status, { interval: 200 }).toBe(200);
  });
});

describe('websockets', () => {
  test('limit upgrade requests by address', async () => {
    const address = newAddress();
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const socket = connect(address);
        const [event] = await Promise.race([
          once(socket, 'open').then(() => ['open']),
          once(socket, 'unexpected-response').then(([, response]) => [response.statusCode]),
        ]);
        socket.on('error', () => undefined);
        socket.terminate();
        return event;
      }),
    );
    expect(outcomes.filter((outcome) => outcome === 429).length).toBeGreaterThanOrEqual(30 - PER_SECOND - 6);
  });

  test('limit the open connections of an address, except for those of merchants', async () => {
    const address = newAddress();
    const sockets = [await initialised(address), await initialised(address), await initialised(address)];
    const refused = connect(address);
    refused.on('error', () => undefined);
    const [, response] = await once(refused, 'unexpected-response');
    expect(response.statusCode).toBe(429);
    for (const socket of sockets) socket.close();
    const merchants = newAddress();
    for (let n = 0; n < 5; n++) sockets.push(await initialised(merchants, { 'x-api-key': api.merchantA.secretKey }));
    for (const socket of sockets) socket.terminate();
  });

  test('accept a first frame of at most 16 KiB, and later ones of strangers of at most 64 KiB', async () => {
    const address = newAddress();
    const first = connect(address);
    await once(first, 'open');
    first.send(JSON.stringify({ type: 'connection_init', payload: { note: 'x'.repeat(20_000) } }));
    expect([1006, 1009]).toContain(await closed(first));
    const later = await initialised(address);
    expect(await reply(later, `{ viewer { kind } } #${'x'.repeat(15_000)}`)).toMatchObject({ type: 'next' });
    later.send(JSON.stringify({ id: '2', type: 'subscribe', payload: { query: 'x', variables: 'y'.repeat(70_000) } }));
    expect([1006, 1009]).toContain(await closed(later));
  });

  test('apply the limit to fragmented frames with pings in between', async () => {
    const socket = connect(newAddress());
    await once(socket, 'open');
    for (let part = 0; part < 5; part++) {
      socket.send('x'.repeat(5_000), { fin: false });
      socket.ping();
    }
    expect([1006, 1009]).toContain(await closed(socket));
  });

  test('charge each operation before parsing, and report a refusal as a protocol message', async () => {
    const socket = await initialised(newAddress());
    const replies = [];
    for (let n = 0; n < PER_SECOND * 3; n++) replies.push(await reply(socket, '{ x }', `op${n}`));
    expect(replies.every(({ type }) => type === 'error')).toBe(true);
    const codes = replies.map(({ payload }) => payload[0].extensions.code);
    expect(new Set(codes)).toEqual(new Set(['VALIDATION_ERROR', 'RATE_LIMIT_EXCEEDED']));
    expect(socket.readyState).toBe(WebSocket.OPEN);
    socket.terminate();
  });

  test('report an operation that is too complex or unauthorized as a protocol message', async () => {
    const socket = await initialised(newAddress());
    const lists = Array.from({ length: 60 }, (_, n) => `a${n}: chains { chainId name family testnet }`).join(' ');
    const dear = await reply(socket, `{ ${lists} }`);
    expect(dear).toMatchObject({ type: 'error', payload: [{ extensions: { param: 'complexity' } }] });
    expect(await reply(socket, '{ apps { id } }', '2')).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'AUTHENTICATION_ERROR' } }],
    });
    socket.terminate();
  });
});
