/** A live payment sends each of its states once and in order, from any position at which a client resumes. */
import { beforeAll, describe, expect, test } from 'vitest';
import { transaction } from '../../../prisma/client.ts';
import { appendEvents } from '../../../src/events/append-events.ts';
import { paymentEvent } from '../../../src/payments/actions/payment-event.ts';
import { openApi, type TestApi } from '../../setup/api/api.ts';
import { followSse, followWs, type Live, wsClient } from '../../setup/api/live.ts';
import { type Gateway, openGateway } from '../../setup/gateway/gateway.ts';

let api: TestApi;
let gateway: Gateway;
let key: string;
beforeAll(async () => {
  api = await openApi({ rpc: { 31337: 'http://127.0.0.1:1' } });
  gateway = await openGateway({ database: { database: api.database, url: api.databaseUrl } });
  key = api.merchantA.secretKey;
});

const UPDATED = `subscription ($id: ID!, $after: Int) { paymentIntentUpdated(id: $id, after: $after) {
  sequence status authorizedAt capturedAt leftoverAmount exchangeRate updatedAt transactions { type }
} }`;

/** An intent with an open checkout session, like every payment. */
async function newPayment(captureMode: 'AUTOMATIC' | 'MANUAL' = 'AUTOMATIC') {
  const { data } = await api.graphql(
    'mutation ($input: CreatePaymentIntentInput!) { createPaymentIntent(input: $input) { id sequence } }',
    { input: { amount: '10.00', captureMode } },
    { key },
  );
  const { id, sequence } = data.createPaymentIntent;
  const session = await api.graphql(
    'mutation ($input: CreateCheckoutSessionInput!) { createCheckoutSession(input: $input) { id clientSecret } }',
    { input: { paymentIntentId: id } },
    { key },
  );
  return { id: String(id), sequence: Number(sequence), session: session.data.createCheckoutSession };
}

async function pay(payment: { id: string }, captureOnAuthorize = true): Promise<void> {
  await gateway.authorize(await gateway.sign(payment, { captureOnAuthorize }));
  await gateway.settleDown();
}

/** The next results of a live payment, up to the last event that the payment has. */
async function updatesOf(live: Live, id: string, field = 'paymentIntentUpdated') {
  const last = await newestOf(id);
  const updates = [];
  for (;;) {
    const result = await live.next();
    if (result === 'end' || result.errors) throw new Error(JSON.stringify(result));
    updates.push(result.data[field]);
    if (result.data[field].sequence >= last) return updates;
  }
}

async function eventsOf(id: string) {
  return await api.database.event.findMany({ where: { resourceId: id }, orderBy: { sequence: 'asc' } });
}

async function newestOf(id: string): Promise<number> {
  return Number((await eventsOf(id)).at(-1)?.sequence);
}

/** Resolves when nothing was received for twice the feed's polling interval. */
async function staysSilent(live: Live): Promise<void> {
  const silence = new Promise<'silence'>((resolve) => setTimeout(() => resolve('silence'), 1_200));
  expect(await Promise.race([live.next().catch(() => 'silence'), silence])).toBe('silence');
}

const ws = (secret = key) => wsClient(api.url, { 'x-api-key': secret });
const codeOf = async (live: Live) => {
  const result = await live.next();
  return result === 'end' ? result : result.errors?.[0]?.extensions;
};

describe('paymentIntentUpdated', () => {
  test('sends the state of a payment after each event once, even if it is captured immediately', async () => {
    const payment = await newPayment();
    const client = ws();
    const live = followWs(client, UPDATED, { id: payment.id });
    const first = await live.next();
    expect(first).toMatchObject({
      data: { paymentIntentUpdated: { status: 'CREATED', sequence: payment.sequence, leftoverAmount: null } },
    });
    await pay(payment);
    const updates = await updatesOf(live, payment.id);
    await staysSilent(live);
    const [authorized, captured] = updates.slice(-2);
    expect(updates.map(({ status }) => status)).toEqual([
      ...updates.slice(0, -2).map(() => 'CREATED'),
      'AUTHORIZED',
      'CAPTURED',
    ]);
    expect(authorized).toMatchObject({ capturedAt: null, leftoverAmount: '10000000', exchangeRate: '1' });
    expect(authorized.authorizedAt).not.toBeNull();
    expect(captured).toMatchObject({ capturedAt: authorized.authorizedAt, leftoverAmount: '10000000' });
    // Relations have their current state, and the completion of the session is not a change of the payment.
    expect(authorized.transactions).toEqual([{ type: 'AUTHORIZE' }, { type: 'CAPTURE' }]);
    expect(updates.map(({ sequence }) => BigInt(sequence))).toEqual(
      (await eventsOf(payment.id)).slice(1).map(({ sequence }) => sequence),
    );
    await client.dispose();
  });

  test('resumes after any number with the later events and then follows new ones', async () => {
    const payment = await newPayment();
    await pay(payment);
    const events = await eventsOf(payment.id);
    const numbers = events.map(({ sequence }) => Number(sequence));
    for (const [index, after] of numbers.entries()) {
      const client = ws();
      const live = followWs(client, UPDATED, { id: payment.id, after });
      if (index < numbers.length - 1) {
        const updates = await updatesOf(live, payment.id);
        expect(updates.map(({ sequence }) => sequence)).toEqual(numbers.slice(index + 1));
        expect(updates.map(({ status }) => status)).toEqual(events.slice(index + 1).map(statusIn));
      }
      await staysSilent(live);
      await client.dispose();
    }
    const { data } = await api.graphql(
      'query ($id: ID!) { paymentIntent(id: $id) { sequence status } }',
      { id: payment.id },
      { key },
    );
    expect(data.paymentIntent).toEqual({ sequence: numbers.at(-1), status: 'CAPTURED' });
    const stream = await followSse(
      api.url,
      UPDATED,
      { id: payment.id, after: data.paymentIntent.sequence },
      {
        'x-api-key': key,
      },
    );
    await gateway.passTime(200_000);
    await gateway.settleDown();
    expect((await updatesOf(stream, payment.id)).map(({ status }) => status)).toEqual(['SETTLED']);
    await stream.stop();
  });

  test('has no gap and no duplicate between stored and new events', async () => {
    const payment = await newPayment('MANUAL');
    await pay(payment, false);
    const after = payment.sequence;
    const started = await eventsOf(payment.id);
    // Written while each follower catches up.
    const writing = writeEvents(payment.id, 40);
    const clients = [ws(), ws()];
    const lives = [];
    for (const client of [...clients, ...clients]) lives.push(followWs(client, UPDATED, { id: payment.id, after }));
    await writing;
    const expected = (await eventsOf(payment.id)).slice(1).map(({ sequence }) => Number(sequence));
    expect(expected.length).toBe(started.length - 1 + 40);
    for (const live of lives) {
      expect((await updatesOf(live, payment.id)).map(({ sequence }) => sequence)).toEqual(expected);
    }
    for (const client of clients) await client.dispose();
  });

  test('sends the restored state after a reorganization', async () => {
    const payment = await newPayment();
    const client = ws();
    const live = followWs(client, UPDATED, { id: payment.id });
    await live.next();
    const snapshot = await gateway.evm.publicClient.getBlockNumber();
    await pay(payment);
    await updatesOf(live, payment.id);
    const depth = Number((await gateway.evm.publicClient.getBlockNumber()) - snapshot);
    await gateway.evm.reorg(depth);
    await gateway.observe();
    const [reverted] = await updatesOf(live, payment.id);
    expect(reverted).toMatchObject({ status: 'CREATED', authorizedAt: null, capturedAt: null, leftoverAmount: null });
    expect((await eventsOf(payment.id)).at(-1)?.type).toBe('payment_intent.reverted');
    const again = followWs(client, UPDATED, { id: payment.id, after: payment.sequence });
    const states = (await updatesOf(again, payment.id)).map(({ status, capturedAt }) => [status, capturedAt !== null]);
    expect(states.slice(-3)).toEqual([
      ['AUTHORIZED', false],
      ['CAPTURED', true],
      ['CREATED', false],
    ]);
    await client.dispose();
  });

  test('sends the same states to two subscribers with different selections and aliases', async () => {
    const payment = await newPayment();
    const clients = [ws(), ws()];
    const aliased = `subscription ($id: ID!) { mine: paymentIntentUpdated(id: $id) {
      sequence first: status again: status at: capturedAt all: transactions { type } once: transactions { kind: type }
    } }`;
    const [plain, renamed] = [
      followWs(clients[0] ?? ws(), UPDATED, { id: payment.id }),
      followWs(clients[1] ?? ws(), aliased, { id: payment.id }),
    ];
    await Promise.all([plain.next(), renamed.next()]);
    await pay(payment);
    const states = await updatesOf(plain, payment.id);
    const other = await updatesOf(renamed, payment.id, 'mine');
    expect(other).toEqual(
      states.map(({ sequence, status, capturedAt, transactions }) => ({
        sequence,
        first: status,
        again: status,
        at: capturedAt,
        all: transactions,
        once: transactions.map(({ type }: { type: string }) => ({ kind: type })),
      })),
    );
    for (const client of clients) await client.dispose();
  });

  test('refuses a number without an event, and first another merchant’s payment', async () => {
    const payment = await newPayment();
    const newest = Number(
      (await api.database.eventCursor.findUniqueOrThrow({ where: { appId: api.merchantA.appId } })).lastSequence,
    );
    const client = ws();
    for (const [after, message] of [
      [-1, 'is -1, at least 0'],
      [newest + 1, `is ${newest + 1}, and the newest event is ${newest}`],
    ] as const) {
      expect(await codeOf(followWs(client, UPDATED, { id: payment.id, after }))).toMatchObject({
        code: 'VALIDATION_ERROR',
        param: 'after',
        details: [{ param: 'after', message }],
      });
    }
    const other = ws(api.merchantB.secretKey);
    for (const id of [payment.id, crypto.randomUUID()]) {
      for (const after of [0, newest + 1, undefined]) {
        expect(await codeOf(followWs(other, UPDATED, { id, after }))).toMatchObject({ code: 'NOT_FOUND' });
      }
    }
    await Promise.all([client.dispose(), other.dispose()]);
  });
});

describe('paymentIntentsUpdated', () => {
  const LIST = `subscription ($filter: PaymentIntentFilter, $after: Int) {
    paymentIntentsUpdated(filter: $filter, after: $after) { id sequence status capturedAt }
  }`;

  test('sends the existing payments first and then each state of each payment once', async () => {
    const payment = await newPayment();
    const client = ws();
    const live = followWs(client, LIST);
    const present = [];
    do present.push((await live.next()) as { data: { paymentIntentsUpdated: { id: string; sequence: number } } });
    while (present.at(-1)?.data.paymentIntentsUpdated.id !== payment.id);
    expect(present.at(-1)?.data.paymentIntentsUpdated.sequence).toBe(payment.sequence);
    await pay(payment);
    const states = await updatesOf(live, payment.id, 'paymentIntentsUpdated');
    expect(states.slice(-2).map(({ status, capturedAt }) => [status, capturedAt !== null])).toEqual([
      ['AUTHORIZED', false],
      ['CAPTURED', true],
    ]);
    const resumed = followWs(client, LIST, { after: payment.sequence });
    expect(await updatesOf(resumed, payment.id, 'paymentIntentsUpdated')).toEqual(states);
    const filtered = followWs(client, LIST, { filter: { status: ['CAPTURED'] }, after: payment.sequence });
    expect(await updatesOf(filtered, payment.id, 'paymentIntentsUpdated')).toEqual(states.slice(-1));
    await staysSilent(live);
    await client.dispose();
  });
});

describe('checkoutUpdated', () => {
  test('sends one update to the payer for simultaneous events', async () => {
    const payment = await newPayment();
    const client = wsClient(api.url, { 'x-client-secret': payment.session.clientSecret });
    const live = followWs(client, 'subscription ($id: ID!) { checkoutUpdated(id: $id) { payment { status } } }', {
      id: payment.session.id,
    });
    await live.next();
    await gateway.authorize(await gateway.sign(payment));
    await gateway.observe();
    const statuses: string[] = [];
    while (statuses.at(-1) !== 'CAPTURED') {
      const result = await live.next();
      if (result !== 'end') statuses.push(result.data.checkoutUpdated.payment.status);
    }
    await staysSilent(live);
    expect(statuses).not.toContain('AUTHORIZED');
    await client.dispose();
  });
});

const statusIn = ({ data }: { data: unknown }) => (data as { status: string }).status;

/** Events of a payment as many transactions would append them. */
async function writeEvents(id: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await transaction(api.database, async (tx) => {
      const intent = await tx.paymentIntent.update({ where: { id }, data: { captureAttempts: index } });
      await appendEvents(tx, intent.appId, [paymentEvent('payment_intent.pending', intent)]);
    });
  }
}
