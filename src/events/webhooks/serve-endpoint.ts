import { type Database, transaction, type WebhookDelivery, type WebhookEndpoint } from '../../../prisma/client.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/identifier.ts';
import type { Log } from '../../platform/log.ts';
import { appendEvents } from '../append-events.ts';
import { eventBody } from '../event-body.ts';
import { type TryOutcome, tryDelivery } from './try-delivery.ts';
import { FAILING_LIMIT_SECONDS, nextTryAt } from './webhook-endpoint.ts';

export type DeliveryWorld = { database: Database; clock: Clock; privateAddresses: boolean; log?: Log };

/** `failingSince` is set where the round ended with a try that failed. */
export type Told = { delivered: number; failed: number; failingSince: Date | null };

const BATCH = 50;
const GONE = 410;

/**
 * Tells one endpoint what is due, in the order of the sequence, one after another. A failed try is put off by the schedule
 * and ends the round, so that a receiver that is down costs one try a round.
 * The caller holds the endpoint's lease until `until`; no try begins after it.
 */
export async function serveEndpoint(world: DeliveryWorld, request: { endpointId: string; until: Date }): Promise<Told> {
  let delivered = 0;
  while (world.clock.now() < request.until) {
    const endpoint = await world.database.webhookEndpoint.findUnique({ where: { id: request.endpointId } });
    if (!endpoint?.active) break;
    const due = await world.database.webhookDelivery.findMany({
      where: { webhookId: endpoint.id, status: 'PENDING', nextRetryAt: { lte: world.clock.now() } },
      orderBy: { sequence: 'asc' },
      take: BATCH,
      include: { source: true },
    });
    if (due.length === 0) break;
    for (const { source, ...delivery } of due) {
      if (world.clock.now() >= request.until) return { delivered, failed: 0, failingSince: null };
      const body = JSON.stringify(eventBody(source));
      const { id: messageId, requestId } = source;
      const outcome = await tryDelivery(world, { endpoint, messageId, body, requestId });
      const fields = {
        deliveryId: delivery.id,
        eventId: messageId,
        event: source.type,
        sequence: String(source.sequence),
      };
      const { isDelivered, responseStatus, latencyMs, error } = outcome;
      const said = { ...fields, responseStatus, latencyMs, ...(requestId === null ? {} : { requestId }) };
      if (isDelivered) world.log?.info(said, 'A webhook was delivered.');
      else world.log?.warn({ ...said, reason: error }, 'A webhook was not delivered.');
      const tried = { endpoint, delivery, outcome };
      if (!isDelivered) {
        await recordFailure(world, tried);
        return { delivered, failed: 1, failingSince: endpoint.failingSince ?? world.clock.now() };
      }
      await recordSuccess(world, tried);
      endpoint.failingSince = null;
      delivered += 1;
    }
  }
  return { delivered, failed: 0, failingSince: null };
}

type Tried = { endpoint: WebhookEndpoint; delivery: WebhookDelivery; outcome: TryOutcome };

/** Writes the try and the delivery, in one statement: it is what most tries cost. */
async function recordSuccess(world: DeliveryWorld, { endpoint, delivery, outcome }: Tried): Promise<void> {
  const now = world.clock.now();
  await world.database.$executeRaw`
    WITH told AS (
      UPDATE webhook_delivery SET status = 'DELIVERED', attempts = attempts + 1, try_count = ${delivery.tryCount + 1},
        first_tried_at = ${delivery.firstTriedAt ?? now}, next_retry_at = NULL, delivered_at = ${now},
        response_status = ${outcome.responseStatus}, response_body = ${outcome.responseBody}
      WHERE id = ${delivery.id}::uuid RETURNING id
    )
    INSERT INTO webhook_attempt (id, delivery_id, response_status, response_body, latency_ms)
    SELECT ${newId()}::uuid, told.id, ${outcome.responseStatus}, ${outcome.responseBody}, ${outcome.latencyMs} FROM told`;
  if (endpoint.failingSince === null) return;
  await world.database.webhookEndpoint.updateMany({ where: { id: endpoint.id }, data: { failingSince: null } });
}

/** Writes the try, when the next one is, and whether the endpoint is given up, which is told by an event. */
async function recordFailure(world: DeliveryWorld, tried: Tried): Promise<void> {
  const { endpoint, delivery, outcome } = tried;
  const now = world.clock.now();
  const firstTriedAt = delivery.firstTriedAt ?? now;
  const tryCount = delivery.tryCount + 1;
  const retryAt = outcome.responseStatus === GONE ? null : nextTryAt(firstTriedAt, tryCount);
  await transaction(world.database, async (tx) => {
    // The delivery may have been deleted with its endpoint while the try was under way.
    const written = await tx.webhookDelivery.updateMany({
      where: { id: delivery.id },
      data: {
        status: retryAt === null ? 'FAILED' : 'PENDING',
        attempts: { increment: 1 },
        tryCount,
        firstTriedAt,
        nextRetryAt: retryAt,
        responseStatus: outcome.responseStatus,
        responseBody: outcome.responseBody ?? outcome.error,
        deliveredAt: null,
      },
    });
    if (written.count === 0) return;
    await tx.webhookAttempt.create({
      data: {
        id: newId(),
        deliveryId: delivery.id,
        responseStatus: outcome.responseStatus,
        responseBody: outcome.responseBody,
        error: outcome.error,
        latencyMs: outcome.latencyMs,
      },
    });
    const failingSince = endpoint.failingSince ?? now;
    const reason = disabledReason(tried, now);
    if (reason === null) {
      if (endpoint.failingSince) return;
      await tx.webhookEndpoint.updateMany({ where: { id: endpoint.id }, data: { failingSince } });
      return;
    }
    const [disabled] = await tx.webhookEndpoint.updateManyAndReturn({
      where: { id: endpoint.id, active: true },
      data: { active: false, disabledReason: reason, failingSince },
    });
    if (!disabled) return;
    // `reason` is the older name of `disabledReason`.
    const data = { ...endpointFields(disabled), disabledReason: reason, reason };
    await appendEvents(tx, disabled.appId, [{ type: 'webhook_endpoint.disabled', resourceId: disabled.id, data }]);
  });
}

/** What an event may tell of an endpoint: never its secrets. */
function endpointFields({ id, appId, url, events, active, createdAt, updatedAt }: WebhookEndpoint) {
  return { id, appId, url, events, active, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}

function disabledReason({ endpoint, outcome }: Tried, now: Date): string | null {
  if (outcome.responseStatus === GONE) return 'The receiver answered 410 Gone.';
  if (endpoint.failingSince === null) return null;
  const failingMs = now.getTime() - endpoint.failingSince.getTime();
  const days = FAILING_LIMIT_SECONDS / 86_400;
  return failingMs >= FAILING_LIMIT_SECONDS * 1000 ? `No try succeeded for ${days} days.` : null;
}
