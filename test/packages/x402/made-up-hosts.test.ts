/** Clients that send Host headers and URLs of their own invention. */
import { request } from 'node:http';
import { expect, it, vi } from 'vitest';
import { X402GatewayError } from '../../../packages/x402/src/gateway/gateway-error.ts';
import {
  cacheRequirements,
  STRANGE_BURST,
  STRANGE_PER_SECOND,
} from '../../../packages/x402/src/gateway/requirements-cache.ts';
import { createX402 } from '../../../packages/x402/src/index.ts';
import { openEvm } from '../../setup/chains/evm.ts';
import { listenExpress, stockClient, stockFetch } from './ground.ts';
import { openStockGateway, secretKey } from './stock-gateway.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const evm = await openEvm();
const gateway = await openStockGateway(evm);
const settings = { apiUrl: gateway.url, secretKey };
const [payer] = evm.payers;
const price = { price: '0.01' } as const;
const asked = () => gateway.calls['/x402/requirements'] ?? 0;

it('made-up hosts cannot flood the gateway or displace the paid host, and the limit is reported once', async () => {
  let nowMs = 0;
  let calls = 0;
  const requirements = async () => {
    calls += 1;
    return { accepts: [], validForMs: 60_000 };
  };
  const cache = cacheRequirements({ requirements }, { now: () => nowMs });
  const ask = (url: string) => cache.get({ price: '0.01', currency: 'USD', resource: { url } });
  await ask('https://api.example/one');
  cache.trust('https://api.example/one');
  const faults: unknown[] = [];
  for (let host = 1; host < STRANGE_BURST + 500; host += 1) {
    await ask(`https://made-up-${host}.example/one`).catch((error: unknown) => faults.push(error));
    await ask('https://api.example/one');
  }
  // The host that is paid was asked for once, and stays in memory although as many hosts as it holds were added since.
  expect(calls).toBe(STRANGE_BURST);
  expect(faults).toHaveLength(500);
  expect(faults.filter((fault) => fault instanceof X402GatewayError && fault.isAway && !fault.isSilent)).toHaveLength(
    1,
  );
  await ask('https://api.example/two');
  nowMs += 1_000;
  const later = await Promise.allSettled(
    Array.from({ length: 100 }, (_, host) => ask(`https://later-${host}.example/one`)),
  );
  expect(later.filter(({ status }) => status === 'fulfilled')).toHaveLength(STRANGE_PER_SECOND);
});

it('made-up hosts do not affect a server with a publicUrl', async () => {
  const own = createX402({ ...settings, publicUrl: 'https://api.example' });
  const paid = own.pay(price).fetch(() => new Response('served'));
  const before = asked();
  for (let host = 0; host < 30; host += 1) {
    const response = await paid(new Request(`https://made-up-${host}.example/one`));
    expect((await response.json()).resource.url).toBe('https://api.example/one');
  }
  expect(asked() - before).toBe(1);
});

it('an invalid host and a URL that is too long are rejected without a call to the gateway', async () => {
  const x402 = createX402(settings);
  const url = await listenExpress((app) => {
    app.use(x402.pay(price).express, (_, response) => void response.send('served'));
  });
  const before = asked();
  const status = (path: string, host: string) =>
    new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
      const { hostname, port } = new URL(url);
      const sent = request({ hostname, port, path, headers: { host } }, (response) => {
        let body = '';
        response.on('data', (chunk) => {
          body += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode, body }));
      });
      sent.on('error', reject).end();
    });
  expect((await status('/one', 'a b')).status).toBe(400);
  expect((await status('/one', 'a'.repeat(2_000))).status).toBe(400);
  expect((await status(`/${'a'.repeat(2_000)}`, 'api.example')).status).toBe(400);
  expect(asked()).toBe(before);
  const slashes = await status('//other.example/one', 'api.example');
  expect(slashes.status).toBe(402);
  expect(JSON.parse(slashes.body).resource.url).toBe('http://api.example//other.example/one');
});

it('a scheme or network that the route does not offer is rejected with a quote of another route', async () => {
  const x402 = createX402(settings);
  let runs = 0;
  const routes = await listenExpress((app) => {
    const route = (name: string, options: object) =>
      app.get('/one', (call, response, next) => {
        if (call.query.as !== name) return next();
        x402.pay({ ...price, ...options }).express(call as never, response as never, next as never);
      });
    route('all', {});
    route('escrow', { schemes: ['escrow'] });
    route('elsewhere', { networks: ['eip155:8453'] });
    app.get('/one', (_, response) => {
      runs += 1;
      response.send('served');
    });
  });
  const offer = await (await fetch(`${routes}/one?as=all`)).json();
  const payload = await stockClient(payer.privateKey).createPaymentPayload(offer);
  const headers = { 'payment-signature': Buffer.from(JSON.stringify(payload)).toString('base64') };
  for (const name of ['escrow', 'elsewhere']) {
    const verified = gateway.calls['/x402/verify'];
    const response = await fetch(`${routes}/one?as=${name}`, { headers });
    expect([response.status, (await response.json()).error]).toEqual([402, 'invalid_payment_requirements']);
    expect(gateway.calls['/x402/verify']).toBe(verified);
  }
  expect(runs).toBe(0);
  expect((await fetch(`${routes}/one?as=all`, { headers })).status).toBe(200);
  expect((await stockFetch(payer.privateKey)(`${routes}/one?as=all`)).status).toBe(200);
});
