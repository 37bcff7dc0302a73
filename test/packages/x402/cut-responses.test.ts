/** Responses of Express that do not reach the client as the handler wrote them: too large ones, and those whose client leaves. */
import { get } from 'node:http';
import { beforeEach, expect, it, vi } from 'vitest';
import { createX402 } from '../../../packages/x402/src/index.ts';
import { openEvm } from '../../setup/chains/evm.ts';
import { listenExpress, stockClient, stockFetch } from './ground.ts';
import { openStockGateway, secretKey } from './stock-gateway.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const evm = await openEvm();
const gateway = await openStockGateway(evm);
const x402 = createX402({ apiUrl: gateway.url, secretKey, largestHeldBytes: 100_000 });
const [payer] = evm.payers;
const price = { price: '0.01' } as const;
const unserved: unknown[] = [];
const errors: unknown[] = [];
let runs = 0;
let ends = 0;
let slow: Promise<void> = Promise.resolve();

const after = x402.pay(price);
const before = x402.pay({ ...price, settle: 'before', onUnserved: (payment) => void unserved.push(payment) });
const url = await listenExpress((app) => {
  app.get('/rows', after.express, async (_, response) => {
    response.on('error', (error) => void errors.push(error));
    for (let row = 0; row < 300; row += 1) {
      await new Promise((written) => response.write('x'.repeat(1_000), written));
      if (row > 90) await new Promise((resolve) => setImmediate(resolve));
      runs = row;
    }
    response.end('the end', () => {
      ends += 1;
    });
  });
  app.get('/first-parts', before.express, async (request, response) => {
    runs += 1;
    if (request.query.begin) response.write('all but the last byte');
    await slow;
    response.end('!');
  });
});

beforeEach(() => {
  gateway.calls = {};
  runs = 0;
  unserved.length = 0;
});

async function header(path: string): Promise<string> {
  const required = await (await fetch(`${url}${path}`)).json();
  const payload = await stockClient(payer.privateKey).createPaymentPayload(required);
  return Buffer.from(JSON.stringify(payload)).toString('base64');
}

it('a call is not charged if its handler writes more than can be held, and the handler may continue to write', async () => {
  const response = await stockFetch(payer.privateKey)(`${url}/rows`);
  expect([response.status, (await response.json()).error]).toEqual([500, 'response_too_large']);
  await vi.waitFor(() => expect([runs, ends]).toEqual([299, 1]), { timeout: 10_000 });
  expect(errors).toEqual([]);
  expect(gateway.calls['/x402/settle']).toBeUndefined();
});

it.each([
  ['a part', '?begin=1', true],
  ['nothing', '', false],
])('the server is notified of a client that left after it was sent %s of the response', async (_, query, isBegun) => {
  let open = () => {};
  slow = new Promise((resolve) => {
    open = resolve;
  });
  const headers = { 'payment-signature': await header('/first-parts') };
  const request = get(`${url}/first-parts${query}`, { headers });
  request.on('error', () => undefined);
  const begun = new Promise((resolve) => {
    request.on('response', (response) => {
      response.on('error', () => undefined);
      response.once('data', resolve);
    });
  });
  await vi.waitFor(() => expect(runs).toBe(1), { timeout: 30_000 });
  if (isBegun) await begun;
  request.destroy();
  await vi.waitFor(() => expect(unserved).toMatchObject([{ status: undefined, isBegun }]));
  open();
});
