/** Lost responses of the gateway and of the server: the payer gets the response exactly once. */
import { get } from 'node:http';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createX402, type PayOptions } from '../../../packages/x402/src/index.ts';
import { openEvm } from '../../setup/chains/evm.ts';
import { listenExpress, receiptOf, stockClient } from './ground.ts';
import { openStockGateway, secretKey } from './stock-gateway.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const evm = await openEvm();
const gateway = await openStockGateway(evm);
const [payer] = evm.payers;
const price = { price: '0.01' } as const;
const patience = { timeout: 60_000 };
const unserved: unknown[] = [];
let runs = 0;
let slow: Promise<void> = Promise.resolve();
/** The price of a small call of `/dependent`. */
let current = '0.01';
/** Connections of clients that the servers have seen closed. */
let closed = 0;

/** One process of the paid API. All processes of a test have the same address to clients. It abandons a settlement after `settleTimeoutMs`. */
async function startServer({ publicUrl, settleTimeoutMs }: { publicUrl?: string; settleTimeoutMs: number }) {
  const x402 = createX402({
    apiUrl: gateway.url,
    secretKey,
    onError: () => undefined,
    settleTimeoutMs,
    ...(publicUrl ? { publicUrl } : {}),
  });
  return await listenExpress((app) => {
    app.use((_, response, next) => {
      response.once('close', () => {
        closed += 1;
      });
      next();
    });
    const route = (path: string, options: PayOptions, status = 200) =>
      app.get(path, x402.pay(options).express, async (_, response) => {
        runs += 1;
        await slow;
        response.status(status).json({ run: runs });
      });
    route('/after', price);
    route('/before', { ...price, settle: 'before' });
    route('/reported', { ...price, settle: 'before', onUnserved: (payment) => void unserved.push(payment) });
    const dependent = x402.pay({ price: ({ url: called }) => (called.includes('size=large') ? '5' : current) });
    app.get('/dependent', dependent.express, (request, response) => void response.json({ size: request.query.size }));
    app.get('/flaky', x402.pay(price).express, (_, response) => {
      runs += 1;
      response.status(runs === 2 ? 500 : 200).json({ run: runs });
    });
  });
}

const url = await startServer({ settleTimeoutMs: 1_500 });
const second = await startServer({ publicUrl: url, settleTimeoutMs: 1_500 });
/** A process that waits up to a minute for a settlement. */
const patient = await startServer({ settleTimeoutMs: 60_000 });

beforeEach(() => {
  gateway.fault = 'none';
  gateway.calls = {};
  gateway.attempts = [];
  gateway.answered = [];
  gateway.offerMs = 60_000;
  gateway.refusesAfterLoss = false;
  current = '0.01';
  runs = 0;
  slow = Promise.resolve();
  unserved.length = 0;
});

async function header(path: string, server = url): Promise<string> {
  const required = await (await fetch(`${server}${path}`)).json();
  return encoded(await stockClient(payer.privateKey).createPaymentPayload(required));
}

const encoded = (payload: object) => Buffer.from(JSON.stringify(payload)).toString('base64');
const send = (path: string, signature: string, server = url) =>
  fetch(`${server}${path}`, { headers: { 'payment-signature': signature } });

/** Repeats the call while the server does not know the outcome, or is still handling the call before, as clients do. */
async function sendUntilKnown(path: string, signature: string, server = url): Promise<Response> {
  return await vi.waitFor(async () => {
    const response = await send(path, signature, server);
    if (response.status === 503 || response.status === 409) throw new Error(`The status is still ${response.status}.`);
    return response;
  }, patience);
}

/** Sends the request to the patient server and closes the connection while the payment is being settled. */
async function sendAndLeave(path: string, signature: string, server = patient): Promise<void> {
  let open = () => {};
  gateway.delay = new Promise((resolve) => {
    open = resolve;
  });
  const before = closed;
  const request = get(`${server}${path}`, { headers: { 'payment-signature': signature } });
  request.on('error', () => undefined);
  await vi.waitFor(() => expect(gateway.calls['/x402/settle']).toBe(1), patience);
  request.destroy();
  await vi.waitFor(() => expect(closed).toBe(before + 1), patience);
  open();
  gateway.delay = Promise.resolve();
  await vi.waitFor(() => expect(gateway.answered).toContain('/x402/settle'), patience);
}

describe.each(['/after', '/before'])('a payer of %s', (path) => {
  it('gets the response once with the same header after every settlement response was lost', async () => {
    const signature = await header(path);
    gateway.fault = 'every settle lost';
    const lost = await send(path, signature);
    expect([lost.status, (await lost.json()).error]).toEqual([503, 'settlement_pending']);
    expect((await send(path, signature)).status).toBe(503);
    gateway.fault = 'none';
    const served = await sendUntilKnown(path, signature);
    expect(served.status).toBe(200);
    expect(receiptOf(served).success).toBe(true);
    expect(new Set(gateway.attempts).size).toBe(1);
    const ran = runs;
    expect((await send(path, signature)).status).toBe(402);
    expect(runs).toBe(ran);
  });

  it('gets the response once with the same header after a rate limit follows a lost response', async () => {
    const signature = await header(path);
    gateway.fault = 'every settle lost';
    expect((await send(path, signature)).status).toBe(503);
    gateway.fault = 'settle limited';
    expect((await sendUntilKnown(path, signature)).status).toBe(200);
    expect((await send(path, signature)).status).toBe(402);
  });

  it('gets the response with the same header although the gateway refuses it after a lost response', async () => {
    const signature = await header(path);
    gateway.fault = 'settle lost';
    gateway.refusesAfterLoss = true;
    for (const _ of [1, 2]) {
      const refused = await send(path, signature);
      expect([refused.status, (await refused.json()).error]).toEqual([503, 'settlement_pending']);
    }
    gateway.fault = 'none';
    expect((await sendUntilKnown(path, signature)).status).toBe(200);
    expect(new Set(gateway.attempts).size).toBe(1);
  });

  it('is refused at once by a gateway whose responses arrive', async () => {
    const signature = await header(path);
    gateway.fault = 'refused';
    const refused = await send(path, signature);
    expect([refused.status, (await refused.json()).error]).toEqual([402, 'insufficient_balance']);
    expect(gateway.attempts).toHaveLength(1);
  });

  it('gets the response once with the same header after disconnecting during the settlement', async () => {
    const signature = await header(path, patient);
    await sendAndLeave(path, signature);
    const ran = runs;
    const served = await sendUntilKnown(path, signature, patient);
    expect(served.status).toBe(200);
    expect(await served.json()).toEqual({ run: ran + 1 });
    expect((await send(path, signature, patient)).status).toBe(402);
  });
});

it('a server that refunds is notified of a disconnected payer, whose payment buys nothing more', async () => {
  const signature = await header('/reported', patient);
  await sendAndLeave('/reported', signature);
  const reported = [{ paymentIntentId: 'stock', status: undefined, isBegun: false }];
  await vi.waitFor(() => expect(unserved).toMatchObject(reported), patience);
  expect(runs).toBe(0);
  expect((await send('/reported', signature, patient)).status).toBe(402);
});

it('a call that fails after a late settlement can be repeated', async () => {
  const signature = await header('/flaky');
  gateway.fault = 'every settle lost';
  expect((await send('/flaky', signature)).status).toBe(503);
  gateway.fault = 'none';
  const failed = await sendUntilKnown('/flaky', signature);
  expect(failed.status).toBe(500);
  expect((await sendUntilKnown('/flaky', signature)).status).toBe(200);
  expect((await send('/flaky', signature)).status).toBe(402);
});

describe.each(['/after', '/before'])('a payer of %s while the gateway makes no offers', (path) => {
  it('gets the response for a payment that was submitted before', async () => {
    // Its earlier offers, which are valid for a minute, would still be made.
    const server = await startServer({ settleTimeoutMs: 60_000 });
    gateway.offerMs = 100;
    const signature = await header(path, server);
    await sendAndLeave(path, signature, server);
    gateway.fault = 'no offers';
    // The Date header, by which the server computes how long it reuses an offer, has a resolution of one second.
    await vi.waitFor(async () => {
      const unpaid = await fetch(`${server}${path}`);
      expect([unpaid.status, (await unpaid.json()).error]).toEqual([503, 'payment_unavailable']);
    }, patience);
    expect((await sendUntilKnown(path, signature, server)).status).toBe(200);
    const again = await send(path, signature, server);
    const { error, message } = await again.json();
    expect([again.status, error]).toEqual([503, 'payment_unavailable']);
    expect(message).not.toContain('Nothing has been charged');
  });
});

it('a payment that was submitted pays for the same call at a new price, and for no more expensive one', async () => {
  const signature = await header('/dependent');
  gateway.fault = 'every settle lost';
  expect((await send('/dependent', signature)).status).toBe(503);
  gateway.fault = 'none';
  current = '0.02';
  const large = await send('/dependent?size=large', signature);
  expect([large.status, (await large.json()).error]).toEqual([402, 'invalid_payment_requirements']);
  const served = await sendUntilKnown('/dependent', signature);
  expect(served.status).toBe(200);
  expect(receiptOf(served).success).toBe(true);
  const again = await send('/dependent', signature);
  expect([again.status, (await again.json()).error]).toEqual([402, 'invalid_payment_requirements']);
});

describe('one payment at two processes at the same time', () => {
  it.each(['none', 'settle limited', 'settle lost', 'every settle lost'] as const)(
    'buys at most one response, with the fault "%s"',
    async (fault) => {
      const signature = await header('/after');
      let open = () => {};
      slow = new Promise((resolve) => {
        open = resolve;
      });
      const both = [send('/after', signature, url), send('/after', signature, second)];
      await vi.waitFor(() => expect(runs).toBe(2), patience);
      gateway.fault = fault;
      open();
      const statuses = (await Promise.all(both)).map(({ status }) => status);
      gateway.fault = 'none';
      const later = [await sendUntilKnown('/after', signature, url), await sendUntilKnown('/after', signature, second)];
      const all = [...statuses, ...later.map(({ status }) => status)];
      expect(all.filter((status) => status === 200)).toHaveLength(1);
    },
  );
});

describe('an authorization copied from the chain', () => {
  it('gets no response from another client’s 402 response while its payer waits', async () => {
    const signature = await header('/before');
    gateway.fault = 'every settle lost';
    expect((await send('/before', signature)).status).toBe(503);
    gateway.fault = 'none';
    const own = await (await fetch(`${url}/before`)).json();
    const stolen = JSON.parse(Buffer.from(signature, 'base64').toString());
    expect(own.accepts[0].extra.requestId).not.toBe(stolen.accepted.extra.requestId);
    const stolenAnswer = await send('/before', encoded({ ...stolen, accepted: own.accepts[0] }));
    expect([stolenAnswer.status, (await stolenAnswer.json()).error]).toEqual([402, 'authorization_used']);
    expect((await sendUntilKnown('/before', signature)).status).toBe(200);
  });
});
