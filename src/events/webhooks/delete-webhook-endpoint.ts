import { type Database, transaction } from '../../../prisma/client.ts';
import type { Scope } from '../../auth/principal.ts';
import { findEndpoint } from './store.ts';

/** Deletes an endpoint with its deliveries; a try that is under way ends unrecorded. Throws NOT_FOUND. */
export async function deleteWebhookEndpoint(
  world: { database: Database },
  request: { scope: Scope; id: string },
): Promise<void> {
  await transaction(world.database, async (tx) => {
    const endpoint = await findEndpoint(tx, request);
    await tx.webhookEndpoint.delete({ where: { id: endpoint.id } });
  });
}
