/** The test clock of a running gateway: payments that fall due while time moves, and the same time in every process. */
import { expect, test } from 'vitest';
import { readClock } from '../../src/test-clock/store.ts';
import { openRunningGateway } from '../setup/gateway/running-gateway.ts';

const DAY = 86_400;
const gateway = await openRunningGateway();
const { evm, database } = gateway;
const [payer] = evm.payers;

async function payDirectly(amount: string): Promise<string> {
  const session = (await gateway.rest('POST', '/checkout-sessions', { body: { items: [{ name: 'Tea', amount }] } }))
    .body.data;
  const way = {
    chainId: evm.chainId,
    tokenKey: evm.usdc.key,
    walletAddress: payer.address,
    method: 'DIRECT',
  };
  const prepared = await gateway.rest('POST', `/checkout-sessions/${session.id}/prepare`, { body: way });
  const { txHash } = await gateway.doSteps(payer, prepared.body.data.steps);
  const confirmed = await gateway.rest('POST', `/checkout-sessions/${session.id}/confirm`, { body: { txHash } });
  expect(confirmed.status).toBe(200);
  return session.paymentIntentId;
}

const chainTime = async () => Number((await evm.publicClient.getBlock()).timestamp);

test('a payment is captured and settled at its own time during an advance, and an unpaid one expires', async () => {
  const unpaid = (await gateway.rest('POST', '/payments/intents', { body: { amount: '5' } })).body.data;
  const paid = await payDirectly('10.00');
  const before = (await gateway.rest('GET', '/test-clock')).body.data;
  expect(before).toMatchObject({ isMovable: true, isAdvancing: false, offsetSeconds: 0, targetAt: null });

  const state = await gateway.advance({ seconds: 30 * DAY });
  expect(state.stops).toBeGreaterThan(1);
  expect(new Date(state.now).getTime()).toBeGreaterThanOrEqual(new Date(before.now).getTime() + 30 * DAY * 1000);

  const intent = await database.paymentIntent.findUniqueOrThrow({ where: { id: paid } });
  expect(intent.status).toBe('SETTLED');
  const [capturedAt, settledAt] = [intent.capturedAt?.getTime() ?? 0, intent.settledAt?.getTime() ?? 0];
  // Settled when its timelock of seven days ended, and not when the clock arrived weeks later.
  expect((settledAt - capturedAt) / 1000).toBeGreaterThanOrEqual(7 * DAY);
  expect((settledAt - capturedAt) / 1000).toBeLessThan(7 * DAY + 600);
  const expired = await gateway.rest('GET', `/payments/intents/${unpaid.id}`);
  expect(expired.body.data.status).toBe('CANCELLED');
});

test('the API, other processes and the chain report the same time', async () => {
  await gateway.advance({ seconds: 90 * DAY });
  const clockMs = new Date((await gateway.rest('GET', '/test-clock')).body.data.now).getTime();
  await expect.poll(() => Math.abs(gateway.clock.now().getTime() - clockMs) < 30_000).toBe(true);
  expect(Math.abs((await chainTime()) - clockMs / 1000)).toBeLessThan(30);
  const session = await gateway.rest('POST', '/checkout-sessions', { body: { items: [{ name: 'Tea', amount: '1' }] } });
  expect(new Date(session.body.data.expiresAt).getTime() - clockMs).toBeLessThan(3_660_000);
  expect(new Date(session.body.data.expiresAt).getTime()).toBeGreaterThan(clockMs + 3_540_000);
  // Keys and readiness use real time, and payments continue.
  expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
  const paid = await payDirectly('2.00');
  await expect
    .poll(async () => (await database.paymentIntent.findUniqueOrThrow({ where: { id: paid } })).status, {
      timeout: 60_000,
    })
    .toBe('CAPTURED');
});

test('an advance requested during another starts where that one ends, once per idempotency key', async () => {
  const start = await gateway.rest('POST', '/test-clock/advance', { body: { seconds: 10 * DAY, waitSeconds: 0 } });
  const call = { body: { seconds: DAY, waitSeconds: 0 }, headers: { 'idempotency-key': 'one-day-more' } };
  const target = new Date(start.body.data.targetAt ?? start.body.data.now).getTime();
  const more = await gateway.rest('POST', '/test-clock/advance', call);
  const again = await gateway.rest('POST', '/test-clock/advance', call);
  expect([more.status, again.status]).toEqual([200, 200]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  await expect.poll(async () => (await readClock(database))?.targetAt ?? null, { timeout: 60_000 }).toBeNull();
  const { now } = (await gateway.rest('GET', '/test-clock')).body.data;
  expect(new Date(now).getTime()).toBeGreaterThanOrEqual(target + DAY * 1000);
  expect(new Date(now).getTime()).toBeLessThan(target + 2 * DAY * 1000);
});

test('time never moves back, and has a limit', async () => {
  const { now } = (await gateway.rest('GET', '/test-clock')).body.data;
  const early = new Date(new Date(now).getTime() - 1000).toISOString();
  const far = new Date(new Date(now).getTime() + 401 * DAY * 1000).toISOString();
  const bodies = [
    {},
    { seconds: 0 },
    { seconds: -5 },
    { seconds: 400 * DAY + 1 },
    { seconds: 1, to: far },
    { to: early },
    { to: far },
    { seconds: 1, waitSeconds: 51 },
  ];
  for (const body of bodies) {
    const { status, body: answer } = await gateway.rest('POST', '/test-clock/advance', { body });
    expect.soft([status, answer.error?.code], JSON.stringify(body)).toEqual([400, 'VALIDATION_ERROR']);
  }
  expect((await readClock(database))?.targetAt).toBeNull();
});

test('a restarted node is brought back to the present time', async () => {
  // The effect of a start on a node's clock.
  const body = { jsonrpc: '2.0', id: 1, method: 'evm_setTime', params: [Math.floor(Date.now() / 1000)] };
  const headers = { 'content-type': 'application/json' };
  const set = await fetch(evm.rpcUrl, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(await set.json()).not.toHaveProperty('error');
  await evm.mine();
  expect(await chainTime()).toBeLessThan(Date.now() / 1000 + 60);
  const clockSeconds = new Date((await gateway.rest('GET', '/test-clock')).body.data.now).getTime() / 1000;
  await expect.poll(async () => (await chainTime()) - clockSeconds, { timeout: 30_000 }).toBeGreaterThan(-30);
});
