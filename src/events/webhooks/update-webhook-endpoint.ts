import { type Database, transaction, type WebhookEndpoint } from '../../../prisma/client.ts';
import { changedFields } from '../../auth/audit/audit-entry.ts';
import { recordChange } from '../../auth/audit/record-action.ts';
import type { Scope } from '../../auth/principal.ts';
import { requirePublicUrl } from './require-public-url.ts';
import { announceDeliveries, findEndpoint } from './store.ts';
import { endpointFacts, type UpdateEndpointInput } from './webhook-endpoint.ts';

/**
 * Updates an endpoint. Activating it again clears the reason why it was disabled, and ends a pause. Throws NOT_FOUND, and
 * VALIDATION_ERROR for a URL with an address in a private network.
 */
export function updateWebhookEndpoint(
  world: { database: Database; privateAddresses: boolean },
  request: { scope: Scope; id: string; input: UpdateEndpointInput },
): Promise<WebhookEndpoint> {
  return transaction(world.database, async (tx) => {
    const endpoint = await findEndpoint(tx, request);
    if (request.input.url !== undefined) requirePublicUrl(world, request.input.url);
    const revived = request.input.active === true && !endpoint.active;
    const updated = await tx.webhookEndpoint.update({
      where: { id: endpoint.id },
      data: {
        ...request.input,
        ...(revived ? { disabledReason: null, failingSince: null, failuresInRow: 0, pausedUntil: null } : {}),
      },
    });
    // It may have been activated, or may no longer be ordered.
    await announceDeliveries(tx);
    await recordChange(tx, {
      action: 'webhook_endpoint.updated',
      owner: { appId: endpoint.appId },
      target: { type: 'WebhookEndpoint', id: endpoint.id },
      changed: changedFields(endpoint, updated, endpointFacts),
    });
    return updated;
  });
}
