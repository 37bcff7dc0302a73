import type { WebhookEndpoint } from '../../../prisma/client.ts';

/**
 * The fields of an endpoint in `webhook_endpoint.disabled`, without its secrets. `reason` is the older name of `disabledReason`.
 */
export function disabledEndpointFields(endpoint: WebhookEndpoint, reason: string) {
  const { id, appId, url, events, active, ordered, createdAt, updatedAt } = endpoint;
  return {
    id,
    appId,
    url,
    events,
    active,
    ordered,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    disabledReason: reason,
    reason,
  };
}
