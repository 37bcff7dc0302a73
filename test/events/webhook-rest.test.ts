/** A worker without due deliveries waits for the next retry, and polls only if notifications may be lost. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { redeliverRange } from '../../src/events/webhooks/redeliver-range.ts';
import { runWebhooks } from '../../src/events/webhooks/run-webhooks.ts';
import { deliveriesChannel } from '../../src/events/webhooks/store.ts';
import { openListener } from '../../src/platform/database/listener.ts';
import { silentLog } from '../../src/platform/log.ts';
import { handListener } from '../setup/api/hand-listener.ts';
import { freshDatabase } from '../setup/database/database.ts';
import { openWebhookApp } from '../setup/receivers/webhooks.ts';

const { database, url } = await freshDatabase();
const clock = { now: () => new Date() };
const until = (met: () => boolean) => vi.waitUntil(met, { timeout: 20_000, interval: 10 });

async function open(listener: Parameters<typeof runWebhooks>[0]['listener']) {
  const app = await openWebhookApp(database);
  const endpoint = await app.endpoint();
  let rounds = 0;
  const runner = runWebhooks({
    ...app.world,
    // Each round reads the clock.
    clock: {
      now: () => {
        rounds += 1;
        return clock.now();
      },
    },
    log: silentLog,
    ...(listener ? { listener } : {}),
  });
  onTestFinished(() => runner.stop());
  const roundsWithin = async (ms: number) => {
    const before = rounds;
    await delay(ms);
    return rounds - before;
  };
  return { ...app, endpoint, runner, roundsWithin };
}

it('does not poll while it receives notifications, and polls as soon as it does not', async () => {
  const hand = handListener();
  const { append, receiver, runner, roundsWithin } = await open(hand.listener);
  expect(await roundsWithin(1_600)).toBeGreaterThanOrEqual(4);
  hand.up();
  await delay(300);
  expect(await roundsWithin(2_000)).toBe(0);
  // Queued by this process.
  await append(1);
  runner.wake();
  await until(() => receiver.received.length === 1);
  // Queued by another process that announced it.
  await delay(700);
  await append(1);
  hand.notify(deliveriesChannel);
  await until(() => receiver.received.length === 2);
  // Queued by another process whose notification was lost. A slow periodic check finds it.
  await delay(700);
  await append(1);
  await until(() => receiver.received.length === 3);
  hand.down();
  expect(await roundsWithin(1_600)).toBeGreaterThanOrEqual(4);
  const startedAt = performance.now();
  await append(1);
  await until(() => receiver.received.length === 4);
  expect(performance.now() - startedAt).toBeLessThan(3_000);
}, 60_000);

it('retries a failed delivery on schedule and sends a redelivery at once', async () => {
  const listener = openListener({ url, log: silentLog });
  onTestFinished(() => listener.close());
  const { append, receiver, runner, scope, endpoint } = await open(listener);
  receiver.answer(500);
  await append(1);
  runner.wake();
  await until(() => receiver.received.length === 1);
  receiver.answer(200);
  const failedAt = performance.now();
  await until(() => receiver.received.length === 2);
  // The first retry is due after five seconds.
  expect(performance.now() - failedAt).toBeGreaterThan(4_500);
  expect(performance.now() - failedAt).toBeLessThan(7_000);
  await delay(700);
  const askedAt = performance.now();
  await redeliverRange({ database, clock }, { scope, endpointId: endpoint.id, from: 1n, to: 1n });
  await until(() => receiver.received.length === 3);
  expect(performance.now() - askedAt).toBeLessThan(3_000);
}, 60_000);
