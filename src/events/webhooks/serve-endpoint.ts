import type { WebhookEndpoint } from '../../../prisma/client.ts';
import { eventBody } from '../event-body.ts';
import { type AttemptOutcome, attemptDelivery } from './attempt-delivery.ts';
import { type DeliveryWorld, recordDeliveryAttempt } from './record-delivery-attempt.ts';
import { type DueDelivery, nextDeliveries } from './store.ts';

export type DeliveryCounts = { delivered: number; failed: number };

const BATCH = 50;

/**
 * Sends an endpoint its due deliveries, one after another, until nothing is left, the endpoint is paused or disabled, or the time
 * is up. After a failed attempt the next delivery is sent and the failed one waits for its retry; an ordered endpoint waits for
 * the retry. The caller holds the endpoint's lease until `until`; no attempt starts after that or once `signal` is aborted.
 */
export async function serveEndpoint(
  world: DeliveryWorld,
  request: { endpointId: string; until: Date; signal?: AbortSignal },
): Promise<DeliveryCounts> {
  const counts = { delivered: 0, failed: 0 };
  const isOver = () => request.signal?.aborted === true || world.clock.now() >= request.until;
  while (!isOver()) {
    const endpoint = await world.database.webhookEndpoint.findUnique({ where: { id: request.endpointId } });
    if (!endpoint?.active) break;
    const now = world.clock.now();
    const batch = await nextDeliveries(world.database, { endpoint, now, limit: BATCH });
    if (batch.length === 0 || !(await sendBatch(world, { endpoint, batch, isOver, counts }))) break;
  }
  return counts;
}

type Batch = {
  endpoint: WebhookEndpoint;
  batch: readonly DueDelivery[];
  isOver: () => boolean;
  counts: DeliveryCounts;
};

/** Sends a batch and adds its deliveries to the count. Returns whether the round continues. */
async function sendBatch(world: DeliveryWorld, { endpoint, batch, isOver, counts }: Batch): Promise<boolean> {
  let isFailing = endpoint.failingSince !== null;
  for (const delivery of batch) {
    if (isOver()) return false;
    const { source } = delivery;
    const body = JSON.stringify(eventBody(source));
    const message = { endpoint, messageId: source.id, body, requestId: source.requestId };
    const outcome = await attemptDelivery(world, message);
    logAttempt(world, delivery, outcome);
    if (outcome.isDelivered) counts.delivered += 1;
    else counts.failed += 1;
    const standing = await recordDeliveryAttempt(world, { endpointId: endpoint.id, isFailing, delivery, outcome });
    if (!standing?.active || standing.isPaused) return false;
    isFailing = !outcome.isDelivered;
    // The rest of the batch is no longer valid: its order has changed, or the next delivery must be read from the database.
    if (standing.ordered !== endpoint.ordered || (standing.ordered && isFailing)) return true;
  }
  return true;
}

function logAttempt({ log }: DeliveryWorld, { id, source }: DueDelivery, outcome: AttemptOutcome): void {
  const { requestId } = source;
  const fields = {
    deliveryId: id,
    eventId: source.id,
    event: source.type,
    sequence: String(source.sequence),
    responseStatus: outcome.responseStatus,
    latencyMs: outcome.latencyMs,
    ...(requestId === null ? {} : { requestId }),
  };
  if (outcome.isDelivered) log?.info(fields, 'A webhook was delivered.');
  else log?.warn({ ...fields, reason: outcome.error }, 'A webhook was not delivered.');
}
