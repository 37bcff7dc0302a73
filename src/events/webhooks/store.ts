/** The queries of webhooks. */
import {
  type Database,
  type DatabaseTransaction,
  type Event,
  Prisma,
  type WebhookEndpoint,
} from '../../../prisma/client.ts';
import { appScope } from '../../auth/app-scope.ts';
import type { Scope } from '../../auth/principal.ts';
import { notFound } from '../../errors.ts';

/** The caller's endpoint. Throws NOT_FOUND. */
export async function findEndpoint(
  database: Database | DatabaseTransaction,
  request: { scope: Scope; id: string },
): Promise<WebhookEndpoint> {
  const endpoint = await database.webhookEndpoint.findFirst({ where: { id: request.id, ...appScope(request.scope) } });
  if (!endpoint) throw notFound('webhook endpoint');
  return endpoint;
}

/**
 * Endpoints with something to send that are neither paused nor leased, at most `limit`, those waiting longest first: either those
 * whose last attempt succeeded or those whose last attempt failed.
 */
export async function dueEndpoints(
  database: Database,
  request: { now: Date; limit: number; failing: boolean },
): Promise<string[]> {
  const rows = await database.$queryRaw<{ id: string }[]>`
    SELECT endpoint.id FROM webhook_endpoint endpoint CROSS JOIN LATERAL (
      (SELECT next_retry_at AS since FROM webhook_delivery
       WHERE NOT endpoint.ordered AND webhook_id = endpoint.id AND status = 'PENDING' AND attempts = 0
       ORDER BY sequence LIMIT 1)
      UNION ALL
      (SELECT next_retry_at FROM webhook_delivery
       WHERE NOT endpoint.ordered AND webhook_id = endpoint.id AND status = 'PENDING' AND attempts > 0
         AND next_retry_at <= ${request.now}
       ORDER BY next_retry_at, sequence LIMIT 1)
      UNION ALL
      SELECT head.next_retry_at FROM (
        SELECT attempts, next_retry_at FROM webhook_delivery
        WHERE endpoint.ordered AND webhook_id = endpoint.id AND status = 'PENDING'
        ORDER BY sequence LIMIT 1
      ) AS head WHERE head.attempts = 0 OR head.next_retry_at <= ${request.now}
    ) AS due
    WHERE endpoint.active AND (endpoint.failing_since IS NOT NULL) = ${request.failing}
      AND (endpoint.lease_until IS NULL OR endpoint.lease_until < ${request.now})
      AND (endpoint.paused_until IS NULL OR endpoint.paused_until <= ${request.now})
    GROUP BY endpoint.id ORDER BY min(due.since) LIMIT ${request.limit}`;
  return rows.map((row) => row.id);
}

export type DueDelivery = { id: string; source: Event };

/**
 * The next deliveries of an endpoint, at most `limit`, in sending order. First attempts come in sequence order and alternate with
 * due retries, longest due first. While a failing receiver is sent one delivery per round, every other round starts with a retry,
 * because the receiver may reject only the first attempt of each event. For an ordered endpoint all come in sequence order, up to
 * the first that waits for its retry.
 */
export async function nextDeliveries(
  database: Database,
  request: { endpoint: Pick<WebhookEndpoint, 'id' | 'ordered' | 'failuresInRow'>; now: Date; limit: number },
): Promise<DueDelivery[]> {
  const { endpoint, now, limit } = request;
  const next = endpoint.ordered
    ? nextInSequence({ id: endpoint.id, now, limit })
    : nextByTurns({ id: endpoint.id, now, each: Math.ceil(limit / 2), retryFirst: endpoint.failuresInRow % 2 === 1 });
  const rows = await database.$queryRaw<(Event & { deliveryId: string })[]>`
    SELECT next.id AS "deliveryId", event.app_id AS "appId", event.sequence, event.id, event.type,
      event.resource_id AS "resourceId", event.data, event.finality, event.request_id AS "requestId",
      event.created_at AS "createdAt"
    FROM (${next}) AS next JOIN event ON event.id = next.event_id ORDER BY next.turn, next.place`;
  return rows.map(({ deliveryId, ...source }) => ({ id: deliveryId, source }));
}

/** Status, attempts and limits are literals: a generic plan for arbitrary parameters would not use the indexes. */
function nextByTurns(asked: { id: string; now: Date; each: number; retryFirst: boolean }): Prisma.Sql {
  const { id, now, each, retryFirst } = asked;
  return Prisma.sql`
    (SELECT id, event_id, row_number() OVER (ORDER BY sequence) AS turn, ${retryFirst}::boolean AS place FROM webhook_delivery
     WHERE webhook_id = ${id}::uuid AND status = 'PENDING' AND attempts = 0
     ORDER BY sequence LIMIT ${Prisma.raw(String(each))})
    UNION ALL
    (SELECT id, event_id, row_number() OVER (ORDER BY next_retry_at, sequence), NOT ${retryFirst}::boolean FROM webhook_delivery
     WHERE webhook_id = ${id}::uuid AND status = 'PENDING' AND attempts > 0 AND next_retry_at <= ${now}
     ORDER BY next_retry_at, sequence LIMIT ${Prisma.raw(String(each))})`;
}

function nextInSequence({ id, now, limit }: { id: string; now: Date; limit: number }): Prisma.Sql {
  return Prisma.sql`
    SELECT id, event_id, turn, true AS place FROM (
      SELECT id, event_id, sequence AS turn, bool_and(attempts = 0 OR next_retry_at <= ${now}) OVER (ORDER BY sequence) AS is_due
      FROM webhook_delivery WHERE webhook_id = ${id}::uuid AND status = 'PENDING' ORDER BY sequence LIMIT ${Prisma.raw(String(limit))}
    ) AS first WHERE is_due`;
}

/** The channel that notifies idle workers of deliveries that have become due again. */
export const deliveriesChannel = 'sluice_deliveries';

/** Notifies the workers once the transaction has committed. */
export async function announceDeliveries(tx: Pick<DatabaseTransaction, '$queryRaw'>): Promise<void> {
  await tx.$queryRaw`SELECT pg_notify(${deliveriesChannel}, '')::text`;
}

/**
 * When something may become due that is not due now: a retry, the end of a pause, or of a lease whose holder may have died. Null
 * if nothing is scheduled.
 */
export async function nextDueAt(database: Database, now: Date): Promise<Date | null> {
  const [row] = await database.$queryRaw<{ at: Date | null }[]>`
    SELECT least(
      (SELECT min(next_retry_at) FROM webhook_delivery WHERE status = 'PENDING' AND next_retry_at > ${now}),
      (SELECT min(paused_until) FROM webhook_endpoint WHERE active AND paused_until > ${now}),
      (SELECT min(lease_until) FROM webhook_endpoint WHERE active AND lease_until > ${now})) AS at`;
  return row?.at ?? null;
}

/** Leases the endpoint for one process until `until`; false if another process has it or it is paused. */
export async function leaseEndpoint(
  database: Database,
  request: { id: string; now: Date; until: Date },
): Promise<boolean> {
  const { id, now, until } = request;
  const taken = await database.$executeRaw`
    UPDATE webhook_endpoint SET lease_until = ${until} WHERE id = ${id}::uuid
      AND (lease_until IS NULL OR lease_until < ${now}) AND (paused_until IS NULL OR paused_until <= ${now})`;
  return taken === 1;
}

/** Releases an endpoint that is still leased until `until`. */
export async function releaseEndpoint(database: Database, lease: { id: string; until: Date }): Promise<void> {
  await database.$executeRaw`
    UPDATE webhook_endpoint SET lease_until = NULL WHERE id = ${lease.id}::uuid AND lease_until = ${lease.until}`;
}
