import {
  type Database,
  type DatabaseTransaction,
  transaction,
  type WebhookDelivery,
  type WebhookEndpoint,
} from '../../../prisma/client.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/identifier.ts';
import type { Log } from '../../platform/log.ts';
import { appendEvents } from '../append-events.ts';
import type { AttemptOutcome } from './attempt-delivery.ts';
import { disabledEndpointFields } from './endpoint-fields.ts';
import type { DueDelivery } from './store.ts';
import { FAILING_LIMIT_SECONDS, nextTryAt, pauseMs } from './webhook-endpoint.ts';

export type DeliveryWorld = { database: Database; clock: Clock; privateAddresses: boolean; log?: Log };

export type Tried = {
  endpointId: string;
  /** Whether the endpoint's previous attempt failed. */
  isFailing: boolean;
  delivery: DueDelivery;
  outcome: AttemptOutcome;
};

/** The endpoint's state after an attempt, including concurrent changes. */
export type Standing = { active: boolean; ordered: boolean; isPaused: boolean };

const GONE = 410;

/**
 * Records an attempt, the resulting state of its delivery, and its effect on the endpoint: a success resets the count of
 * consecutive failures; a failure may pause or disable the endpoint, and disabling appends `webhook_endpoint.disabled`. Returns
 * null if the endpoint was deleted.
 */
export function recordDeliveryAttempt(world: DeliveryWorld, tried: Tried): Promise<Standing | null> {
  return tried.outcome.isDelivered ? recordSuccess(world, tried) : recordFailure(world, tried);
}

/** A single statement unless the endpoint was failing, because most attempts succeed. */
async function recordSuccess({ database, clock }: DeliveryWorld, tried: Tried): Promise<Standing | null> {
  const { endpointId, isFailing, delivery, outcome } = tried;
  const now = clock.now();
  if (isFailing) {
    await database.$executeRaw`
      UPDATE webhook_endpoint SET failing_since = NULL, failures_in_row = 0, paused_until = NULL
      WHERE id = ${endpointId}::uuid`;
  }
  const [standing] = await database.$queryRaw<Standing[]>`
    WITH delivered AS (
      UPDATE webhook_delivery SET status = 'DELIVERED', attempts = attempts + 1, try_count = try_count + 1,
        first_tried_at = coalesce(first_tried_at, ${now}), next_retry_at = NULL, delivered_at = gateway_now(),
        response_status = ${outcome.responseStatus}, response_body = ${outcome.responseBody}
      WHERE id = ${delivery.id}::uuid RETURNING id
    ), tried AS (
      INSERT INTO webhook_attempt (id, delivery_id, response_status, response_body, latency_ms)
      SELECT ${newId()}::uuid, delivered.id, ${outcome.responseStatus}, ${outcome.responseBody}, ${outcome.latencyMs} FROM delivered
    )
    SELECT active, ordered, false AS "isPaused" FROM webhook_endpoint WHERE id = ${endpointId}::uuid`;
  return standing ?? null;
}

async function recordFailure(world: DeliveryWorld, tried: Tried): Promise<Standing | null> {
  const { endpointId, outcome } = tried;
  const now = world.clock.now();
  return await transaction(world.database, async (tx) => {
    // Locks the endpoint first, as deleting it with its deliveries does; it may also have been activated again since the attempt
    // began.
    const [endpoint] = await tx.$queryRaw<Failing[]>`
      SELECT active, ordered, failing_since AS "failingSince", failures_in_row AS "failuresInRow" FROM webhook_endpoint
      WHERE id = ${endpointId}::uuid FOR NO KEY UPDATE`;
    if (!endpoint) return null;
    await writeFailure(tx, { ...tried, now });
    const failingSince = endpoint.failingSince ?? now;
    const failuresInRow = endpoint.failuresInRow + 1;
    const pause = pauseMs(failuresInRow);
    const pausedUntil = pause === 0 ? null : new Date(now.getTime() + pause);
    await tx.$executeRaw`
      UPDATE webhook_endpoint
      SET failing_since = ${failingSince}, failures_in_row = ${failuresInRow}, paused_until = ${pausedUntil}
      WHERE id = ${endpointId}::uuid`;
    const { ordered } = endpoint;
    const reason = endpoint.active ? disabledReason({ outcome, failingSince, now }) : null;
    if (reason === null) return { active: endpoint.active, ordered, isPaused: pausedUntil !== null };
    const disabled = await tx.webhookEndpoint.update({
      where: { id: endpointId },
      data: { active: false, disabledReason: reason },
    });
    const data = disabledEndpointFields(disabled, reason);
    await appendEvents(tx, disabled.appId, [{ type: 'webhook_endpoint.disabled', resourceId: disabled.id, data }]);
    return { active: false, ordered, isPaused: pausedUntil !== null };
  });
}

type Failing = Pick<WebhookEndpoint, 'active' | 'ordered' | 'failingSince' | 'failuresInRow'>;

/** Records the attempt and when the next one is due. */
async function writeFailure(tx: DatabaseTransaction, failed: Tried & { now: Date }): Promise<void> {
  const { delivery, outcome, now } = failed;
  // The delivery may have been purged, requested again, or made by another process since the attempt began.
  const [current] = await tx.$queryRaw<Pick<WebhookDelivery, 'status' | 'firstTriedAt' | 'tryCount'>[]>`
    SELECT status, first_tried_at AS "firstTriedAt", try_count AS "tryCount" FROM webhook_delivery
    WHERE id = ${delivery.id}::uuid FOR NO KEY UPDATE`;
  if (!current) return;
  const firstTriedAt = current.firstTriedAt ?? now;
  const tryCount = current.tryCount + 1;
  const retryAt = outcome.responseStatus === GONE ? null : nextTryAt(firstTriedAt, tryCount);
  const status: WebhookDelivery['status'] = retryAt === null ? 'FAILED' : 'PENDING';
  const answer = { responseStatus: outcome.responseStatus, responseBody: outcome.responseBody ?? outcome.error };
  await tx.webhookDelivery.update({
    where: { id: delivery.id },
    data: {
      attempts: { increment: 1 },
      ...(current.status === 'PENDING' ? { ...answer, status, tryCount, firstTriedAt, nextRetryAt: retryAt } : {}),
    },
  });
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
}

function disabledReason(failed: { outcome: AttemptOutcome; failingSince: Date; now: Date }): string | null {
  if (failed.outcome.responseStatus === GONE) return 'The receiver answered 410 Gone.';
  const failingMs = failed.now.getTime() - failed.failingSince.getTime();
  const days = FAILING_LIMIT_SECONDS / 86_400;
  return failingMs >= FAILING_LIMIT_SECONDS * 1000 ? `No try succeeded for ${days} days.` : null;
}
