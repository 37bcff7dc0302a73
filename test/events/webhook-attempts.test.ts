/** The order in which an endpoint's deliveries are attempted, and the pauses of an endpoint whose receiver fails. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../prisma/client.ts';
import { loadRegistry } from '../../src/chains/registry.ts';
import { queueDeliveries } from '../../src/events/webhooks/queue-deliveries.ts';
import { runWebhooks } from '../../src/events/webhooks/run-webhooks.ts';
import { readVitalSigns } from '../../src/operations/health/vital-signs.ts';
import { silentLog } from '../../src/platform/log.ts';
import { collectGarbage } from '../setup/collect-garbage.ts';
import { freshDatabase } from '../setup/database/database.ts';
import {
  firstAttempts,
  openWebhookApp,
  sequenceOf,
  sequencesOf,
  upTo,
  type WebhookApp,
} from '../setup/receivers/webhooks.ts';

let database: Database;
let app: WebhookApp;

beforeAll(async () => {
  database = (await freshDatabase({ poolSize: 10 })).database;
});
beforeEach(async () => {
  app = await openWebhookApp(database);
});

describe('a failed delivery', () => {
  it('waits for its own retry while later deliveries are sent', async () => {
    const endpoint = await app.endpoint();
    await app.append(5);
    app.receiver.answer((message) => (sequenceOf(message) === 2 ? 500 : 200));
    expect(await app.serve(endpoint)).toEqual({ delivered: 4, failed: 1 });
    expect(sequencesOf(app.receiver)).toEqual([1, 2, 3, 4, 5]);
    app.receiver.answer(200);
    expect(await app.isDue(endpoint)).toBe(false);
    app.later(5);
    expect(await app.serve(endpoint)).toEqual({ delivered: 1, failed: 0 });
    expect(sequencesOf(app.receiver)).toEqual([1, 2, 3, 4, 5, 2]);
  });

  it('shares the receiver fairly with new deliveries once its retry is due', async () => {
    const endpoint = await app.endpoint();
    await app.append(80);
    app.receiver.answer((message) => (sequenceOf(message) % 2 === 0 ? 500 : 200));
    await app.serve(endpoint);
    app.later(5);
    app.receiver.answer(200);
    await app.append(40);
    app.receiver.received.splice(0);
    expect(await app.serve(endpoint)).toEqual({ delivered: 80, failed: 0 });
    const sent = sequencesOf(app.receiver);
    for (let count = 2; count <= sent.length; count += 2) {
      const retried = sent.slice(0, count).filter((sequence) => sequence <= 80).length;
      expect([count, retried]).toEqual([count, count / 2]);
    }
    expect(sent.filter((sequence) => sequence > 80)).toEqual(upTo(40).map((sequence) => sequence + 80));
    expect(sent.filter((sequence) => sequence <= 80)).toEqual(upTo(40).map((sequence) => sequence * 2));
  });

  it('is retried in order by a receiver that rejects every event the first time', async () => {
    const endpoint = await app.endpoint();
    await app.append(40);
    const seen = new Set<number>();
    app.receiver.answer((message) => {
      const isNew = !seen.has(sequenceOf(message));
      seen.add(sequenceOf(message));
      return isNew ? 404 : 200;
    });
    for (let round = 0; round < 12; round += 1) {
      await app.serve(endpoint);
      app.later(30);
    }
    expect(await database.webhookDelivery.count({ where: { webhookId: endpoint.id, status: 'DELIVERED' } })).toBe(40);
    expect(firstAttempts(app.receiver)).toEqual(upTo(40));
  });

  it('keeps its place among first attempts if the clock of the queueing process is ahead', async () => {
    const endpoint = await app.endpoint();
    await app.append(3);
    // Queued by a process whose transaction began later than those that queued the others.
    await database.webhookDelivery.updateMany({
      where: { webhookId: endpoint.id, sequence: 2 },
      data: { nextRetryAt: new Date(Date.now() + 60_000) },
    });
    await app.serve(endpoint);
    expect(sequencesOf(app.receiver)).toEqual([1, 2, 3]);
  });
});

describe('an endpoint whose receiver fails', () => {
  it('one time in five is sent everything without a pause and in order by several workers', async () => {
    const endpoint = await app.endpoint();
    app.receiver.answer(() => (app.receiver.received.length % 5 === 0 ? 500 : 200));
    const clock = { now: () => new Date() };
    const runners = [1, 2, 3].map(() => runWebhooks({ ...app.world, clock, log: silentLog }));
    const write = async () => {
      for (let appended = 0; appended < 24; appended += 1) await app.append(1);
    };
    await Promise.all([1, 2, 3, 4, 5].map(write));
    const delivered = () => database.webhookDelivery.count({ where: { webhookId: endpoint.id, status: 'DELIVERED' } });
    await expect.poll(delivered, { timeout: 20_000 }).toBeGreaterThanOrEqual(96);
    await expect.poll(() => firstAttempts(app.receiver).length, { timeout: 20_000 }).toBe(120);
    await Promise.all(runners.map((runner) => runner.stop()));
    expect(firstAttempts(app.receiver)).toEqual(upTo(120));
  });

  it('four times in a row is not paused, because a success resets the count', async () => {
    const endpoint = await app.endpoint();
    await app.append(50);
    app.receiver.answer((message) => (sequenceOf(message) % 5 === 0 ? 200 : 500));
    expect(await app.serve(endpoint)).toEqual({ delivered: 10, failed: 40 });
    expect(firstAttempts(app.receiver)).toEqual(upTo(50));
  });

  it('five times in a row is paused for at most 30 s, then sent everything at full speed', async () => {
    const endpoint = await app.endpoint();
    await app.append(300);
    app.receiver.answer(500);
    expect(await app.serve(endpoint)).toEqual({ delivered: 0, failed: 5 });
    expect(await app.isDue(endpoint)).toBe(false);
    // Each attempt that fails after a pause pauses it again, never for longer than 30 s.
    for (let attempt = 6; attempt <= 20; attempt += 1) {
      app.later(30);
      expect(await app.isDue(endpoint)).toBe(true);
      expect(await app.serve(endpoint)).toEqual({ delivered: 0, failed: 1 });
      expect(await app.isDue(endpoint)).toBe(false);
    }
    app.receiver.answer(200);
    app.later(30);
    // The test's clock does not move, so a second pause would hold back the remaining deliveries.
    const runner = runWebhooks({ ...app.world, log: silentLog });
    const waiting = () => database.webhookDelivery.count({ where: { webhookId: endpoint.id, attempts: 0 } });
    await expect.poll(waiting, { timeout: 30_000 }).toBe(0);
    await runner.stop();
    expect(firstAttempts(app.receiver)).toEqual(upTo(300));
    expect(await database.webhookEndpoint.findUnique({ where: { id: endpoint.id } })).toMatchObject({
      active: true,
      failingSince: null,
    });
  });

  it('is paused after five consecutive failures across any number of rounds', async () => {
    const endpoint = await app.endpoint();
    app.receiver.answer(500);
    await app.append(4);
    await app.serve(endpoint);
    await app.append(1);
    expect(await app.isDue(endpoint)).toBe(true);
    await app.serve(endpoint);
    await app.append(1);
    expect(await app.isDue(endpoint)).toBe(false);
    expect(sequencesOf(app.receiver)).toEqual(upTo(5));
  });

  it('skips the rest of a pause once it is disabled and enabled again', async () => {
    const endpoint = await app.endpoint();
    await app.append(10);
    app.receiver.answer(500);
    await app.serve(endpoint);
    await app.update(endpoint, { active: false });
    app.receiver.answer(200);
    expect(await app.serve(endpoint)).toEqual({ delivered: 0, failed: 0 });
    await app.update(endpoint, { active: true });
    expect(await app.isDue(endpoint)).toBe(true);
    expect(await app.serve(endpoint)).toEqual({ delivered: 5, failed: 0 });
    app.later(5);
    expect(await app.serve(endpoint)).toEqual({ delivered: 5, failed: 0 });
    expect(sequencesOf(app.receiver)).toEqual([...upTo(10), ...upTo(5)]);
  });

  it('is sent nothing after it is disabled, even during a round', async () => {
    const endpoint = await app.endpoint();
    await app.append(10);
    app.receiver.answer(async (message) => {
      if (sequenceOf(message) === 3) await app.update(endpoint, { active: false });
      return 200;
    });
    expect(await app.serve(endpoint)).toEqual({ delivered: 3, failed: 0 });
    expect(sequencesOf(app.receiver)).toEqual([1, 2, 3]);
  });
});

describe('a worker that is asked to stop', () => {
  it('finishes the current delivery, starts no other, and leaves the rest immediately available', async () => {
    const endpoint = await app.endpoint();
    await app.append(100);
    const runner = runWebhooks({ ...app.world, log: silentLog });
    let stopped: Promise<void> | undefined;
    app.receiver.answer((message) => {
      if (sequenceOf(message) === 7) stopped = runner.stop();
      return 200;
    });
    await expect.poll(() => stopped !== undefined, { timeout: 20_000 }).toBe(true);
    await stopped;
    expect(sequencesOf(app.receiver)).toEqual(upTo(7));
    expect(await app.isDue(endpoint)).toBe(true);
    expect(await app.serve(endpoint)).toEqual({ delivered: 93, failed: 0 });
    expect(sequencesOf(app.receiver)).toEqual(upTo(100));
  });
});

describe('the metrics', () => {
  it('count deliveries as due that a worker should have sent, not those waiting for a failing receiver', async () => {
    await database.webhookDelivery.deleteMany();
    const due = async () => {
      const world = { database, registry: loadRegistry({ rpc: [] }) };
      return (await readVitalSigns(world, { now: app.world.clock.now() })).webhooks.due;
    };
    const down = await app.endpoint();
    const ordered = await app.endpoint({ ordered: true });
    await app.append(10);
    expect(await due()).toBe(20);
    app.receiver.answer(500);
    await app.serve(down);
    expect(await due()).toBe(10);
    await app.serve(ordered);
    expect(await due()).toBe(0);
    app.receiver.answer(200);
    app.later(30);
    await app.serve(down);
    await app.serve(ordered);
    await app.append(3);
    expect(await due()).toBe(6);
  });
});

describe('a hundred thousand pending deliveries', () => {
  it('are sent in order with bounded memory', async () => {
    const endpoint = await app.endpoint();
    await database.$executeRaw`
      INSERT INTO event (app_id, sequence, id, type, resource_id, data)
      SELECT ${app.appId}::uuid, number, gen_random_uuid(), 'invoice.opened', gen_random_uuid(), '{"id": "r"}' FROM generate_series(1, 100000) number`;
    await queueDeliveries(app.world, { appId: app.appId, first: 1n, last: 100_000n });
    // Half of them wait for a retry, which is due by the test's clock too, however long the inserts took.
    await database.$executeRaw`
      UPDATE webhook_delivery SET attempts = 1, try_count = 1, first_tried_at = now() - interval '1 hour',
        next_retry_at = now() - interval '1 minute'
      WHERE webhook_id = ${endpoint.id}::uuid AND sequence <= 50000`;
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    const started = Date.now();
    const clock = { now: () => new Date(app.world.clock.now().getTime() + Date.now() - started) };
    const runner = runWebhooks({ ...app.world, clock, log: silentLog });
    await expect.poll(() => app.receiver.received.length, { timeout: 30_000 }).toBeGreaterThan(100);
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 ** 2);
    await runner.stop();
    const sent = sequencesOf(app.receiver);
    const first = sent.filter((sequence) => sequence > 50_000);
    expect(first).toEqual(upTo(first.length).map((sequence) => sequence + 50_000));
    expect(Math.abs(sent.length - 2 * first.length)).toBeLessThanOrEqual(1);
  });
});
