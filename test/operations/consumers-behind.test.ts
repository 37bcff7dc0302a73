/** Events that no worker handles appear in the status, the metrics and the age of webhooks until they are handled. */
import { expect, it } from 'vitest';
import { transaction } from '../../prisma/client.ts';
import { loadRegistry } from '../../src/chains/registry.ts';
import { appendEvents } from '../../src/events/append-events.ts';
import { reactionConsumer } from '../../src/events/consumers/reaction-consumer.ts';
import { registerTableGauges } from '../../src/operations/metrics/table-gauges.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/identifier.ts';
import { silentLog } from '../../src/platform/log.ts';
import { openMetrics } from '../../src/platform/metrics.ts';
import { freshDatabase } from '../setup/database/database.ts';
import { openConsumers } from '../setup/receivers/consume-events.ts';
import { openWebhookApp } from '../setup/receivers/webhooks.ts';
import { runOperation } from './run-operation.ts';

const { database } = await freshDatabase();
const metrics = openMetrics({ part: 'test', log: silentLog });
registerTableGauges({ database, registry: loadRegistry({ rpc: [] }), clock: systemClock, metrics });

const status = async () => {
  const { printed, complained } = await runOperation({ database, clock: systemClock }, ['status']);
  return { printed, complained };
};
const metric = async (line: string) => {
  const found = (await metrics.text()).split('\n').find((one) => one.startsWith(line) && one.includes('part="test"'));
  return Number(found?.split(' ').at(-1));
};
const append = (appId: string, count: number) =>
  transaction(database, (tx) =>
    appendEvents(
      tx,
      appId,
      Array.from({ length: count }, () => ({
        type: 'payment_intent.captured' as const,
        resourceId: newId(),
        data: {},
      })),
    ),
  );
const age = (appId: string, seconds: number) =>
  database.$executeRaw`
    UPDATE event SET created_at = created_at - ${seconds}::float8 * interval '1 second' WHERE app_id = ${appId}::uuid`;

it('reports the number of unhandled events and the age of the oldest until they are handled', async () => {
  const [first, second] = [await openWebhookApp(database), await openWebhookApp(database)];
  await append(first.appId, 3);
  await append(second.appId, 2);
  expect((await status()).complained).not.toContain('events behind');
  expect(await metric('sluice_consumer_lag_events{consumer="reactions"')).toBe(5);
  await age(first.appId, 150);
  const { printed, complained } = await status();
  for (const consumer of ['reactions', 'webhooks']) {
    expect(complained).toMatch(
      new RegExp(`The consumer ${consumer} is 5 events behind, the oldest for 15\\d s: is a worker running\\?`),
    );
    expect(printed).toContain(consumer);
    expect(await metric(`sluice_consumer_lag_events{consumer="${consumer}"`)).toBe(5);
    expect(await metric(`sluice_consumer_oldest_seconds{consumer="${consumer}"`)).toBeGreaterThanOrEqual(150);
  }
  // No webhook is late, because no endpoint exists.
  expect(await metric('sluice_webhook_oldest_due_seconds{')).toBe(0);
  await first.endpoint();
  expect(await metric('sluice_webhook_oldest_due_seconds{')).toBeGreaterThanOrEqual(150);
  await first.update(await database.webhookEndpoint.findFirstOrThrow(), { active: false });
  expect(await metric('sluice_webhook_oldest_due_seconds{')).toBe(0);

  await openConsumers({ database, reactions: new Map() })();
  expect((await status()).complained).not.toContain('events behind');
  for (const consumer of ['reactions', 'webhooks']) {
    expect(await metric(`sluice_consumer_lag_events{consumer="${consumer}"`)).toBe(0);
    expect(await metric(`sluice_consumer_oldest_seconds{consumer="${consumer}"`)).toBe(0);
  }
});

it('counts the apps whose next event fails', async () => {
  const { appId } = await openWebhookApp(database);
  await append(appId, 1);
  const fail = async () => {
    throw new Error('It cannot be done.');
  };
  await reactionConsumer({
    database,
    log: silentLog,
    reactions: new Map([['payment_intent.captured', [fail]]]),
  }).turn(appId);
  expect(await metric('sluice_consumer_failing_apps{consumer="reactions"')).toBe(1);
  expect(await metric('sluice_consumer_failing_apps{consumer="webhooks"')).toBe(0);
});

it('prevents the end of a drain', async () => {
  const args = ['drain', '--wait-seconds', '0', '--json'];
  const drained = await runOperation({ database, clock: systemClock }, args);
  expect(drained.printed).toMatch(/"events": ?"?1"?/);
  expect(drained.code).toBe(1);
  await database.$executeRaw`UPDATE event_consumer SET next_attempt_at = NULL`;
  await openConsumers({ database, reactions: new Map() })();
  const after = await runOperation({ database, clock: systemClock }, args);
  expect(after.printed).toMatch(/"events": ?"?0"?/);
});
