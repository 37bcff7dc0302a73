import type { Database, WebhookEndpoint } from '../../../prisma/client.ts';
import { recordAction } from '../../auth/audit/record-action.ts';
import type { Scope } from '../../auth/principal.ts';
import type { Clock } from '../../platform/clock.ts';
import type { IdempotencyRequest } from '../../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../../platform/idempotency/idempotently.ts';
import { sealed, unsealed } from '../../platform/idempotency/sealed.ts';
import { findEndpoint } from './store.ts';
import { ROTATION_OVERLAP_SECONDS } from './webhook-endpoint.ts';
import { newWebhookSecret } from './webhook-signature.ts';

/**
 * Gives the endpoint a new secret, which only this response contains; the old one also signs for another 24 h. Throws NOT_FOUND.
 */
export async function rotateWebhookSecret(
  world: { database: Database; clock: Clock },
  request: { scope: Scope; id: string; idempotency?: IdempotencyRequest },
): Promise<WebhookEndpoint> {
  const { idempotency } = request;
  // A stored first answer from before endpoints had `ordered` lacks the field.
  const open = (endpoint: WebhookEndpoint) => ({
    ...endpoint,
    ordered: endpoint.ordered ?? false,
    secret: unsealed(idempotency, endpoint.secret),
  });
  const stored = await idempotently<WebhookEndpoint>(world.database, idempotency, (write) =>
    write(async (tx) => {
      const endpoint = await findEndpoint(tx, request);
      const rotated = await tx.webhookEndpoint.update({
        where: { id: endpoint.id },
        data: {
          secret: newWebhookSecret(),
          previousSecret: endpoint.secret,
          previousSecretExpiresAt: new Date(world.clock.now().getTime() + ROTATION_OVERLAP_SECONDS * 1000),
        },
      });
      const { appId, id, url, previousSecretExpiresAt } = rotated;
      await recordAction(tx, {
        action: 'webhook_endpoint.secret_rotated',
        owner: { appId },
        target: { type: 'WebhookEndpoint', id },
        after: { url, oldSecretExpiresAt: previousSecretExpiresAt },
      });
      return { ...rotated, secret: sealed(idempotency, rotated.secret) };
    }),
  );
  return open(stored);
}
