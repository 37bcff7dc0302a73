import type { Database } from '../../../prisma/client.ts';

/**
 * Queues a delivery of each event in [first, last] of an app's sequence to each active endpoint that wants it, and of
 * those before it that no job has queued yet: of two jobs the later one may run first, and order is the sequence's.
 * The endpoints' rows are locked, so that deliveries become visible in that order too. Idempotent: one delivery per
 * endpoint and event.
 */
export async function queueDeliveries(
  world: { database: Database },
  range: { appId: string; first: bigint; last: bigint },
): Promise<number> {
  const { appId, first, last } = range;
  return world.database.$executeRaw`
    WITH endpoint AS MATERIALIZED (
      SELECT id, events, active, start_sequence, queued_sequence FROM webhook_endpoint
      WHERE app_id = ${appId}::uuid ORDER BY id FOR UPDATE
    ), moved AS (
      UPDATE webhook_endpoint SET queued_sequence = ${last} FROM endpoint
      WHERE webhook_endpoint.id = endpoint.id AND endpoint.queued_sequence < ${last}
    )
    INSERT INTO webhook_delivery (id, webhook_id, event_id, app_id, sequence, event, next_retry_at)
    SELECT uuidv7(), endpoint.id, event.id, event.app_id, event.sequence, event.type, now()
    FROM endpoint JOIN event ON event.app_id = ${appId}::uuid
      AND event.sequence BETWEEN LEAST(GREATEST(endpoint.queued_sequence, endpoint.start_sequence) + 1, ${first}) AND ${last}
    WHERE endpoint.active AND event.sequence > endpoint.start_sequence
      AND ('*' = ANY (endpoint.events) OR event.type = ANY (endpoint.events))
    ORDER BY event.sequence
    ON CONFLICT (webhook_id, event_id) DO NOTHING`;
}
