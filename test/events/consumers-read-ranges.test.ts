/** A consumer's turn reads the events behind its cursor, however many there are before it. */
import { beforeAll, describe, expect, it } from 'vitest';
import { queueingStatement, takingStatement } from '../../src/events/consumers/store.ts';
import { createWebhookEndpoint } from '../../src/events/webhooks/create-webhook-endpoint.ts';
import { newId } from '../../src/platform/identifier.ts';
import { freshDatabase } from '../setup/database/database.ts';
import { rowsRead } from '../setup/database/rows-read.ts';

const EVENTS = 8_000;
const BEHIND = 20;
const types = ['payment_intent.created', 'payment_intent.captured', 'payment_intent.settled'];

const { database, url } = await freshDatabase();
const appId = newId();

beforeAll(async () => {
  const merchantId = newId();
  await database.merchant.create({ data: { id: merchantId, name: 'M' } });
  await database.app.create({ data: { id: appId, merchantId, name: 'A', mode: 'TEST' } });
  await createWebhookEndpoint(
    { database, privateAddresses: true },
    { appId, input: { url: 'http://127.0.0.1:9', events: ['payment_intent.settled'] } },
  );
  await database.$executeRaw`
    INSERT INTO event (app_id, sequence, id, type, resource_id, data)
    SELECT ${appId}::uuid, number, gen_random_uuid(), (${types}::text[])[number % 3 + 1], gen_random_uuid(), '{}'
    FROM generate_series(1, ${EVENTS}) number`;
  await database.eventCursor.upsert({
    where: { appId },
    create: { appId, lastSequence: BigInt(EVENTS) },
    update: { lastSequence: BigInt(EVENTS) },
  });
  for (const consumer of ['reactions', 'webhooks']) {
    const position = BigInt(EVENTS - BEHIND);
    await database.eventConsumer.upsert({
      where: { consumer_appId: { consumer, appId } },
      create: { consumer, appId, position },
      update: { position },
    });
  }
  await database.webhookEndpoint.updateMany({ data: { startSequence: 0n, queuedSequence: BigInt(EVENTS - BEHIND) } });
  await database.$executeRaw`ANALYZE event, event_cursor, event_consumer, webhook_endpoint`;
});

describe('a turn reads no event before its cursor', () => {
  it.each([
    ['reactions', takingStatement({ consumer: 'reactions', appId, types })],
    ['webhooks', queueingStatement({ consumer: 'webhooks', appId })],
  ])('%s', async (_consumer, statement) => {
    expect(await rowsRead(url, statement, 'event')).toBe(BEHIND);
  });
});
