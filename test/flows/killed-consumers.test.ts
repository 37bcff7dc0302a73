/** Processes that are killed (SIGKILL) during their turns: every event is handled, and has its effect once. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { type Database, transaction } from '../../prisma/client.ts';
import { appendEvents, type NewEvent } from '../../src/events/append-events.ts';
import { createWebhookEndpoint } from '../../src/events/webhooks/create-webhook-endpoint.ts';
import { newId } from '../../src/platform/identifier.ts';
import { childEnvironment } from '../setup/child-environment.ts';
import { freshDatabase } from '../setup/database/database.ts';
import { spawnPart } from '../setup/gateway/part-process.ts';
import { firstAttempts, openWebhookApp, upTo } from '../setup/receivers/webhooks.ts';
import { onTeardown } from '../setup/teardown.ts';

const PROCESSES = 2;
const KILLS = 12;
const APPS = 3;
const ROUNDS = 60;

async function appendRound(database: Database, appId: string, types: readonly NewEvent['type'][]): Promise<void> {
  const events = types.map((type): NewEvent => ({ type, resourceId: newId(), data: {} }));
  await transaction(database, (tx) => appendEvents(tx, appId, events));
}

async function isDrained(database: Database): Promise<boolean> {
  const [row] = await database.$queryRaw<{ behind: number }[]>`
    SELECT count(*)::int AS behind FROM event_consumer consumer JOIN event_cursor cursor ON cursor.app_id = consumer.app_id
    WHERE consumer.position < cursor.last_sequence`;
  return row?.behind === 0;
}

test('each reaction has its effect once, and each event one delivery, in the order of the sequence', async () => {
  const { database, url } = await freshDatabase();
  const apps: string[] = [];
  for (let count = 0; count < APPS; count += 1) {
    const { appId, endpoint } = await openWebhookApp(database);
    await endpoint();
    apps.push(appId);
  }
  const processes = new Set<ChildProcess>();
  const begin = () => {
    const file = new URL('consumer-process.ts', import.meta.url).pathname;
    const env = { ...childEnvironment, DATABASE_URL: url };
    processes.add(spawn(process.execPath, [file], { env, stdio: ['ignore', 'ignore', 'inherit'] }));
  };
  const kill = async (child: ChildProcess) => {
    processes.delete(child);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  };
  onTeardown(async () => void (await Promise.all([...processes].map(kill))));
  for (let count = 0; count < PROCESSES; count += 1) begin();

  const captures = ROUNDS * 2;
  const appending = apps.map(async (appId) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await appendRound(database, appId, ['payment_intent.captured', 'customer.updated', 'payment_intent.captured']);
      await delay(100 * Math.random());
    }
  });
  let killedAmidTurns = 0;
  for (let count = 0; count < KILLS; count += 1) {
    // Starting takes most of this.
    await delay(600 + 900 * Math.random());
    const [victim] = processes;
    if (victim) await kill(victim);
    // A lease whose holder was killed, or that another process has just acquired.
    killedAmidTurns += await database.eventConsumer.count({ where: { leasedUntil: { not: null } } });
    begin();
  }
  await Promise.all(appending);
  await vi.waitUntil(() => isDrained(database), { timeout: 60_000, interval: 100 });
  expect(killedAmidTurns).toBeGreaterThan(0);
  expect(await database.eventConsumer.count({ where: { leasedUntil: { not: null } } })).toBe(0);

  for (const appId of apps) {
    const events = await database.event.findMany({ where: { appId }, orderBy: { sequence: 'asc' } });
    expect(events.map(({ sequence }) => Number(sequence))).toEqual(upTo(ROUNDS * 3 + captures));
    const captured = events.filter(({ type }) => type === 'payment_intent.captured').map(({ id }) => id);
    const paid = events.filter(({ type }) => type === 'invoice.paid').map(({ resourceId }) => resourceId);
    // Each once, in the order of the events that caused them.
    expect(paid).toEqual(captured);
    const deliveries = await database.webhookDelivery.findMany({ where: { appId }, orderBy: { id: 'asc' } });
    expect(deliveries.map(({ sequence }) => Number(sequence))).toEqual(upTo(events.length));
  }
}, 180_000);

test('a killed worker leaves no event undelivered', async () => {
  const { database, url } = await freshDatabase();
  const { appId, receiver } = await openWebhookApp(database);
  await createWebhookEndpoint(
    { database, privateAddresses: true },
    { appId, input: { url: receiver.url, events: ['*'] } },
  );
  // Slow enough for a kill to leave unfinished work.
  receiver.answer(async () => {
    await delay(20);
    return 200;
  });
  const rounds = 40;
  const appending = (async () => {
    for (let round = 0; round < rounds; round += 1) {
      await appendRound(database, appId, ['customer.updated', 'customer.updated']);
      await delay(200);
    }
  })();
  for (let count = 0; count < 2; count += 1) {
    const worker = await spawnPart('worker', { DATABASE_URL: url });
    const before = receiver.received.length;
    await vi.waitUntil(() => receiver.received.length > before + 5, { timeout: 60_000, interval: 20 });
    worker.process.kill('SIGKILL');
  }
  await appending;
  await spawnPart('worker', { DATABASE_URL: url });
  await vi.waitUntil(() => firstAttempts(receiver).length === rounds * 2, { timeout: 90_000, interval: 100 });
  expect(firstAttempts(receiver)).toEqual(upTo(rounds * 2));
  expect(await database.webhookDelivery.count()).toBe(rounds * 2);
}, 240_000);
