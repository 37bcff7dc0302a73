/** A consumer's turn reads the events behind its cursor, however many there are before it. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type Database, Prisma } from '../../prisma/client.ts';
import { queueingStatement, takingStatement } from '../../src/events/consumers/store.ts';
import { createWebhookEndpoint } from '../../src/events/webhooks/create-webhook-endpoint.ts';
import { newId } from '../../src/platform/identifier.ts';
import { freshDatabase } from '../setup/database/database.ts';

const EVENTS = 8_000;
const BEHIND = 20;
const types = ['payment_intent.created', 'payment_intent.captured', 'payment_intent.settled'];

const { database } = await freshDatabase();
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
    expect(await eventsRead(database, statement)).toBe(BEHIND);
  });
});

type Node = {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Operation?: string;
  Plans?: Node[];
};

/** The number of rows that the statement reads from the table of events. The statement is rolled back. */
async function eventsRead(from: Database, statement: Prisma.Sql): Promise<number> {
  let read: number | undefined;
  await from
    .$transaction(async (tx) => {
      const explained = Prisma.sql`EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`;
      const [row] = await tx.$queryRaw<{ 'QUERY PLAN': { Plan: Node }[] }[]>(explained);
      const [{ Plan: plan } = { Plan: undefined }] = row?.['QUERY PLAN'] ?? [];
      if (plan) read = scanned(plan);
      throw new RolledBack();
    })
    .catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
    });
  if (read === undefined) throw new Error('The statement has no plan.');
  return read;
}

class RolledBack extends Error {}

function scanned(node: Node): number {
  const isScan = node['Relation Name'] === 'event' && node.Operation === undefined;
  const removed = node['Rows Removed by Filter'] ?? 0;
  const own = isScan ? (node['Actual Rows'] + removed) * node['Actual Loops'] : 0;
  return own + (node.Plans ?? []).reduce((sum, child) => sum + scanned(child), 0);
}
