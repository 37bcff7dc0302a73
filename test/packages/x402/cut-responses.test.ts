/** Responses of Express that do not reach the client as the handler wrote them. */
import { beforeEach, expect, it, vi } from 'vitest';
import { createX402 } from '../../../packages/x402/src/index.ts';
import { openEvm } from '../../setup/chains/evm.ts';
import { listenExpress, stockFetch } from './ground.ts';
import { openStockGateway, secretKey } from './stock-gateway.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const evm = await openEvm();
const gateway = await openStockGateway(evm);
const x402 = createX402({ apiUrl: gateway.url, secretKey, largestHeldBytes: 100_000 });
const [payer] = evm.payers;
const errors: unknown[] = [];
let runs = 0;
let ends = 0;

const after = x402.pay({ price: '0.01' });
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
});

beforeEach(() => {
  gateway.calls = {};
  runs = 0;
});

it('a call is not charged if its handler writes more than can be held, and the handler may continue to write', async () => {
  const response = await stockFetch(payer.privateKey)(`${url}/rows`);
  expect([response.status, (await response.json()).error]).toEqual([500, 'response_too_large']);
  await vi.waitFor(() => expect([runs, ends]).toEqual([299, 1]), { timeout: 10_000 });
  expect(errors).toEqual([]);
  expect(gateway.calls['/x402/settle']).toBeUndefined();
});
