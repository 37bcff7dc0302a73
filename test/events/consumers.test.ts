/** Consumers follow every app's sequence: in order, once, past events that fail, and independently of each other. */
import pg from 'pg';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Database, transaction } from '../../prisma/client.ts';
import { appendEvents, type NewEvent } from '../../src/events/append-events.ts';
import { reactionConsumer } from '../../src/events/consumers/reaction-consumer.ts';
import { runConsumers } from '../../src/events/consumers/run-consumers.ts';
import { pairsBehind } from '../../src/events/consumers/store.ts';
import { webhookConsumer } from '../../src/events/consumers/webhook-consumer.ts';
import type { EventType } from '../../src/events/event-type.ts';
import { type ReactedEvent, type Reaction, type Reactions, react } from '../../src/events/react.ts';
import { reactToEventJob } from '../../src/events/react-job.ts';
import { createWebhookEndpoint } from '../../src/events/webhooks/create-webhook-endpoint.ts';
import { type Listener, openListener } from '../../src/platform/database/listener.ts';
import { newId } from '../../src/platform/identifier.ts';
import { silentLog } from '../../src/platform/log.ts';
import { jobEntry, runQueue } from '../../src/platform/queue.ts';
import { freshDatabase } from '../setup/database/database.ts';
import { openConsumers } from '../setup/receivers/consume-events.ts';

let database: Database;
let url: string;
let appId: string;

beforeEach(async () => {
  ({ database, url } = await freshDatabase());
  appId = await newApp();
});

async function newApp(): Promise<string> {
  const [merchantId, id] = [newId(), newId()];
  await database.merchant.create({ data: { id: merchantId, name: 'M' } });
  await database.app.create({ data: { id, merchantId, name: 'A', mode: 'TEST' } });
  return id;
}

const append = (types: readonly EventType[], app = appId) =>
  transaction(database, (tx) =>
    appendEvents(
      tx,
      app,
      types.map((type): NewEvent => ({ type, resourceId: newId(), data: {} })),
    ),
  );
const endpoint = (app = appId) =>
  createWebhookEndpoint(
    { database, privateAddresses: true },
    { appId: app, input: { url: 'http://127.0.0.1:9', events: ['*'] } },
  );
const position = async (consumer: string, app = appId) =>
  Number(
    (await database.eventConsumer.findUniqueOrThrow({ where: { consumer_appId: { consumer, appId: app } } })).position,
  );
const queued = async (app = appId) =>
  (await database.webhookDelivery.findMany({ where: { appId: app }, orderBy: { id: 'asc' } })).map((row) =>
    Number(row.sequence),
  );
type Verb = (event: ReactedEvent) => Promise<unknown>;
/** Handles its events one after another, up to the first that fails. */
const each =
  (verb: Verb): Reaction =>
  (events) =>
    events.reduce((before, event) => before.then(() => verb(event)), Promise.resolve() as Promise<unknown>);
const reactionsTo = (type: EventType, ...verbs: Verb[]): Reactions => new Map([[type, verbs.map(each)]]);
const jobs = () =>
  database.$queryRaw<{ name: string; key: string | null }[]>`
    SELECT task_identifier AS name, key FROM graphile_worker.jobs ORDER BY id`;
const until = (met: () => Promise<boolean> | boolean) => vi.waitUntil(met, { timeout: 20_000, interval: 20 });

function openTestListener(): Listener {
  const listener = openListener({ url, log: silentLog });
  onTestFinished(() => listener.close());
  return listener;
}

/** Runs both consumers as a worker does. */
function run(reactions: Reactions, listener: Listener = openTestListener()) {
  const running = runConsumers({ database, listener, log: silentLog }, [
    webhookConsumer({ database }),
    reactionConsumer({ database, reactions, log: silentLog }),
  ]);
  onTestFinished(() => running.stop());
  return running;
}

describe('a cursor', () => {
  it('starts at the first event of its app and does not exist for an app without events', async () => {
    const silent = await newApp();
    await append(['customer.created', 'payment_intent.captured']);
    expect(await database.eventConsumer.findMany({ orderBy: { consumer: 'asc' } })).toMatchObject([
      { consumer: 'reactions', appId, position: 0n },
      { consumer: 'webhooks', appId, position: 0n },
    ]);
    expect(await database.eventConsumer.count({ where: { appId: silent } })).toBe(0);
    expect(await webhookConsumer({ database }).turn(silent)).toEqual({ hasMore: false, advanced: false });
  });

  it('advances without creating or leaving any jobs', async () => {
    await endpoint();
    await append(['customer.created', 'payment_intent.captured', 'customer.updated']);
    const received: string[] = [];
    const reactions = reactionsTo('payment_intent.captured', async (event) => received.push(String(event.sequence)));
    expect(await openConsumers({ database, reactions })()).toBe(true);
    expect(received).toEqual(['2']);
    expect(await queued()).toEqual([1, 2, 3]);
    expect([await position('webhooks'), await position('reactions')]).toEqual([3, 3]);
    expect(await jobs()).toEqual([]);
    expect(await pairsBehind(database)).toEqual([]);
  });

  it('handles many events per turn and continues after the last handled event', async () => {
    await endpoint();
    for (let count = 0; count < 3; count += 1) {
      await append(Array.from({ length: 90 }, () => 'payment_intent.captured' as const));
    }
    const received: number[] = [];
    const consumer = reactionConsumer({
      database,
      log: silentLog,
      reactions: reactionsTo('payment_intent.captured', async (event) => received.push(Number(event.sequence))),
    });
    const webhooks = webhookConsumer({ database });
    for (const [turn, reached] of [100, 200, 270].entries()) {
      expect(await consumer.turn(appId)).toEqual({ hasMore: turn < 2, advanced: true });
      expect(await webhooks.turn(appId)).toEqual({ hasMore: turn < 2, advanced: true });
      expect([await position('reactions'), await position('webhooks')]).toEqual([reached, reached]);
    }
    expect(received).toEqual(Array.from({ length: 270 }, (_, index) => index + 1));
    expect((await queued()).length).toBe(270);
  });

  it('skips many events that have no reactions', async () => {
    await append(Array.from({ length: 900 }, () => 'customer.updated' as const));
    await append(Array.from({ length: 900 }, () => 'customer.updated' as const));
    await append(['payment_intent.captured', 'customer.updated']);
    const received: number[] = [];
    const consumer = reactionConsumer({
      database,
      log: silentLog,
      reactions: reactionsTo('payment_intent.captured', async (event) => received.push(Number(event.sequence))),
    });
    expect(await consumer.turn(appId)).toEqual({ hasMore: true, advanced: true });
    expect(await position('reactions')).toBe(1_000);
    expect(await consumer.turn(appId)).toEqual({ hasMore: false, advanced: true });
    expect([received, await position('reactions')]).toEqual([[1_801], 1_802]);
  });
});

describe('an event whose reaction fails', () => {
  it('is attempted three times in place, then becomes a separate job while the cursor advances', async () => {
    await append(['payment_intent.captured', 'payment_intent.captured', 'payment_intent.captured']);
    const received: string[] = [];
    let mended = false;
    const reactions = reactionsTo(
      'payment_intent.captured',
      async ({ sequence }) => {
        received.push(`first ${sequence}`);
        if (sequence === 2n && !mended) throw new Error('It cannot be done.');
      },
      async ({ sequence }) => received.push(`second ${sequence}`),
    );
    const consumer = reactionConsumer({ database, reactions, log: silentLog });
    const due = () => database.$executeRaw`UPDATE event_consumer SET next_attempt_at = now() - interval '1 second'`;

    expect(await consumer.turn(appId)).toEqual({ hasMore: false, advanced: true, retryMs: 500 });
    expect(await database.eventConsumer.findFirst({ where: { consumer: 'reactions' } })).toMatchObject({
      position: 1n,
      attempts: 1,
      error: 'It cannot be done.',
      leasedUntil: null,
    });
    // It is not due yet.
    expect(await consumer.turn(appId)).toEqual({ hasMore: false, advanced: false });
    await due();
    expect(await consumer.turn(appId)).toEqual({ hasMore: false, advanced: false, retryMs: 2_000 });
    await due();
    expect(await consumer.turn(appId)).toEqual({ hasMore: true, advanced: true });
    expect(await database.eventConsumer.findFirst({ where: { consumer: 'reactions' } })).toMatchObject({
      position: 2n,
      attempts: 0,
      error: null,
      nextAttemptAt: null,
    });
    expect(await jobs()).toEqual([{ name: reactToEventJob.name, key: `react-to-event:${appId}:2` }]);
    expect(await consumer.turn(appId)).toEqual({ hasMore: false, advanced: true });
    // A reaction that fails does not prevent the event's other reactions.
    const failed = ['first 2', 'second 2'];
    const together = ['first 1', 'first 2'];
    expect(received).toEqual([
      ...together,
      'first 1',
      'second 1',
      ...failed,
      ...failed,
      ...failed,
      'first 3',
      'second 3',
    ]);

    mended = true;
    received.length = 0;
    const entry = jobEntry(reactToEventJob, ({ appId: app, sequence }) =>
      react({ database, reactions }, { appId: app, first: BigInt(sequence), last: BigInt(sequence) }),
    );
    const queue = await runQueue({ url, jobs: new Map([entry]), log: silentLog });
    onTestFinished(() => queue.stop());
    await until(async () => (await jobs()).length === 0);
    expect(received).toEqual(failed);
  });

  it('restarts its count of attempts after a successful one', async () => {
    await append(['payment_intent.captured', 'payment_intent.captured']);
    let failing = true;
    const reactions = reactionsTo('payment_intent.captured', async ({ sequence }) => {
      if (failing || sequence === 2n) throw new Error('Not now.');
    });
    const consumer = reactionConsumer({ database, reactions, log: silentLog });
    await consumer.turn(appId);
    failing = false;
    await database.$executeRaw`UPDATE event_consumer SET next_attempt_at = now() - interval '1 second'`;
    expect(await consumer.turn(appId)).toEqual({ hasMore: false, advanced: true, retryMs: 500 });
    expect(await database.eventConsumer.findFirst({ where: { consumer: 'reactions' } })).toMatchObject({
      position: 1n,
      attempts: 1,
    });
  });

  it('is retried automatically and does not delay other apps', async () => {
    const other = await newApp();
    let failures = 0;
    const received: string[] = [];
    run(
      reactionsTo('payment_intent.captured', async (event) => {
        if (event.appId === appId && event.sequence === 1n) {
          failures += 1;
          throw new Error('Not yet.');
        }
        received.push(`${event.appId === appId ? 'failing' : 'other'} ${event.sequence}`);
      }),
    );
    await append(['payment_intent.captured', 'payment_intent.captured']);
    await until(() => failures > 0);
    await append(['payment_intent.captured'], other);
    await until(() => received.length >= 2);
    expect(received).toEqual(['other 1', 'failing 2']);
    expect(await jobs()).toMatchObject([{ key: `react-to-event:${appId}:1` }]);
  });
});

describe('several workers', () => {
  it('share the apps and handle each event once and in order', async () => {
    const apps = [appId, await newApp(), await newApp()];
    for (const app of apps) await endpoint(app);
    const received = new Map<string, number[]>(apps.map((app) => [app, []]));
    const reactions = reactionsTo('payment_intent.captured', async (event) => {
      received.get(event.appId)?.push(Number(event.sequence));
    });
    const workers = [run(reactions), run(reactions), run(reactions)];
    expect(workers).toHaveLength(3);
    const visible = new Map<string, number[]>(apps.map((app) => [app, []]));
    let watching = true;
    const watched = (async () => {
      let isLastPass: boolean;
      do {
        isLastPass = !watching;
        for (const app of apps) {
          const seen = visible.get(app) ?? [];
          for (const sequence of await queued(app)) if (!seen.includes(sequence)) seen.push(sequence);
        }
      } while (!isLastPass);
    })();
    const rounds = Array.from({ length: 40 }, (_, index) => index);
    await Promise.all(
      apps.map(async (app) => {
        for (const round of rounds) {
          await append(
            round % 3 === 0 ? ['payment_intent.captured', 'customer.updated'] : ['payment_intent.captured'],
            app,
          );
        }
      }),
    );
    await until(async () => (await pairsBehind(database)).length === 0);
    const last = 40 + 14;
    await until(async () =>
      (await Promise.all(apps.map((app) => position('reactions', app)))).every((at) => at === last),
    );
    watching = false;
    await watched;
    for (const app of apps) {
      const events = await database.event.findMany({
        where: { appId: app, type: 'payment_intent.captured' },
        orderBy: { sequence: 'asc' },
      });
      expect(received.get(app)).toEqual(events.map(({ sequence }) => Number(sequence)));
      const all = Array.from({ length: last }, (_, index) => index + 1);
      expect(await queued(app)).toEqual(all);
      // Deliveries became visible in the order of the sequence.
      expect(visible.get(app)).toEqual(all);
    }
  });

  it('do not handle an app that another process has leased until the lease expires', async () => {
    await append(['payment_intent.captured']);
    const begun: number[] = [];
    const { promise: held, resolve: finish } = Promise.withResolvers<void>();
    const slow = reactionConsumer({
      database,
      log: silentLog,
      leaseMs: 300,
      reactions: reactionsTo('payment_intent.captured', async () => {
        begun.push(1);
        await held;
      }),
    });
    const quick = reactionConsumer({
      database,
      log: silentLog,
      reactions: reactionsTo('payment_intent.captured', async () => begun.push(2)),
    });
    const first = slow.turn(appId);
    await until(() => begun.length === 1);
    expect(await quick.turn(appId)).toEqual({ hasMore: false, advanced: false });
    await until(async () => (await quick.turn(appId)).advanced);
    await append(['payment_intent.captured', 'payment_intent.captured']);
    expect(await position('reactions')).toBe(1);
    finish();
    await first;
    // The cursor neither moves back nor advances twice.
    expect([begun, await position('reactions')]).toEqual([[1, 2], 1]);
  });
});

describe('notifications', () => {
  it('wake the consumers at once, and a periodic check finds events whose notification was lost', async () => {
    const received: number[] = [];
    const reactions = reactionsTo('payment_intent.captured', async ({ sequence }) => received.push(Number(sequence)));
    run(reactions);
    await append(['payment_intent.captured']);
    await until(() => received.length === 1);
    const startedAt = performance.now();
    await append(['payment_intent.captured']);
    await until(() => received.length === 2);
    expect(performance.now() - startedAt).toBeLessThan(1_500);
    // Appended by a process that was killed before it sent a notification.
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('BEGIN');
    await client.query('UPDATE event_cursor SET last_sequence = 3 WHERE app_id = $1', [appId]);
    await client.query(
      `INSERT INTO event (app_id, sequence, id, type, resource_id, data) VALUES ($1, 3, $2, 'payment_intent.captured', $2, '{}')`,
      [appId, newId()],
    );
    await client.query('COMMIT');
    await client.end();
    await until(() => received.length === 3);
  }, 40_000);

  it('are not required: consumers poll while no notification can be received', async () => {
    const received: number[] = [];
    const silent: Listener = { listen: () => () => undefined, close: async () => undefined };
    run(
      reactionsTo('payment_intent.captured', async ({ sequence }) => received.push(Number(sequence))),
      silent,
    );
    for (const count of [1, 2, 3]) {
      const startedAt = performance.now();
      await append(['payment_intent.captured']);
      await until(() => received.length === count);
      expect(performance.now() - startedAt).toBeLessThan(3_000);
    }
  });
});

it('consumers serve other apps while some apps have an endless supply of events', async () => {
  const busy = [appId, await newApp(), await newApp(), await newApp()];
  const late = await newApp();
  const turns: string[] = [];
  const listener = openListener({ url, log: silentLog });
  const running = runConsumers({ database, listener, log: silentLog }, [
    {
      name: 'webhooks',
      async turn(app) {
        turns.push(app);
        await new Promise((resolve) => setTimeout(resolve, 1));
        return { hasMore: busy.includes(app), advanced: true };
      },
    },
  ]);
  onTestFinished(async () => {
    await running.stop();
    await listener.close();
  });
  for (const app of busy) await append(['payment_intent.created'], app);
  await vi.waitUntil(() => busy.every((app) => turns.includes(app)), { timeout: 20_000 });
  await append(['payment_intent.created'], late);
  await vi.waitUntil(() => turns.includes(late), { timeout: 20_000 });
});
