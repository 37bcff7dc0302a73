/** An ordered endpoint is sent nothing before every earlier delivery has succeeded or has finally failed. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database, WebhookEndpoint } from '../../prisma/client.ts';
import { redeliverWebhook } from '../../src/events/webhooks/redeliver-webhook.ts';
import { runWebhooks } from '../../src/events/webhooks/run-webhooks.ts';
import { silentLog } from '../../src/platform/log.ts';
import { freshDatabase } from '../setup/database/database.ts';
import { openWebhookApp, sequenceOf, sequencesOf, upTo, type WebhookApp } from '../setup/receivers/webhooks.ts';

let database: Database;
let app: WebhookApp;

beforeAll(async () => {
  database = (await freshDatabase({ poolSize: 10 })).database;
});
beforeEach(async () => {
  app = await openWebhookApp(database);
});

const failing = (sequence: number) => app.receiver.answer((message) => (sequenceOf(message) === sequence ? 500 : 200));
const deliveryOf = (endpoint: WebhookEndpoint, sequence: number) =>
  database.webhookDelivery.findFirstOrThrow({ where: { webhookId: endpoint.id, sequence } });

describe('an ordered endpoint', () => {
  it('is sent nothing while an earlier delivery waits for its retry', async () => {
    const endpoint = await app.endpoint({ ordered: true });
    await app.append(4);
    failing(2);
    expect(await app.serve(endpoint)).toEqual({ delivered: 1, failed: 1 });
    expect(await app.isDue(endpoint)).toBe(false);
    app.later(5);
    expect(await app.isDue(endpoint)).toBe(true);
    expect(await app.serve(endpoint)).toEqual({ delivered: 0, failed: 1 });
    await app.append(1);
    app.later(60);
    expect(await app.isDue(endpoint)).toBe(false);
    expect(await app.serve(endpoint)).toEqual({ delivered: 0, failed: 0 });
    app.later(240);
    app.receiver.answer(200);
    expect(await app.serve(endpoint)).toEqual({ delivered: 4, failed: 0 });
    expect(sequencesOf(app.receiver)).toEqual([1, 2, 2, 2, 3, 4, 5]);
  });

  it('continues after a delivery that has used all its attempts', async () => {
    const endpoint = await app.endpoint({ ordered: true });
    await app.append(3);
    failing(1);
    for (const wait of [0, 5, 295, 1500, 5400, 10_800, 18_000, 14_400, 21_600]) {
      app.later(wait);
      await app.serve(endpoint);
    }
    expect(sequencesOf(app.receiver)).toEqual(Array.from({ length: 9 }, () => 1));
    app.later(14_400);
    while (await app.isDue(endpoint)) await app.serve(endpoint);
    // The tenth failure in a row also pauses the endpoint.
    app.later(30);
    await app.serve(endpoint);
    expect(sequencesOf(app.receiver).slice(9)).toEqual([1, 2, 3]);
    expect((await deliveryOf(endpoint, 1)).status).toBe('FAILED');
  });

  it('is sent deliveries in order by several concurrent workers', async () => {
    const endpoint = await app.endpoint({ ordered: true });
    let failures = 0;
    app.receiver.answer((message) => {
      if (sequenceOf(message) !== 4 || failures === 1) return 200;
      failures += 1;
      return 503;
    });
    const clock = { now: () => new Date() };
    const runners = [1, 2, 3].map(() => runWebhooks({ ...app.world, clock, log: silentLog }));
    for (let appended = 0; appended < 10; appended += 1) await app.append(1);
    const delivered = () => database.webhookDelivery.count({ where: { webhookId: endpoint.id, status: 'DELIVERED' } });
    await expect.poll(delivered, { timeout: 40_000 }).toBe(10);
    await Promise.all(runners.map((runner) => runner.stop()));
    expect(sequencesOf(app.receiver)).toEqual([1, 2, 3, 4, ...upTo(10).slice(3)]);
  });

  it('that was previously unordered waits for earlier failed deliveries', async () => {
    const endpoint = await app.endpoint();
    await app.append(3);
    failing(2);
    await app.serve(endpoint);
    await app.update(endpoint, { ordered: true });
    await app.append(2);
    expect(await app.isDue(endpoint)).toBe(false);
    await app.serve(endpoint);
    expect(sequencesOf(app.receiver)).toEqual([1, 2, 3]);
    app.later(5);
    app.receiver.answer(200);
    await app.serve(endpoint);
    expect(sequencesOf(app.receiver)).toEqual([1, 2, 3, 2, 4, 5]);
  });

  it('that becomes unordered is immediately sent what waited behind a failure', async () => {
    const endpoint = await app.endpoint({ ordered: true });
    await app.append(4);
    failing(2);
    await app.serve(endpoint);
    await app.update(endpoint, { ordered: false });
    expect(await app.isDue(endpoint)).toBe(true);
    await app.serve(endpoint);
    expect(sequencesOf(app.receiver)).toEqual([1, 2, 3, 4]);
    app.later(5);
    app.receiver.answer(200);
    await app.serve(endpoint);
    expect(sequencesOf(app.receiver)).toEqual([1, 2, 3, 4, 2]);
  });

  it('that becomes ordered during a round is ordered from the next delivery on', async () => {
    const endpoint = await app.endpoint();
    await app.append(6);
    app.receiver.answer(async (message) => {
      if (sequenceOf(message) === 4) await app.update(endpoint, { ordered: true });
      return sequenceOf(message) === 2 ? 500 : 200;
    });
    await app.serve(endpoint);
    expect(sequencesOf(app.receiver)).toEqual([1, 2, 3, 4]);
    app.later(5);
    app.receiver.answer(200);
    await app.serve(endpoint);
    expect(sequencesOf(app.receiver)).toEqual([1, 2, 3, 4, 2, 5, 6]);
  });

  it('continues where it stopped after it was disabled and enabled again', async () => {
    const endpoint = await app.endpoint({ ordered: true });
    await app.append(3);
    failing(2);
    await app.serve(endpoint);
    await app.update(endpoint, { active: false });
    app.later(5);
    expect(await app.isDue(endpoint)).toBe(false);
    app.receiver.answer(200);
    await app.update(endpoint, { active: true });
    await app.serve(endpoint);
    expect(sequencesOf(app.receiver)).toEqual([1, 2, 2, 3]);
  });

  it('is sent a redelivery before pending deliveries', async () => {
    const endpoint = await app.endpoint({ ordered: true });
    await app.append(2);
    await app.serve(endpoint);
    await app.append(2);
    const { id } = await deliveryOf(endpoint, 1);
    await redeliverWebhook(app.world, { scope: app.scope, deliveryId: id });
    await app.serve(endpoint);
    expect(sequencesOf(app.receiver)).toEqual([1, 2, 1, 3, 4]);
  });
});
