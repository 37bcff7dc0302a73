import { Webhook } from 'standardwebhooks';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, transaction, type WebhookEndpoint } from '../../prisma/client.ts';
import { appendEvents } from '../../src/events/append-events.ts';
import type { EventType } from '../../src/events/event-type.ts';
import { createWebhookEndpoint } from '../../src/events/webhooks/create-webhook-endpoint.ts';
import { pingWebhookEndpoint } from '../../src/events/webhooks/ping-webhook-endpoint.ts';
import { purgeDeliveries } from '../../src/events/webhooks/purge-deliveries.ts';
import { queueDeliveries } from '../../src/events/webhooks/queue-deliveries.ts';
import { redeliverWebhook } from '../../src/events/webhooks/redeliver-webhook.ts';
import { rotateWebhookSecret } from '../../src/events/webhooks/rotate-webhook-secret.ts';
import { runWebhooks } from '../../src/events/webhooks/run-webhooks.ts';
import { serveEndpoint } from '../../src/events/webhooks/serve-endpoint.ts';
import { updateWebhookEndpoint } from '../../src/events/webhooks/update-webhook-endpoint.ts';
import type { CreateEndpointInput } from '../../src/events/webhooks/webhook-endpoint.ts';
import { newId } from '../../src/platform/identifier.ts';
import { silentLog } from '../../src/platform/log.ts';
import { freshDatabase } from '../setup/database/database.ts';
import { openHangingReceiver, openReceiver, type Receiver } from '../setup/receivers/receiver.ts';

let database: Database;
let receiver: Receiver;
let appId: string;
let merchantId: string;
let now = new Date();
const clock = { now: () => now };
const world = () => ({ database, clock, privateAddresses: true });
const later = (seconds: number) => {
  now = new Date(now.getTime() + seconds * 1000);
};
const scope = () => ({ merchantId, appId });
const serve = (endpoint: WebhookEndpoint) =>
  serveEndpoint(world(), { endpointId: endpoint.id, until: new Date(now.getTime() + 1000) });

beforeAll(async () => {
  database = (await freshDatabase()).database;
});

beforeEach(async () => {
  receiver = await openReceiver();
  now = new Date();
  merchantId = newId();
  appId = newId();
  await database.merchant.create({ data: { id: merchantId, name: 'M' } });
  await database.app.create({ data: { id: appId, merchantId, name: 'A', mode: 'TEST' } });
});

/** Appends events and queues their deliveries like the reaction to them. */
async function appendAndQueue(...types: EventType[]): Promise<string[]> {
  const events = await transaction(database, (tx) =>
    appendEvents(
      tx,
      appId,
      types.map((type) => ({ type, resourceId: newId(), data: { id: 'r' } })),
    ),
  );
  const sequences = events.map((event) => event.sequence);
  await queueDeliveries(world(), { appId, first: sequences[0] ?? 0n, last: sequences.at(-1) ?? 0n });
  // The clock of the database is slightly ahead of the test's clock.
  now = new Date(Math.max(now.getTime(), Date.now()) + 1000);
  return events.map((event) => event.id);
}

const sequencesOf = (receiver: Receiver) =>
  receiver.received.map((message) => (JSON.parse(message.body) as { sequence: number }).sequence);

const endpointOf = (events: CreateEndpointInput['events'] = ['*']) =>
  createWebhookEndpoint(world(), { appId, input: { url: receiver.url, events } });

describe('a webhook endpoint', () => {
  it('receives the subscribed events, signed, in the order of the sequence', async () => {
    const endpoint = await endpointOf(['invoice.opened', 'invoice.paid']);
    await appendAndQueue('invoice.opened', 'customer.created', 'invoice.paid');
    expect(await serve(endpoint)).toMatchObject({ delivered: 2, failed: 0 });
    const bodies = receiver.received.map((message) =>
      new Webhook(endpoint.secret).verify(message.body, message.headers),
    );
    expect(bodies).toMatchObject([
      { type: 'invoice.opened', sequence: 1, appId },
      { type: 'invoice.paid', sequence: 3, appId },
    ]);
  });

  it('receives no events from before its creation', async () => {
    await appendAndQueue('invoice.opened');
    const endpoint = await endpointOf();
    await queueDeliveries(world(), { appId, first: 1n, last: 1n });
    await serve(endpoint);
    expect(receiver.received).toEqual([]);
  });

  it('receives each event once, even if the reaction runs repeatedly', async () => {
    const endpoint = await endpointOf();
    await appendAndQueue('invoice.opened');
    await queueDeliveries(world(), { appId, first: 1n, last: 1n });
    await serve(endpoint);
    await serve(endpoint);
    expect(receiver.received).toHaveLength(1);
  });

  it('that fails is retried on the schedule with the same id until all attempts are used', async () => {
    const endpoint = await endpointOf();
    const [eventId] = await appendAndQueue('invoice.opened');
    receiver.answer(500);
    for (const wait of [0, 5, 295, 1500, 5400, 10_800, 18_000, 14_400, 21_600, 14_400]) {
      later(wait);
      await serve(endpoint);
      await serve(endpoint);
    }
    expect(receiver.received).toHaveLength(10);
    expect(new Set(receiver.received.map((message) => message.headers['webhook-id']))).toEqual(new Set([eventId]));
    const delivery = await database.webhookDelivery.findFirstOrThrow({
      where: { webhookId: endpoint.id },
      include: { tries: true },
    });
    expect(delivery).toMatchObject({ status: 'FAILED', attempts: 10, responseStatus: 500, nextRetryAt: null });
    expect(delivery.tries.map((one) => one.responseBody)).toEqual(Array.from({ length: 10 }, () => 'thanks'));
  });

  it('that failed can be sent the delivery again on request', async () => {
    const endpoint = await endpointOf();
    await appendAndQueue('invoice.opened');
    receiver.answer(500);
    await serve(endpoint);
    receiver.answer(200);
    const { id } = await database.webhookDelivery.findFirstOrThrow({ where: { webhookId: endpoint.id } });
    await redeliverWebhook(world(), { scope: scope(), deliveryId: id });
    await serve(endpoint);
    expect(await database.webhookDelivery.findUnique({ where: { id } })).toMatchObject({
      status: 'DELIVERED',
      attempts: 2,
    });
  });

  it('that answers 410 is disabled with an event, and can be enabled again', async () => {
    const endpoint = await endpointOf();
    await appendAndQueue('invoice.opened', 'invoice.paid');
    receiver.answer(410);
    await serve(endpoint);
    const disabled = await database.webhookEndpoint.findUniqueOrThrow({ where: { id: endpoint.id } });
    expect([disabled.active, disabled.disabledReason]).toEqual([false, 'The receiver answered 410 Gone.']);
    const [event, ...more] = await database.event.findMany({ where: { appId, type: 'webhook_endpoint.disabled' } });
    expect(more).toEqual([]);
    expect(event?.data).toEqual({
      id: endpoint.id,
      appId,
      url: endpoint.url,
      events: ['*'],
      active: false,
      ordered: false,
      disabledReason: 'The receiver answered 410 Gone.',
      reason: 'The receiver answered 410 Gone.',
      createdAt: disabled.createdAt.toISOString(),
      updatedAt: disabled.updatedAt.toISOString(),
    });
    expect(await serve(endpoint)).toMatchObject({ delivered: 0, failed: 0 });
    receiver.answer(200);
    await updateWebhookEndpoint(world(), { scope: scope(), id: endpoint.id, input: { active: true } });
    expect(await serve(endpoint)).toMatchObject({ delivered: 1, failed: 0 });
  });

  it('that has failed for five days is disabled', async () => {
    const endpoint = await endpointOf();
    receiver.answer(503);
    for (let day = 0; day <= 5; day += 1) {
      await appendAndQueue('invoice.opened');
      await serve(endpoint);
      later(86_400);
    }
    expect(await database.webhookEndpoint.findUnique({ where: { id: endpoint.id } })).toMatchObject({ active: false });
  });

  it('receives signatures of both secrets during a rotation, and only the new one after a day', async () => {
    const endpoint = await endpointOf();
    const rotated = await rotateWebhookSecret(world(), { scope: scope(), id: endpoint.id });
    await appendAndQueue('invoice.opened');
    await serve(endpoint);
    const verify = (secret: string) => {
      const last = receiver.received.at(-1);
      return new Webhook(secret).verify(last?.body ?? '', last?.headers ?? {});
    };
    expect(verify(endpoint.secret)).toEqual(verify(rotated.secret));
    expect(receiver.received.at(-1)?.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    later(86_401);
    await appendAndQueue('invoice.paid');
    await serve(endpoint);
    expect(receiver.received.at(-1)?.headers['webhook-signature']?.split(' ')).toHaveLength(1);
    expect(rotated.secret).not.toBe(endpoint.secret);
  });

  it('can be pinged, and the response is returned', async () => {
    const endpoint = await endpointOf();
    receiver.answer(418);
    expect(await pingWebhookEndpoint(world(), { scope: scope(), id: endpoint.id })).toMatchObject({
      isDelivered: false,
      responseStatus: 418,
      responseBody: 'thanks',
    });
  });

  it('in a private network is not contacted unless the installation allows it', async () => {
    const endpoint = await endpointOf();
    await appendAndQueue('invoice.opened');
    await serveEndpoint(
      { ...world(), privateAddresses: false },
      { endpointId: endpoint.id, until: new Date(now.getTime() + 1000) },
    );
    expect(receiver.received).toEqual([]);
    const delivery = await database.webhookDelivery.findFirstOrThrow({ where: { webhookId: endpoint.id } });
    expect(delivery).toMatchObject({
      status: 'PENDING',
      responseStatus: null,
      responseBody: '127.0.0.1 is not a public address.',
    });
  });

  it('records the same result for a private host name and one that does not exist', async () => {
    const { port } = new URL(receiver.url);
    const records: unknown[] = [];
    for (const url of [`http://localhost:${port}/`, 'http://localhost:1/', 'http://no-such-name.invalid/']) {
      const endpoint = await endpointOf();
      await database.webhookEndpoint.update({ where: { id: endpoint.id }, data: { url } });
      await appendAndQueue('invoice.opened');
      const until = new Date(now.getTime() + 1000);
      await serveEndpoint({ ...world(), privateAddresses: false }, { endpointId: endpoint.id, until });
      const { status, responseStatus, responseBody, tries } = await database.webhookDelivery.findFirstOrThrow({
        where: { webhookId: endpoint.id },
        include: { tries: { select: { responseStatus: true, responseBody: true, latencyMs: true } } },
      });
      records.push({ status, responseStatus, responseBody, tries });
    }
    expect(records[0]).toMatchObject({ status: 'PENDING', responseBody: 'The host has no public address.' });
    expect(records).toEqual([records[0], records[0], records[0]]);
    expect(receiver.received).toEqual([]);
  });

  it('receives events in order even if its queueing jobs run out of order or never', async () => {
    const endpoint = await endpointOf();
    const append = () =>
      transaction(database, (tx) =>
        appendEvents(tx, appId, [{ type: 'invoice.opened', resourceId: newId(), data: { id: 'r' } }]),
      );
    await append();
    await append();
    await append();
    await queueDeliveries(world(), { appId, first: 3n, last: 3n });
    await queueDeliveries(world(), { appId, first: 1n, last: 1n });
    later(2);
    await serve(endpoint);
    expect(sequencesOf(receiver)).toEqual([1, 2, 3]);
  });

  it('receives events in order with concurrent writers, queueing jobs and processes', async () => {
    await endpointOf();
    const runners = [1, 2].map(() => runWebhooks({ ...world(), clock: { now: () => new Date() }, log: silentLog }));
    const write = async () => {
      const [event] = await transaction(database, (tx) =>
        appendEvents(tx, appId, [{ type: 'invoice.opened', resourceId: newId(), data: { id: 'r' } }]),
      );
      const sequence = event?.sequence ?? 0n;
      await queueDeliveries(world(), { appId, first: sequence, last: sequence });
    };
    await Promise.all(
      Array.from({ length: 5 }, async () => {
        for (let count = 0; count < 8; count += 1) await write();
      }),
    );
    await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(40);
    await Promise.all(runners.map((runner) => runner.stop()));
    expect(sequencesOf(receiver)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  });

  it('loses old finished deliveries with their attempts, but no events and no pending deliveries', async () => {
    await database.webhookDelivery.deleteMany();
    const endpoint = await endpointOf();
    await appendAndQueue('invoice.opened');
    await serve(endpoint);
    await appendAndQueue('invoice.paid');
    later(90 * 86_400 - 60);
    expect(await purgeDeliveries(world(), { days: 90 })).toBe(0);
    later(120);
    expect(await purgeDeliveries(world(), { days: 90 })).toBe(1);
    const kept = await database.webhookDelivery.findMany({
      where: { webhookId: endpoint.id },
      include: { tries: true },
    });
    expect(kept).toMatchObject([{ event: 'invoice.paid', status: 'PENDING', tries: [] }]);
    expect(await database.event.count({ where: { appId } })).toBe(2);
    await updateWebhookEndpoint(world(), { scope: scope(), id: endpoint.id, input: { active: false } });
    expect(await purgeDeliveries(world(), { days: 90 })).toBe(1);
  });

  it('that is unavailable or hangs does not delay another, which several processes send each event once', async () => {
    const broken = await openReceiver();
    broken.answer(500);
    const hanging = await openHangingReceiver();
    for (const { url } of [broken, hanging, hanging]) {
      await createWebhookEndpoint(world(), { appId, input: { url, events: ['*'] } });
    }
    await endpointOf();
    const types = Array.from({ length: 30 }, () => 'invoice.opened' as const);
    await appendAndQueue(...types);
    const runners = [1, 2, 3].map(() => runWebhooks({ ...world(), log: silentLog }));
    await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(30);
    hanging.end();
    await Promise.all(runners.map((runner) => runner.stop()));
    expect(sequencesOf(receiver)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    expect(hanging.received).toBeGreaterThan(0);
    // It is paused between failures, and does not receive an attempt for each of the thirty.
    expect(broken.received.length).toBeLessThan(30);
  });
});
