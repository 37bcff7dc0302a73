import type { Database } from '../../../prisma/client.ts';
import { recheck } from '../../../prisma/guarded-database.ts';
import type { Scope } from '../../auth/principal.ts';
import type { Clock } from '../../platform/clock.ts';
import type { IdempotencyRequest } from '../../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../../platform/idempotency/idempotently.ts';
import { newId } from '../../platform/identifier.ts';
import { type AttemptOutcome, attemptDelivery } from './attempt-delivery.ts';
import { findEndpoint } from './store.ts';

/**
 * Sends a signed `webhook.ping` immediately, with a single attempt, and returns the outcome. Stores nothing except the result for
 * an idempotency key. Throws NOT_FOUND.
 */
export async function pingWebhookEndpoint(
  world: { database: Database; clock: Clock; privateAddresses: boolean },
  request: { scope: Scope; id: string; idempotency?: IdempotencyRequest | undefined },
): Promise<AttemptOutcome> {
  return await idempotently(world.database, request.idempotency, async (write) => {
    const endpoint = await findEndpoint(world.database, request);
    const id = newId();
    const timestamp = world.clock.now().toISOString();
    const body = JSON.stringify({
      id,
      type: 'webhook.ping',
      timestamp,
      appId: endpoint.appId,
      data: { webhookId: endpoint.id },
    });
    // A request to the receiver cannot be undone by a transaction, so the credential is checked again before it.
    await recheck(world.database);
    const outcome = await attemptDelivery(world, { endpoint, messageId: id, body });
    if (!request.idempotency) return outcome;
    // No transaction stays open during the request: two concurrent calls with the same key both send a ping, and one returns the
    // other's result.
    return await write(async () => outcome);
  });
}
