import { type Database, Prisma } from '../../../prisma/client.ts';
import { eventsBetween } from '../store.ts';

/**
 * Queues a delivery of each event in [first, last] of an app's sequence to each active endpoint subscribed to it, and of earlier
 * events that have not been queued yet, because a later job may run first and deliveries must be in sequence order. Idempotent.
 */
export async function queueDeliveries(
  world: { database: Database },
  range: { appId: string; first: bigint; last: bigint },
): Promise<void> {
  const { appId, first, last } = range;
  await world.database.$executeRaw`
    WITH range AS (SELECT ${first}::bigint AS first, ${last}::bigint AS last), ${queueingWithin(appId)} SELECT FROM queued`;
}

/**
 * A UUID of version 7 (RFC 9562) for each row of the query below, in the order of the sequence, as PostgreSQL 18 makes by `uuidv7()`. Its
 * 60 ordered bits are the time in units of 1/4096 ms, to which the row's number is added. The time is that of the row and not of the statement's
 * start, which precedes the wait for the cursor's lock.
 */
const TIME_ORDERED_ID = Prisma.sql`(overlay(
        lpad(to_hex((extract(epoch FROM clock_timestamp()) * 4096000)::bigint
          + row_number() OVER (ORDER BY event.sequence, endpoint.id)), 15, '0') PLACING '7' FROM 13 FOR 0)
        || right(gen_random_uuid()::text, 17))::uuid`;

/**
 * The WITH queries that queue deliveries of the events from `first` to `last` of a query `range`, which has one row or none; the
 * last of them is `queued`, with one row per delivery. They lock the endpoints' rows, so that deliveries become visible in
 * sequence order, and record up to where each endpoint was queued. There is one delivery per endpoint and event.
 */
export function queueingWithin(appId: string): Prisma.Sql {
  return Prisma.sql`
    endpoint AS MATERIALIZED (
      SELECT webhook_endpoint.id, events, active, start_sequence, queued_sequence, range.first, range.last
      FROM webhook_endpoint, range WHERE app_id = ${appId}::uuid ORDER BY webhook_endpoint.id FOR UPDATE OF webhook_endpoint
    ), moved AS (
      UPDATE webhook_endpoint SET queued_sequence = endpoint.last FROM endpoint
      WHERE webhook_endpoint.id = endpoint.id AND endpoint.queued_sequence < endpoint.last
    ), queued AS (
      INSERT INTO webhook_delivery (id, webhook_id, event_id, app_id, sequence, event, next_retry_at)
      SELECT ${TIME_ORDERED_ID}, endpoint.id, event.id, event.app_id, event.sequence, event.type, now()
      FROM endpoint CROSS JOIN LATERAL ${eventsBetween(appId, UNQUEUED)} event
      WHERE endpoint.active AND event.sequence > endpoint.start_sequence
        AND ('*' = ANY (endpoint.events) OR event.type = ANY (endpoint.events))
      ORDER BY event.sequence
      ON CONFLICT (webhook_id, event_id) DO NOTHING
      RETURNING webhook_id
    )`;
}

const UNQUEUED = Prisma.sql`LEAST(GREATEST(endpoint.queued_sequence, endpoint.start_sequence) + 1, endpoint.first) AND endpoint.last`;
