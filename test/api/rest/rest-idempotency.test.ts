/** Repeated calls over HTTP. */
import { connect } from 'node:net';
import { expect, test, vi } from 'vitest';
import { openRestApi } from '../../setup/api/rest.ts';

const api = await openRestApi({ environment: { DATABASE_POOL_SIZE: '5' } });
const key = api.merchantA.secretKey;

function create(body: Record<string, unknown>, header?: string, secretKey = key) {
  const headers: Record<string, string> = header === undefined ? {} : { 'idempotency-key': header };
  return api.rest('POST', '/payments/intents', { key: secretKey, body, headers });
}

async function madeBy(externalId: string) {
  return api.database.paymentIntent.findMany({ where: { externalId } });
}

test.each(['header', 'body'])(
  'returns the first response to a repeated call with a key in the %s, even after later changes',
  async (place) => {
    const externalId = `repeat-${place}`;
    const call = () =>
      place === 'header'
        ? create({ amount: '5', externalId }, externalId)
        : create({ amount: '5', externalId, idempotencyKey: externalId });
    const first = await call();
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([200, null]);
    await api.database.paymentIntent.update({
      where: { id: first.body.data.id },
      data: { status: 'CANCELLED', refundReason: 'later' },
    });
    const again = await call();
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(again.text).toBe(first.text);
    expect(await madeBy(externalId)).toHaveLength(1);
    expect(
      await api.database.event.count({ where: { resourceId: first.body.data.id, type: 'payment_intent.created' } }),
    ).toBe(1);
  },
);

test('accepts a key in the body or the header, and refuses two different ones', async () => {
  const first = await create({ amount: '6', idempotencyKey: 'one-mechanism' });
  const byHeader = await create({ amount: '6' }, 'one-mechanism');
  const byBoth = await create({ amount: '6', idempotencyKey: 'one-mechanism' }, 'one-mechanism');
  expect([byHeader.text, byBoth.text]).toEqual([first.text, first.text]);
  const differing = await create({ amount: '6', idempotencyKey: 'one' }, 'two');
  expect([differing.status, differing.body.error.code, differing.body.error.param]).toEqual([
    400,
    'VALIDATION_ERROR',
    'idempotencyKey',
  ]);
});

test('returns 422 for the same key with other parameters, and separates the keys of apps', async () => {
  const first = await create({ amount: '7' }, 'mismatch');
  const other = await create({ amount: '8' }, 'mismatch');
  expect([other.status, other.body.error.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
  const elsewhere = await create({ amount: '8' }, 'mismatch', api.merchantB.secretKey);
  expect([elsewhere.status, elsewhere.headers.get('idempotent-replayed')]).toEqual([200, null]);
  expect(elsewhere.body.data.id).not.toBe(first.body.data.id);
});

test('does not store a failed call, so that its key can be used again', async () => {
  expect((await create({ amount: '-1' }, 'second-try')).status).toBe(400);
  const customerAccountId = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11';
  expect((await create({ amount: '1', customerAccountId }, 'second-try')).status).toBe(404);
  const good = await create({ amount: '1' }, 'second-try');
  expect([good.status, good.headers.get('idempotent-replayed')]).toEqual([200, null]);
});

test.each(['header', 'body'])(
  'creates one intent and returns one response for fifty concurrent calls with a key in the %s',
  async (place) => {
    const externalId = `twins-${place}`;
    const duplicates = Array.from({ length: 50 }, () =>
      place === 'header'
        ? create({ amount: '9', externalId }, externalId)
        : create({ amount: '9', externalId, idempotencyKey: externalId }),
    );
    const answers = await Promise.all(duplicates);
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(answers.filter((answer) => answer.headers.get('idempotent-replayed') !== 'true')).toHaveLength(1);
    const made = await madeBy(externalId);
    expect(made).toHaveLength(1);
    expect(await api.database.event.count({ where: { resourceId: made[0]?.id ?? '' } })).toBe(1);
  },
);

test('returns the stored result after the first caller disconnected before the response', async () => {
  await create({ amount: '1' });
  const released = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const holder = api.database.$transaction(
    async (tx) => {
      await tx.$executeRaw`SELECT 1 FROM event_cursor WHERE app_id = ${api.merchantA.appId}::uuid FOR UPDATE`;
      held.resolve();
      await released.promise;
    },
    { timeout: 30_000 },
  );
  await held.promise;
  const socket = send('/payments/intents', { amount: '11', externalId: 'gone' }, 'gone');
  await vi.waitFor(async () => expect(await waitingForLocks()).toBe(1), { timeout: 20_000, interval: 20 });
  socket.destroy();
  released.resolve();
  await holder;
  await vi.waitFor(async () => expect(await madeBy('gone')).toHaveLength(1), { timeout: 20_000, interval: 20 });
  const again = await create({ amount: '11', externalId: 'gone' }, 'gone');
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  expect(again.body.data.id).toBe((await madeBy('gone'))[0]?.id);
  expect(await madeBy('gone')).toHaveLength(1);
});

/** Sends a request over a socket, which the test can close. */
function send(path: string, fields: object, idempotencyKey: string) {
  const body = JSON.stringify(fields);
  const url = new URL(api.url);
  const socket = connect(Number(url.port), url.hostname);
  socket.on('error', () => {});
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: ${url.host}`,
    `x-api-key: ${key}`,
    `idempotency-key: ${idempotencyKey}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return socket;
}

async function waitingForLocks(): Promise<number> {
  const [row] = await api.database.$queryRaw<{ waiting: bigint }[]>`
    SELECT count(*) AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return Number(row?.waiting ?? 0);
}

test('refuses a key that is too long, and names it', async () => {
  const long = await create({ amount: '1' }, 'k'.repeat(256));
  expect([long.status, long.body.error.param]).toEqual([400, 'Idempotency-Key']);
  expect((await create({ amount: '1' }, 'k'.repeat(255))).status).toBe(200);
});
