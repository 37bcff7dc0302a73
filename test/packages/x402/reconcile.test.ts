/** A buyer at its daily limit, with many payments whose outcome is unknown, and a node that is a function. */
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { expect, it, vi } from 'vitest';
import { createBuyer, memoryStore, type Receipt } from '../../../packages/x402/src/client/index.ts';

vi.setConfig({ testTimeout: 30_000 });

const network = 'eip155:8453';
const asset = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const url = 'https://api.example/data';
const rpcUrl = 'https://node.example/';
const payTo = '0x0000000000000000000000000000000000000001';
const today = '2026-06-02T12:00:00.000Z';
const yesterday = '2026-06-01T12:00:00.000Z';

const receiptOf = (fields: Partial<Receipt>): Receipt => ({
  ...{ id: crypto.randomUUID(), at: today, method: 'GET', url, scheme: 'exact', network, asset, amount: '1000' },
  ...{ units: '1000000000000000', payTo, payer: '0x0000000000000000000000000000000000000002' },
  ...{ nonce: `0x${'1'.repeat(64)}`, validBefore: 1_000, status: 'unconfirmed', transaction: null },
  ...fields,
});

/** A buyer that may spend 0.04 a day, all of which is in 40 unconfirmed payments. `call` answers the questions to the token. */
async function openBuyer(call: (signal: AbortSignal) => Promise<void>) {
  const store = memoryStore();
  for (const at of [yesterday, today]) {
    for (let count = 0; count < 40; count += 1) await store.reserve(receiptOf({ at }), 10n ** 18n);
  }
  const node = { blocks: 0, calls: 0, running: 0, most: 0 };
  const buyer = createBuyer({
    signer: privateKeyToAccount(generatePrivateKey()),
    budget: { perCall: '0.001', perDay: '0.04', hosts: ['api.example'], tokens: [{ network, asset, decimals: 6 }] },
    store,
    rpcUrls: { [network]: rpcUrl },
    now: () => Date.parse(today),
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const { id, method } = await request.json();
      if (method === 'eth_getBlockByNumber') {
        node.blocks += 1;
        const result = { number: '0x10', timestamp: '0x7fffffff', transactions: [] };
        return Response.json({ jsonrpc: '2.0', id, result });
      }
      node.calls += 1;
      node.running += 1;
      node.most = Math.max(node.most, node.running);
      await call(request.signal).finally(() => {
        node.running -= 1;
      });
      return Response.json({ jsonrpc: '2.0', id, result: `0x${'0'.repeat(64)}` });
    },
  });
  const accepted = { scheme: 'exact', network, asset, amount: '1000', payTo, maxTimeoutSeconds: 60 } as const;
  const accepts = [{ ...accepted, extra: { name: 'USD Coin', version: '2' } }];
  const sign = () => buyer.sign({ x402Version: 2, resource: { url }, accepts }, { url, method: 'GET' });
  return { buyer, node, sign };
}

it('asks the chain once for concurrent calls, and only about the payments of the day', async () => {
  const { buyer, node, sign } = await openBuyer(() => new Promise((resolve) => setTimeout(resolve, 20)));
  await Promise.all([sign(), sign(), sign()]);
  expect(node).toMatchObject({ blocks: 1, calls: 40 });
  expect(node.most).toBeLessThanOrEqual(8);
  const open = async (at: string) =>
    (await buyer.receipts()).filter((receipt) => receipt.at === at && receipt.status === 'unconfirmed').length;
  expect(await open(today)).toBe(3);
  expect(await open(yesterday)).toBe(40);
  await buyer.reconcile();
  expect(await open(yesterday)).toBe(0);
});

it('refuses a call in time although the node does not answer', async () => {
  const { node, sign } = await openBuyer(
    (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  );
  const startedAt = performance.now();
  await expect(sign()).rejects.toMatchObject({ code: 'PER_DAY_EXCEEDED' });
  expect(performance.now() - startedAt).toBeLessThan(15_000);
  expect(node.calls).toBeLessThan(40);
});

it('forgets receipts with a known outcome in memory after a day, and keeps the others', async () => {
  const store = memoryStore();
  const old = ['charged', 'released', 'unconfirmed'].map((status) =>
    receiptOf({ at: '2026-06-01T11:00:00.000Z', status: status as Receipt['status'] }),
  );
  const recent = receiptOf({ at: '2026-06-01T13:00:00.000Z', status: 'charged' });
  for (const receipt of [...old, recent]) await store.reserve(receipt, 10n ** 18n);
  const newest = receiptOf({});
  await store.reserve(newest, 10n ** 18n);
  expect((await store.list()).map(({ id }) => id)).toEqual([newest.id, recent.id, old[2]?.id]);
});
