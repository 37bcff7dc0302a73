import type { Database, WebhookEndpoint } from '../../../prisma/client.ts';
import { fieldsOf } from '../../auth/audit/audit-entry.ts';
import { recordAction } from '../../auth/audit/record-action.ts';
import { GatewayError } from '../../errors.ts';
import type { IdempotencyRequest } from '../../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../../platform/idempotency/idempotently.ts';
import { sealed, unsealed } from '../../platform/idempotency/sealed.ts';
import { newId } from '../../platform/identifier.ts';
import { requirePublicUrl } from './require-public-url.ts';
import { type CreateEndpointInput, ENDPOINTS_LIMIT, endpointFacts } from './webhook-endpoint.ts';
import { newWebhookSecret } from './webhook-signature.ts';

/**
 * Creates an endpoint that receives events from now on; only this response contains its secret. Throws CONFLICT beyond 20
 * endpoints per app, and VALIDATION_ERROR for a URL with an address in a private network.
 */
export async function createWebhookEndpoint(
  world: { database: Database; privateAddresses: boolean },
  request: { appId: string; input: CreateEndpointInput; idempotency?: IdempotencyRequest },
): Promise<WebhookEndpoint> {
  const { appId, input, idempotency } = request;
  requirePublicUrl(world, input.url);
  // A stored first answer from before endpoints had `ordered` lacks the field.
  const open = (endpoint: WebhookEndpoint) => ({
    ...endpoint,
    ordered: endpoint.ordered ?? false,
    secret: unsealed(idempotency, endpoint.secret),
  });
  const stored = await idempotently<WebhookEndpoint>(world.database, idempotency, (write) =>
    write(async (tx) => {
      await tx.$queryRaw`SELECT id FROM app WHERE id = ${appId}::uuid FOR UPDATE`;
      if ((await tx.webhookEndpoint.count({ where: { appId } })) >= ENDPOINTS_LIMIT) {
        throw new GatewayError('CONFLICT', `The app has ${ENDPOINTS_LIMIT} endpoints, which is the limit.`);
      }
      const cursor = await tx.eventCursor.findUnique({ where: { appId } });
      const endpoint = await tx.webhookEndpoint.create({
        data: {
          id: newId(),
          appId,
          url: input.url,
          events: input.events,
          active: input.active ?? true,
          ordered: input.ordered ?? false,
          secret: newWebhookSecret(),
          startSequence: cursor?.lastSequence ?? 0n,
          queuedSequence: cursor?.lastSequence ?? 0n,
        },
      });
      await recordAction(tx, {
        action: 'webhook_endpoint.created',
        owner: { appId },
        target: { type: 'WebhookEndpoint', id: endpoint.id },
        after: fieldsOf(endpoint, endpointFacts),
      });
      return { ...endpoint, secret: sealed(idempotency, endpoint.secret) };
    }),
  );
  return open(stored);
}
