import { type Database, transaction } from '../../../prisma/client.ts';
import { recheck } from '../../../prisma/guarded-database.ts';
import type { Scope } from '../../auth/principal.ts';
import type { Clock } from '../../platform/clock.ts';
import { firstAnswer } from '../../platform/idempotency/first-answer.ts';
import type { IdempotencyRequest } from '../../platform/idempotency/idempotency-request.ts';
import { once } from '../../platform/idempotency/once.ts';
import { newId } from '../../platform/identifier.ts';
import { findEndpoint } from './store.ts';
import { type TryOutcome, tryDelivery } from './try-delivery.ts';

/**
 * Sends a signed `webhook.ping` at once, once, and tells what came back; but for the answer to an idempotency key nothing is
 * stored. Throws NOT_FOUND.
 */
export async function pingWebhookEndpoint(
  world: { database: Database; clock: Clock; privateAddresses: boolean },
  request: { scope: Scope; id: string; idempotency?: IdempotencyRequest | undefined },
): Promise<TryOutcome> {
  const first = await firstAnswer<TryOutcome>(world.database, request.idempotency);
  if (first) return first.result;
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
  // What leaves for the receiver is an effect that no transaction can judge.
  await recheck(world.database);
  const outcome = await tryDelivery(world, { endpoint, messageId: id, body });
  if (!request.idempotency) return outcome;
  // No transaction waits for the receiver: of two calls at once both ping, and one is answered as the other.
  return await transaction(
    world.database,
    async (tx) => (await once(tx, request.idempotency, async () => outcome)).result,
  );
}
