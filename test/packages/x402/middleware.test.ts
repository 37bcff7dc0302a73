/** Paid routes against the stock client and the stock facilitator, with real signatures on a local chain. */
import { wrapFetchWithPayment } from '@x402/fetch';
import express from 'express';
import { Hono } from 'hono';
import { parseAbi } from 'viem';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createX402 } from '../../../packages/x402/src/index.ts';
import { openEvm } from '../../setup/chains/evm.ts';
import { listenExpress, receiptOf, stockClient, stockFetch } from './ground.ts';
import { openStockGateway, secretKey } from './stock-gateway.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const evm = await openEvm();
const gateway = await openStockGateway(evm);
const errors: unknown[] = [];
const settings = { apiUrl: gateway.url, secretKey, onError: (error: unknown) => void errors.push(error) };
const x402 = createX402({ ...settings, settleTimeoutMs: 5_000, largestHeldBytes: 100_000 });
const [payer] = evm.payers;
const pay = stockFetch(payer.privateKey);
const price = { price: '0.01', currency: 'USD' } as const;
const unserved: unknown[] = [];
let runs = 0;
let slow: Promise<void> = Promise.resolve();

const after = x402.pay({ ...price, description: 'Weather', mimeType: 'application/json' });
const before = x402.pay({ ...price, settle: 'before', onUnserved: (payment) => void unserved.push(payment) });
const url = await listenExpress((app) => {
  app.use(express.json());
  app.get('/weather/:city', after.express, async (request, response) => {
    runs += 1;
    await slow;
    response.set('x-kept', 'yes').json({ city: request.params.city });
  });
  app.get('/dear', x402.pay({ ...price, price: '5' }).express, (_, response) => void response.send('dear'));
  app.get('/missing', after.express, (_, response) => void response.status(404).json({ missing: true }));
  app.get('/throws', after.express, () => {
    throw new Error('The handler fails.');
  });
  app.get('/large', after.express, (_, response) => void response.send('x'.repeat(200_000)));
  app.get('/pieces', after.express, (_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.write('one ');
    response.write(Buffer.from('two '));
    response.end('three');
  });
  app.get('/first', before.express, (_, response) => {
    runs += 1;
    response.json({ paid: true });
  });
  app.get('/first-fails', before.express, (_, response) => void response.status(500).json({ failed: true }));
  app.post(
    '/echo',
    x402.pay({ price: ({ request }) => (request as express.Request).body.price }).express,
    (request, response) => {
      response.json(request.body);
    },
  );
  app.use((_error: unknown, _request: express.Request, response: express.Response, _next: express.NextFunction) => {
    response.status(500).json({ error: 'handler' });
  });
});

beforeEach(() => {
  gateway.fault = 'none';
  gateway.calls = {};
  runs = 0;
  slow = Promise.resolve();
  errors.length = 0;
  unserved.length = 0;
});

async function balance(): Promise<bigint> {
  const abi = parseAbi(['function balanceOf(address) view returns (uint256)']);
  const { address } = evm.usdc;
  return evm.publicClient.readContract({ address, abi, functionName: 'balanceOf', args: [evm.merchant.address] });
}

async function header(path: string): Promise<string> {
  const offer = await fetch(`${url}${path}`);
  const required = JSON.parse(Buffer.from(offer.headers.get('payment-required') ?? '', 'base64').toString());
  const payload = await stockClient(payer.privateKey).createPaymentPayload(required);
  return Buffer.from(JSON.stringify(payload)).toString('base64');
}

const send = (path: string, signature: string) =>
  fetch(`${url}${path}`, { headers: { 'payment-signature': signature } });

describe('an unpaid call', () => {
  it('returns 402, the requirements and the description, and does not run the handler', async () => {
    const response = await fetch(`${url}/weather/berlin?day=1`);
    expect(response.status).toBe(402);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const required = JSON.parse(Buffer.from(response.headers.get('payment-required') ?? '', 'base64').toString());
    expect(required).toMatchObject({
      x402Version: 2,
      error: 'payment_required',
      resource: { url: `${url}/weather/berlin`, description: 'Weather', mimeType: 'application/json' },
      accepts: [{ scheme: 'exact', amount: '10000' }],
      extensions: { bazaar: { info: { input: { type: 'http', method: 'GET' } }, routeTemplate: '/weather/:city' } },
    });
    expect(await response.json()).toEqual(required);
    expect(runs).toBe(0);
  });

  it('requests one offer for simultaneous calls, and a new one after it has expired', async () => {
    const calls = await Promise.all(Array.from({ length: 10 }, () => fetch(`${url}/weather/paris`)));
    expect(calls.map(({ status }) => status)).toEqual(Array(10).fill(402));
    expect(gateway.calls['/x402/requirements']).toBe(1);
    gateway.offerMs = 100;
    await fetch(`${url}/weather/rome`);
    await vi.waitFor(async () => {
      await fetch(`${url}/weather/rome`);
      expect(gateway.calls['/x402/requirements']).toBeGreaterThan(2);
    });
    gateway.offerMs = 60_000;
  });
});

describe('a paid call, settled after the response', () => {
  it('is served to an unmodified @x402/fetch with a receipt, and pays the merchant', async () => {
    const had = await balance();
    const response = await pay(`${url}/weather/berlin`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ city: 'berlin' });
    expect(response.headers.get('x-kept')).toBe('yes');
    expect(response.headers.get('cache-control')).toBe('private');
    expect(receiptOf(response)).toMatchObject({ success: true, payer: payer.address });
    expect(receiptOf(response)).not.toHaveProperty('paymentIntentId');
    expect((await balance()) - had).toBe(10_000n);
  });

  it('has the response that the handler wrote in parts, and a body that the middleware did not change', async () => {
    expect(await (await pay(`${url}/pieces`)).text()).toBe('one two three');
    const body = JSON.stringify({ price: '0.02', text: 'ü' });
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
    const had = await balance();
    expect(await (await pay(`${url}/echo`, init)).json()).toEqual({ price: '0.02', text: 'ü' });
    expect((await balance()) - had).toBe(20_000n);
  });

  it.each([
    ['/missing', 404],
    ['/throws', 500],
    ['/large', 500],
  ])('is not charged if %s answers %i', async (path, status) => {
    const had = await balance();
    const response = await pay(`${url}${path}`);
    expect(response.status).toBe(status);
    expect(response.headers.get('payment-response')).toBeNull();
    expect(gateway.calls['/x402/settle']).toBeUndefined();
    expect(await balance()).toBe(had);
  });

  it('is served once for a header that is sent twice at the same time, and not again later', async () => {
    const signature = await header('/weather/oslo');
    let open = () => {};
    slow = new Promise((resolve) => {
      open = resolve;
    });
    const had = await balance();
    const first = send('/weather/oslo', signature);
    await vi.waitFor(() => expect(runs).toBe(1));
    expect((await send('/weather/oslo', signature)).status).toBe(409);
    open();
    expect((await first).status).toBe(200);
    const later = await send('/weather/oslo', signature);
    expect(later.status).toBe(402);
    expect(runs).toBe(1);
    expect((await balance()) - had).toBe(10_000n);
  });

  it('withholds the response if the settlement fails', async () => {
    const signature = await header('/weather/bonn');
    const wallet = evm.walletFor(payer.privateKey);
    const abi = parseAbi([
      'function transfer(address, uint256) returns (bool)',
      'function balanceOf(address) view returns (uint256)',
    ]);
    const { address } = evm.usdc;
    let open = () => {};
    slow = new Promise((resolve) => {
      open = resolve;
    });
    const called = send('/weather/bonn', signature);
    await vi.waitFor(() => expect(runs).toBe(1));
    const all = await evm.publicClient.readContract({ address, abi, functionName: 'balanceOf', args: [payer.address] });
    const hash = await wallet.writeContract({
      address,
      abi,
      functionName: 'transfer',
      args: [evm.payers[1].address, all],
    });
    await evm.publicClient.waitForTransactionReceipt({ hash });
    open();
    const response = await called;
    expect(response.status).toBe(402);
    expect(receiptOf(response)).toMatchObject({ success: false });
    expect(response.headers.get('x-kept')).toBeNull();
    expect(await response.text()).not.toContain('bonn"}');
    const back = await evm
      .walletFor(evm.payers[1].privateKey)
      .writeContract({ address, abi, functionName: 'transfer', args: [payer.address, all] });
    await evm.publicClient.waitForTransactionReceipt({ hash: back });
  });

  it('is rejected with the quote of a cheaper route or a changed quote', async () => {
    const cheap = await header('/weather/berlin');
    expect((await send('/dear', cheap)).status).toBe(402);
    const changed = JSON.parse(Buffer.from(cheap, 'base64').toString());
    changed.accepted.amount = '1';
    const response = await send('/weather/berlin', Buffer.from(JSON.stringify(changed)).toString('base64'));
    expect(await response.json()).toMatchObject({ error: 'invalid_quote' });
    expect(await (await send('/weather/berlin', 'no base64')).json()).toMatchObject({ error: 'invalid_payload' });
    expect(runs).toBe(0);
  });
});

describe('a paid call, settled before', () => {
  it('is served after the settlement, once', async () => {
    const signature = await header('/first');
    const [one, other] = await Promise.all([send('/first', signature), send('/first', signature)]);
    expect([one.status, other.status].sort()).toEqual([200, 409]);
    const later = await send('/first', signature);
    expect(await later.json()).toMatchObject({ error: 'invalid_exact_evm_nonce_already_used' });
    expect(runs).toBe(1);
    expect(unserved).toEqual([]);
  });

  it.each(['settle limited', 'settle lost'] as const)(
    'is not served again while the gateway has the fault "%s"',
    async (fault) => {
      const signature = await header('/first');
      expect((await send('/first', signature)).status).toBe(200);
      gateway.fault = fault;
      const again = await send('/first', signature);
      expect(await again.json()).toMatchObject({ error: 'invalid_exact_evm_nonce_already_used' });
      expect(runs).toBe(1);
    },
  );

  it('is charged although the handler fails, and the server is notified', async () => {
    const had = await balance();
    const response = await pay(`${url}/first-fails`);
    expect(response.status).toBe(500);
    expect(receiptOf(response).success).toBe(true);
    expect((await balance()) - had).toBe(10_000n);
    await vi.waitFor(() =>
      expect(unserved).toMatchObject([{ paymentIntentId: 'stock', scheme: 'exact', status: 500, isBegun: true }]),
    );
  });
});

describe('a gateway that fails', () => {
  it('causes an error response while it is unavailable', async () => {
    const signature = await header('/weather/kyiv');
    gateway.fault = 'away';
    const response = await send('/weather/kyiv', signature);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('5');
    expect(await response.json()).toMatchObject({ error: 'payment_unavailable' });
    expect((await fetch(`${url}/weather/new-place`)).status).toBe(503);
    expect(runs).toBe(0);
    expect(errors.length).toBeGreaterThan(0);
    gateway.fault = 'none';
    expect((await send('/weather/kyiv', signature)).status).toBe(200);
  });

  it('charges once if its response to the settlement is lost', async () => {
    gateway.fault = 'settle lost';
    const had = await balance();
    expect((await pay(`${url}/weather/lost`)).status).toBe(200);
    expect((await balance()) - had).toBe(10_000n);
    expect(gateway.calls['/x402/settle']).toBe(2);
  });

  it('accepts the same payment again after a pending settlement, and charges it once', async () => {
    const signature = await header('/weather/pending');
    gateway.fault = 'pending';
    const had = await balance();
    const response = await send('/weather/pending', signature);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ error: 'settlement_pending' });
    gateway.fault = 'none';
    expect((await send('/weather/pending', signature)).status).toBe(200);
    expect((await balance()) - had).toBe(10_000n);
  });

  it('causes an error response if it rejects the key', async () => {
    const other = createX402({ ...settings, secretKey: 'sk_test_wrong' }).pay(price);
    const response = await other.fetch(() => new Response('secret'))(new Request('http://localhost/x'));
    expect(response.status).toBe(503);
    expect(String(errors[0])).toContain('refused');
  });
});

describe('other frameworks and proxies', () => {
  it('Hono serves paid calls, and does not charge for an error in its handler', async () => {
    const app = new Hono();
    app.get('/ok/:id', after.hono, (context) =>
      context.json({ id: context.req.param('id') }, 200, { 'x-kept': 'yes' }),
    );
    app.get('/throws', after.hono, () => {
      throw new Error('The handler fails.');
    });
    const own = async (input: RequestInfo | URL, init?: RequestInit) => app.fetch(new Request(input, init));
    const buy = wrapFetchWithPayment(own as typeof fetch, stockClient(payer.privateKey));
    const base = 'http://hono.example';
    expect((await own(`${base}/ok/1`)).status).toBe(402);
    const had = await balance();
    const response = await buy(`${base}/ok/1`);
    expect(await response.json()).toEqual({ id: '1' });
    expect(response.headers.get('x-kept')).toBe('yes');
    expect(receiptOf(response).success).toBe(true);
    expect((await buy(`${base}/throws`)).status).toBe(500);
    expect((await balance()) - had).toBe(10_000n);
  });

  it('a Fetch handler serves paid calls, and free calls without a charge', async () => {
    const paid = x402.pay({ price: ({ header: read }) => (read('x-friend') ? null : '0.01') });
    const handler = paid.fetch(
      async (request: Request, extra?: string) => new Response(`${await request.text()}${extra ?? ''}`),
    );
    const own = (input: RequestInfo | URL, init?: RequestInit) => handler(new Request(input, init));
    const buy = wrapFetchWithPayment(own as typeof fetch, stockClient(payer.privateKey));
    const response = await buy('http://localhost/x', { method: 'POST', body: 'text' });
    expect(await response.text()).toBe('text');
    expect(receiptOf(response).success).toBe(true);
    const free = await handler(new Request('http://localhost/x', { headers: { 'x-friend': '1' } }), ' extra');
    expect(await free.text()).toBe(' extra');
    expect(free.headers.get('payment-response')).toBeNull();
  });

  it('uses the address that clients call, and trusts forwarded headers only if configured', async () => {
    const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'api.example.com' };
    const resource = async (options: object) => {
      const paid = createX402({ ...settings, ...options }).pay(price);
      const request = new Request('http://10.0.0.1:3000/a?b=1', { headers: forwarded });
      const body = await (await paid.fetch(() => new Response())(request)).json();
      return body.resource.url;
    };
    expect(await resource({})).toBe('http://10.0.0.1:3000/a');
    expect(await resource({ trustProxy: true })).toBe('https://api.example.com/a');
    expect(await resource({ publicUrl: 'https://api.example.com/v1/' })).toBe('https://api.example.com/v1/a');
  });

  it('rejects invalid options', () => {
    expect(() => createX402({ ...settings, secretKey: 'pk_test_1' })).toThrow('sk_');
    expect(() => createX402({ ...settings, apiUrl: 'pay.example.com' })).toThrow('apiUrl');
    // @ts-expect-error A price is never a number.
    expect(() => x402.pay({ price: 0.01 })).toThrow('decimal string');
    expect(() => x402.pay({ price: '0' })).toThrow('decimal string');
    expect(() => x402.pay({ price: '0.0000001' })).toThrow('at most 6 decimals');
  });
});
