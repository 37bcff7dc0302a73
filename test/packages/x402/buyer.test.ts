/** A buyer with a budget, against paid routes that the stock facilitator settles on a local chain. */
import { parseAbi } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Budget, type BuyerOptions, createBuyer } from '../../../packages/x402/src/client/index.ts';
import { createX402 } from '../../../packages/x402/src/index.ts';
import { openEvm } from '../../setup/chains/evm.ts';
import { listenExpress } from './ground.ts';
import { openStockGateway, secretKey } from './stock-gateway.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 });

const evm = await openEvm();
const gateway = await openStockGateway(evm);
const x402 = createX402({ apiUrl: gateway.url, secretKey, settleTimeoutMs: 10_000, onError: () => undefined });
const signer = privateKeyToAccount(evm.payers[0].privateKey);
const network = `eip155:${evm.chainId}`;
let isFailing = false;

const url = await listenExpress((app) => {
  const paid = x402.pay({ price: '0.01' });
  app.get('/data', paid.express, (_, response) => void response.status(isFailing ? 500 : 200).json({ ok: true }));
  app.post('/echo', paid.express, (request, response) => void request.pipe(response));
  app.get('/moved', (_, response) => void response.redirect('/data'));
  app.get('/free', (_, response) => void response.send('free'));
});
const budget: Budget = {
  perCall: '0.05',
  perDay: '0.03',
  hosts: [url],
  tokens: [{ network, asset: evm.usdc.address, decimals: 6 }],
};
const merchantBalance = () =>
  evm.publicClient.readContract({
    address: evm.usdc.address,
    abi: parseAbi(['function balanceOf(address) view returns (uint256)']),
    functionName: 'balanceOf',
    args: [evm.merchant.address],
  });
const buyerOf = (change: Partial<BuyerOptions> = {}) => createBuyer({ signer, budget, ...change });

beforeEach(() => {
  isFailing = false;
  gateway.fault = 'none';
});

describe('a buyer', () => {
  it('pays for a call, keeps its receipt, and pays nothing for a free call', async () => {
    const buyer = buyerOf();
    expect(await (await buyer.fetch(`${url}/free`)).text()).toBe('free');
    const response = await buyer.fetch(`${url}/data`);
    expect(await response.json()).toEqual({ ok: true });
    const [receipt, ...others] = await buyer.receipts();
    expect(others).toEqual([]);
    expect(receipt).toMatchObject({
      ...{ method: 'GET', url: `${url}/data`, scheme: 'exact', network, amount: '10000' },
      ...{ payer: signer.address, payTo: evm.merchant.address, status: 'charged' },
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
  });

  it('sends the body again, and follows a redirect of a GET request', async () => {
    const buyer = buyerOf();
    expect(await (await buyer.fetch(`${url}/echo`, { method: 'POST', body: 'text' })).text()).toBe('text');
    expect(await (await buyer.fetch(`${url}/moved`)).json()).toEqual({ ok: true });
  });

  it('never exceeds the daily limit, regardless of concurrent calls', async () => {
    const buyer = buyerOf();
    const calls = await Promise.allSettled(Array.from({ length: 8 }, () => buyer.fetch(`${url}/data`)));
    const paid = calls.filter((call) => call.status === 'fulfilled' && call.value.status === 200);
    const refused = calls.filter((call) => call.status === 'rejected');
    expect(paid).toHaveLength(3);
    expect(refused.map((call) => (call as PromiseRejectedResult).reason.code)).toEqual(
      Array(5).fill('PER_DAY_EXCEEDED'),
    );
    expect((await buyer.receipts()).map(({ status }) => status)).toEqual(Array(3).fill('charged'));
  });

  it('can spend again on the next day', async () => {
    let now = Date.parse('2026-06-01T12:00:00Z');
    const buyer = buyerOf({ now: () => now, budget: { ...budget, perDay: '0.01' } });
    await buyer.fetch(`${url}/data`);
    await expect(buyer.fetch(`${url}/data`)).rejects.toMatchObject({ code: 'PER_DAY_EXCEEDED' });
    now += 86_400_000;
    expect((await buyer.fetch(`${url}/data`)).status).toBe(200);
  });

  it.each([
    ['HOST_NOT_ALLOWED', { hosts: ['api.example.com'] }],
    ['PER_CALL_EXCEEDED', { perCall: '0.009' }],
    ['NOTHING_PAYABLE', { tokens: [{ network: 'eip155:1', asset: evm.usdc.address, decimals: 6 }] }],
    ['NOTHING_PAYABLE', { tokens: [{ network, asset: evm.usdt.address, decimals: 6 }] }],
  ])('signs nothing if the budget forbids the call: %s', async (code, change) => {
    const signTypedData = vi.fn(signer.signTypedData);
    const buyer = buyerOf({
      signer: { ...signer, signTypedData: signTypedData as never },
      budget: { ...budget, ...change },
    });
    await expect(buyer.fetch(`${url}/data`)).rejects.toMatchObject({ name: 'BudgetError', code });
    expect(signTypedData).not.toHaveBeenCalled();
    expect(await buyer.receipts()).toEqual([]);
  });

  it('releases the reservation at once if signing fails', async () => {
    const broken = { address: signer.address, signTypedData: () => Promise.reject(new Error('no key')) };
    const buyer = buyerOf({ signer: broken, budget: { ...budget, perDay: '0.01' } });
    await expect(buyer.fetch(`${url}/data`)).rejects.toThrow('no key');
    expect(await buyer.receipts()).toMatchObject([{ status: 'released' }]);
    await expect(buyer.fetch(`${url}/data`)).rejects.toThrow('no key');
  });

  it('gets the response for the same payment after the connection broke during the settlement', async () => {
    const [had, settled] = [await merchantBalance(), gateway.calls['/x402/settle'] ?? 0];
    let open = () => {};
    gateway.delay = new Promise((resolve) => {
      open = resolve;
    });
    const headers: string[] = [];
    const breaking = async (input: string | URL | Request) => {
      const request = new Request(input);
      const header = request.headers.get('payment-signature');
      if (header === null) return await fetch(request);
      headers.push(header);
      if (headers.length > 1) return await fetch(request);
      const connection = new AbortController();
      const broken = expect(fetch(request, { signal: connection.signal })).rejects.toThrow();
      await vi.waitFor(() => expect(gateway.calls['/x402/settle']).toBe(settled + 1), 10_000);
      connection.abort();
      await broken;
      setTimeout(open, 1_000);
      throw new TypeError('fetch failed');
    };
    const buyer = buyerOf({ fetch: breaking });
    const response = await buyer.fetch(`${url}/data`);
    gateway.delay = Promise.resolve();
    expect(response.status).toBe(200);
    expect(headers.length).toBeGreaterThan(1);
    expect(new Set(headers).size).toBe(1);
    expect(await buyer.receipts()).toMatchObject([{ status: 'charged' }]);
    expect((await merchantBalance()) - had).toBe(10_000n);
  });

  it('counts a signed payment until the chain shows that it can no longer be charged', async () => {
    isFailing = true;
    const buyer = buyerOf({ budget: { ...budget, perDay: '0.01' }, rpcUrls: { [network]: evm.rpcUrl } });
    expect((await buyer.fetch(`${url}/data`)).status).toBe(500);
    await expect(buyer.fetch(`${url}/data`)).rejects.toMatchObject({ code: 'PER_DAY_EXCEEDED' });
    expect(await buyer.receipts()).toMatchObject([{ status: 'unconfirmed' }]);
    await evm.passTime(300);
    await buyer.reconcile();
    expect(await buyer.receipts()).toMatchObject([{ status: 'released' }]);
  });
});
