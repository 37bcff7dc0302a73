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

/** Endpoints with a delivery that is due, at most `limit`, the longest waiting first. */
export async function dueEndpoints(database: Database, request: { now: Date; limit: number }): Promise<string[]> {
  const rows = await database.$queryRaw<{ webhook_id: string }[]>`
    SELECT delivery.webhook_id FROM webhook_delivery delivery
    JOIN webhook_endpoint endpoint ON endpoint.id = delivery.webhook_id
    WHERE delivery.status = 'PENDING' AND delivery.next_retry_at <= ${request.now} AND endpoint.active
      AND (endpoint.lease_until IS NULL OR endpoint.lease_until < ${request.now})
    GROUP BY delivery.webhook_id ORDER BY min(delivery.next_retry_at) LIMIT ${request.limit}`;
  return rows.map((row) => row.webhook_id);
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

export async function releaseEndpoint(database: Database, id: string): Promise<void> {
  await database.webhookEndpoint.updateMany({ where: { id }, data: { leaseUntil: null } });
}
