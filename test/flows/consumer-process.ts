/**
 * A process that runs both consumers over DATABASE_URL, to be killed: `payment_intent.captured` is followed by one `invoice.paid`,
 * and by a pause in which it can be killed. Its leases are short.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase, transaction } from '../../prisma/client.ts';
import { appendEvents } from '../../src/events/append-events.ts';
import { reactionConsumer } from '../../src/events/consumers/reaction-consumer.ts';
import { runConsumers } from '../../src/events/consumers/run-consumers.ts';
import { webhookConsumer } from '../../src/events/consumers/webhook-consumer.ts';
import type { ReactedEvent, Reaction } from '../../src/events/react.ts';
import { openListener } from '../../src/platform/database/listener.ts';
import { silentLog } from '../../src/platform/log.ts';

const LEASE_MS = 600;
const PAUSE_MS = 3;

const url = process.env.DATABASE_URL ?? '';
const database = openDatabase({ url });
const log = silentLog;

/** Idempotent by the event, like the verbs of other modules. */
const payInvoices: Reaction = async (events) => {
  for (const event of events) await payInvoice(event);
};

async function payInvoice({ id, appId }: Pick<ReactedEvent, 'id' | 'appId'>): Promise<void> {
  await transaction(database, async (tx) => {
    await tx.$queryRaw`SELECT id FROM app WHERE id = ${appId}::uuid FOR NO KEY UPDATE`;
    if ((await tx.event.count({ where: { appId, type: 'invoice.paid', resourceId: id } })) > 0) return;
    await appendEvents(tx, appId, [{ type: 'invoice.paid', resourceId: id, data: {} }]);
  });
  await delay(PAUSE_MS);
}

runConsumers({ database, log, listener: openListener({ url, log }) }, [
  webhookConsumer({ database }),
  reactionConsumer({
    database,
    log,
    leaseMs: LEASE_MS,
    reactions: new Map([['payment_intent.captured', [payInvoices]]]),
  }),
]);
