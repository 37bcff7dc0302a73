import type { Database } from '../../../prisma/client.ts';
import type { Scope } from '../../auth/principal.ts';
import { GatewayError, invalid } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { announceDeliveries, findEndpoint } from './store.ts';

/** The maximum number of events that one call sends again. */
const RANGE_LIMIT = 10_000n;

/**
 * Sends an endpoint every delivery in [from, to] of its app's sequence again, with the same webhook-ids; returns their number.
 * Repeating the call while they are pending changes nothing. Throws NOT_FOUND, INVALID_STATE and VALIDATION_ERROR (over 10,000).
 */
export async function redeliverRange(
  world: { database: Database; clock: Clock },
  request: { scope: Scope; endpointId: string; from: bigint; to: bigint },
): Promise<number> {
  if (request.to < request.from) throw invalid([{ param: 'to', message: 'must not be before from' }]);
  if (request.to - request.from >= RANGE_LIMIT) {
    throw invalid([{ param: 'to', message: `must be at most ${RANGE_LIMIT} events after from` }]);
  }
  const endpoint = await findEndpoint(world.database, { scope: request.scope, id: request.endpointId });
  if (!endpoint.active) throw new GatewayError('INVALID_STATE', 'The endpoint is not active.');
  const redelivered = await world.database.webhookDelivery.updateMany({
    where: { webhookId: endpoint.id, sequence: { gte: request.from, lte: request.to } },
    data: { status: 'PENDING', firstTriedAt: null, tryCount: 0, nextRetryAt: world.clock.now() },
  });
  if (redelivered.count > 0) await announceDeliveries(world.database);
  return redelivered.count;
}
