/** The webhooks' queries. */
import type { Database, DatabaseTransaction, WebhookEndpoint } from '../../../prisma/client.ts';
import { appScope } from '../../auth/app-scope.ts';
import type { Scope } from '../../auth/principal.ts';
import { notFound } from '../../errors.ts';

/** The caller's endpoint of the named app. Throws NOT_FOUND. */
export async function findEndpoint(
  database: Database | DatabaseTransaction,
  request: { scope: Scope; id: string },
): Promise<WebhookEndpoint> {
  const endpoint = await database.webhookEndpoint.findFirst({ where: { id: request.id, ...appScope(request.scope) } });
  if (!endpoint) throw notFound('webhook endpoint');
  return endpoint;
}

/**
 * Endpoints with a delivery that is due, at most `limit`, the longest waiting first: those whose last try was answered
 * with 2xx, or those that are failing.
 */
export async function dueEndpoints(
  database: Database,
  request: { now: Date; limit: number; failing: boolean },
): Promise<string[]> {
  const rows = await database.$queryRaw<{ id: string }[]>`
    SELECT endpoint.id FROM webhook_endpoint endpoint, LATERAL (
      SELECT next_retry_at FROM webhook_delivery
      WHERE webhook_id = endpoint.id AND status = 'PENDING' AND next_retry_at <= ${request.now}
      ORDER BY next_retry_at LIMIT 1
    ) AS due
    WHERE endpoint.active AND (endpoint.failing_since IS NOT NULL) = ${request.failing}
      AND (endpoint.lease_until IS NULL OR endpoint.lease_until < ${request.now})
    ORDER BY due.next_retry_at LIMIT ${request.limit}`;
  return rows.map((row) => row.id);
}

/** Takes the endpoint for one process until `until`; false where another has it. */
export async function leaseEndpoint(
  database: Database,
  request: { id: string; now: Date; until: Date },
): Promise<boolean> {
  const taken = await database.webhookEndpoint.updateMany({
    where: { id: request.id, OR: [{ leaseUntil: null }, { leaseUntil: { lt: request.now } }] },
    data: { leaseUntil: request.until },
  });
  return taken.count === 1;
}

/** Lets go of an endpoint that is still leased until `until`; with `restUntil` nobody takes it before that. */
export async function releaseEndpoint(
  database: Database,
  lease: { id: string; until: Date; restUntil: Date | null },
): Promise<void> {
  await database.webhookEndpoint.updateMany({
    where: { id: lease.id, leaseUntil: lease.until },
    data: { leaseUntil: lease.restUntil },
  });
}
