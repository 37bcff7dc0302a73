import type { Database } from '../../../prisma/client.ts';

/**
 * Queues a delivery of each event in [first, last] of an app's sequence to each active endpoint that wants it.
 * Idempotent: one delivery per endpoint and event.
 */
export async function queueDeliveries(
  world: { database: Database },
  range: { appId: string; first: bigint; last: bigint },
): Promise<number> {
  return world.database.$executeRaw`
    INSERT INTO webhook_delivery (id, webhook_id, event_id, app_id, sequence, event, next_retry_at)
    SELECT uuidv7(), endpoint.id, event.id, event.app_id, event.sequence, event.type, now()
    FROM event JOIN webhook_endpoint endpoint ON endpoint.app_id = event.app_id
    WHERE event.app_id = ${range.appId}::uuid AND event.sequence BETWEEN ${range.first} AND ${range.last}
      AND endpoint.active AND event.sequence > endpoint.start_sequence
      AND ('*' = ANY (endpoint.events) OR event.type = ANY (endpoint.events))
    ORDER BY event.sequence
    ON CONFLICT (webhook_id, event_id) DO NOTHING`;
}
