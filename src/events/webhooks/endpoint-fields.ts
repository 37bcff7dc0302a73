import type { WebhookEndpoint } from '../../../prisma/client.ts';

/** What `webhook_endpoint.disabled` carries of an endpoint: never its secrets. `reason` is the older name of `disabledReason`. */
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
