/** The state that the previous version leaves: events with a job for each transaction, some done and some pending. */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { transaction } from '../../prisma/client.ts';
import { appendEvents, type NewEvent } from '../../src/events/append-events.ts';
import { reactionConsumer } from '../../src/events/consumers/reaction-consumer.ts';
import { runConsumers } from '../../src/events/consumers/run-consumers.ts';
import { pairsBehind } from '../../src/events/consumers/store.ts';
import { webhookConsumer } from '../../src/events/consumers/webhook-consumer.ts';
import { type Reactions, react } from '../../src/events/react.ts';
import { reactJob } from '../../src/events/react-job.ts';
import { queueDeliveries } from '../../src/events/webhooks/queue-deliveries.ts';
import { openListener } from '../../src/platform/database/listener.ts';
import { newId } from '../../src/platform/identifier.ts';
import { addJob } from '../../src/platform/jobs.ts';
import { silentLog } from '../../src/platform/log.ts';
import { jobEntry, runQueue } from '../../src/platform/queue.ts';
import { freshDatabase } from '../setup/database/database.ts';
import { openWebhookApp } from '../setup/receivers/webhooks.ts';
import { onTeardown } from '../setup/teardown.ts';

const migration = readFileSync(
  new URL('../../prisma/migrations/20261126170000_event_consumers/migration.sql', import.meta.url),
  'utf8',
);
const { database, url } = await freshDatabase();
const { appId, endpoint } = await openWebhookApp(database);
const position = async (consumer: string, app = appId) =>
  Number(
    (await database.eventConsumer.findUniqueOrThrow({ where: { consumer_appId: { consumer, appId: app } } })).position,
  );
const received: string[] = [];
const reactions: Reactions = new Map([
  ['payment_intent.captured', [async (events) => received.push(...events.map(({ sequence }) => String(sequence)))]],
]);
const until = (met: () => Promise<boolean>) => vi.waitUntil(met, { timeout: 20_000, interval: 20 });

type Range = { appId: string; first: string; last: string };

async function append(count: number): Promise<Range> {
  const events = Array.from(
    { length: count },
    (): NewEvent => ({ type: 'payment_intent.captured', resourceId: newId(), data: {} }),
  );
  const appended = await transaction(database, (tx) => appendEvents(tx, appId, events));
  return { appId, first: String(appended[0]?.sequence), last: String(appended.at(-1)?.sequence) };
}

/** Runs such a job as the previous version did, and as this version does with the remaining jobs. */
async function runOldJob({ first, last }: Range): Promise<void> {
  const range = { appId, first: BigInt(first), last: BigInt(last) };
  await queueDeliveries({ database }, range);
  await react({ database, reactions }, range);
}

it('runs pending jobs of the previous version first, and neither skips nor repeats an event', async () => {
  await endpoint();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTeardown(() => client.end());
  await client.query(
    'DROP TRIGGER add_event_consumers ON event_cursor; DROP FUNCTION add_event_consumers(); DROP TABLE event_consumer',
  );
  await runOldJob(await append(2));
  for (const count of [1, 2]) {
    const range = await append(count);
    await transaction(database, (tx) => addJob(tx, reactJob, range));
  }
  await client.query(migration);
  expect([await position('webhooks'), await position('reactions')]).toEqual([5, 5]);
  await append(2);
  const later = await openWebhookApp(database);
  await later.append(1);
  expect(await position('webhooks', later.appId)).toBe(0);

  const listener = openListener({ url, log: silentLog });
  onTeardown(() => listener.close());
  const running = runConsumers({ database, listener, log: silentLog }, [
    webhookConsumer({ database }),
    reactionConsumer({ database, reactions, log: silentLog }),
  ]);
  onTeardown(() => running.stop());
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect([await position('webhooks'), received]).toEqual([5, ['1', '2']]);
  const queue = await runQueue({ url, jobs: new Map([jobEntry(reactJob, runOldJob)]), log: silentLog });
  onTeardown(() => queue.stop());
  await until(async () => (await position('reactions')) === 7 && (await pairsBehind(database)).length === 0);
  // Jobs run concurrently, as before. The consumer handles its events after all of them.
  expect(received.slice(0, 2)).toEqual(['1', '2']);
  expect(received.slice(2, 5).toSorted()).toEqual(['3', '4', '5']);
  expect(received.slice(5)).toEqual(['6', '7']);
  const deliveries = await database.webhookDelivery.findMany({ where: { appId }, orderBy: { id: 'asc' } });
  expect(deliveries.map(({ sequence }) => Number(sequence))).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(await database.$queryRaw`SELECT id::text FROM graphile_worker.jobs`).toEqual([]);
}, 40_000);
