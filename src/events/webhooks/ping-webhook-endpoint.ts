import type { Database } from '../../../prisma/client.ts';
import type { Scope } from '../../auth/principal.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/identifier.ts';
import { findEndpoint } from './store.ts';
import { type TryOutcome, tryDelivery } from './try-delivery.ts';

/** Sends a signed `webhook.ping` at once, once, and tells what came back; nothing is stored. Throws NOT_FOUND. */
export async function pingWebhookEndpoint(
  world: { database: Database; clock: Clock; privateAddresses: boolean },
  request: { scope: Scope; id: string },
): Promise<TryOutcome> {
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
  return tryDelivery(world, { endpoint, messageId: id, body });
}
