/** A buyer whose signed payment gets no final answer, from a server that is a function. */
import { encodePaymentRequiredHeader, encodePaymentResponseHeader } from '@x402/core/http';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { expect, it, vi } from 'vitest';
import {
  type BuyerOptions,
  createBuyer,
  memoryStore,
  UnansweredPaymentError,
} from '../../../packages/x402/src/client/index.ts';

const network = 'eip155:8453';
const asset = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const url = 'https://api.example/data';
const accepts = [
  {
    ...({ scheme: 'exact', network, asset, amount: '1000', maxTimeoutSeconds: 60 } as const),
    payTo: '0x0000000000000000000000000000000000000001',
    extra: { name: 'USD Coin', version: '2' },
  },
];
const offer = encodePaymentRequiredHeader({ x402Version: 2, resource: { url }, accepts });
const receipt = encodePaymentResponseHeader({ success: true, transaction: '0x01', network });

const failure = (status: number, error: string, headers: Record<string, string> = {}) =>
  Response.json({ error }, { status, headers });
const served = () => new Response('served', { headers: { 'payment-response': receipt } });

/** Answers signed requests with `answers`, one after the other, and repeats the last one. */
function openShop(answers: (() => Response)[], options: Partial<BuyerOptions> = {}) {
  const account = privateKeyToAccount(generatePrivateKey());
  const signTypedData = vi.fn(account.signTypedData);
  const shop = { answers, headers: [] as string[], bodies: [] as string[], signTypedData };
  const send = async (input: string | URL | Request) => {
    const request = new Request(input);
    request.signal.throwIfAborted();
    const header = request.headers.get('payment-signature');
    if (header === null) return new Response(null, { status: 402, headers: { 'payment-required': offer } });
    shop.headers.push(header);
    shop.bodies.push(await request.text());
    const [answer = served] = shop.answers.length > 1 ? shop.answers.splice(0, 1) : shop.answers;
    return answer();
  };
  const buyer = createBuyer({
    signer: { ...account, signTypedData: signTypedData as never },
    budget: { perCall: '0.001', perDay: '1', hosts: ['api.example'], tokens: [{ network, asset, decimals: 6 }] },
    fetch: send,
    ...options,
  });
  return { shop, buyer };
}

const broken = () => {
  throw new TypeError('fetch failed');
};
const unavailable = () => failure(503, 'payment_unavailable', { 'retry-after': '1' });

it('sends the same payment again until the answer is final', async () => {
  const inProgress = () => failure(409, 'payment_in_progress');
  const badGateway = () => new Response('<html>', { status: 502 });
  const { shop, buyer } = openShop([broken, unavailable, inProgress, badGateway, served]);
  const startedAt = performance.now();
  const response = await buyer.fetch(url, { method: 'POST', body: 'question' });
  expect(await response.text()).toBe('served');
  expect(performance.now() - startedAt).toBeGreaterThan(1_000);
  expect(shop.signTypedData).toHaveBeenCalledTimes(1);
  expect(shop.bodies).toEqual(Array(5).fill('question'));
  expect(new Set(shop.headers).size).toBe(1);
  expect(await buyer.receipts()).toMatchObject([{ status: 'charged', transaction: '0x01' }]);
});

it.each([
  ['a conflict of the API itself', () => failure(409, 'name_taken')],
  ['a paid response with the status 503', () => failure(503, 'busy', { 'payment-response': receipt })],
  ['a refusal', () => failure(402, 'authorization_used')],
])('returns %s at once', async (_, answer) => {
  const { shop, buyer } = openShop([answer]);
  expect((await buyer.fetch(url)).status).toBe(answer().status);
  expect(shop.headers).toHaveLength(1);
});

it('rejects with the signed payment when the time has passed, and repeats it on request', async () => {
  const { shop, buyer } = openShop([() => failure(503, 'settlement_pending')], { repeatForMs: 300 });
  const error = await buyer.fetch(url, { method: 'POST', body: 'question' }).catch((reason: unknown) => reason);
  if (!(error instanceof UnansweredPaymentError)) throw error;
  expect(await error.answer?.json()).toEqual({ error: 'settlement_pending' });
  expect(shop.headers).toEqual(Array(shop.headers.length).fill(error.payment.header));
  await expect(error.repeat()).rejects.toBeInstanceOf(UnansweredPaymentError);
  shop.answers = [served];
  expect(await (await error.repeat()).text()).toBe('served');
  expect(new Set(shop.headers).size).toBe(1);
  expect(new Set(shop.bodies)).toEqual(new Set(['question']));
  expect(await buyer.receipts()).toMatchObject([{ status: 'charged' }]);
});

it('does not wait longer than the server, the authorization or the caller allows', async () => {
  const hour = openShop([() => failure(503, 'settlement_pending', { 'retry-after': '3600' })]);
  await expect(hour.buyer.fetch(url)).rejects.toMatchObject({ name: 'UnansweredPaymentError' });
  const ended = openShop([broken], { now: () => Date.now() + 200_000 });
  await expect(ended.buyer.fetch(url)).rejects.toMatchObject({ cause: { message: 'fetch failed' } });
  const { shop, buyer } = openShop([unavailable]);
  const caller = new AbortController();
  const call = buyer.fetch(url, { signal: caller.signal }).catch((reason: unknown) => reason);
  await vi.waitFor(() => expect(shop.headers).toHaveLength(1));
  caller.abort(new Error('The caller has left.'));
  const error = await call;
  if (!(error instanceof UnansweredPaymentError)) throw error;
  expect(error.cause).toMatchObject({ message: 'The caller has left.' });
  expect([hour, ended, { shop }].map((one) => one.shop.headers.length)).toEqual([1, 1, 1]);
  shop.answers = [served];
  expect((await error.repeat()).status).toBe(200);
  expect(shop.signTypedData).toHaveBeenCalledTimes(1);
});

it('signs nothing for a call that was aborted before', async () => {
  const caller = new AbortController();
  const { shop, buyer } = openShop([served], {
    fetch: async () => {
      caller.abort();
      return new Response(null, { status: 402, headers: { 'payment-required': offer } });
    },
  });
  await expect(buyer.fetch(url, { signal: caller.signal })).rejects.toMatchObject({ name: 'AbortError' });
  expect(shop.signTypedData).not.toHaveBeenCalled();
});

it('returns the response that was paid for although its receipt cannot be stored', async () => {
  const store = memoryStore();
  const update: typeof store.update = (id, change) =>
    change.status === 'charged' ? Promise.reject(new Error('The disk is full.')) : store.update(id, change);
  const { buyer } = openShop([served], { store: { ...store, update } });
  expect(await (await buyer.fetch(url)).text()).toBe('served');
  expect(await buyer.receipts()).toMatchObject([{ status: 'unconfirmed' }]);
});
