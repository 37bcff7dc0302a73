import type { Database, WebhookDelivery } from '../../../prisma/client.ts';
import { appScope } from '../../auth/app-scope.ts';
import type { Scope } from '../../auth/principal.ts';
import { GatewayError, notFound } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { IdempotencyRequest } from '../../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../../platform/idempotency/idempotently.ts';
import { announceDeliveries } from './store.ts';

/**
 * Sends a delivery again, with the same webhook-id and the full retry schedule from now. Throws NOT_FOUND, and INVALID_STATE
 * while the endpoint is not active.
 */
export async function redeliverWebhook(
  world: { database: Database; clock: Clock },
  request: { scope: Scope; deliveryId: string; idempotency?: IdempotencyRequest },
): Promise<WebhookDelivery> {
  return await idempotently(world.database, request.idempotency, (write) =>
    write(async (tx) => {
      const delivery = await tx.webhookDelivery.findFirst({
        where: { id: request.deliveryId, endpoint: appScope(request.scope) },
        include: { endpoint: true },
      });
      if (!delivery) throw notFound('delivery');
      if (!delivery.endpoint.active) throw new GatewayError('INVALID_STATE', 'The endpoint is not active.');
      await announceDeliveries(tx);
      return tx.webhookDelivery.update({
        where: { id: delivery.id },
        data: { status: 'PENDING', firstTriedAt: null, tryCount: 0, nextRetryAt: world.clock.now() },
      });
    }),
  );
}
