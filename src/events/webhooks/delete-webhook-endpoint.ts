import { type Database, transaction } from '../../../prisma/client.ts';
import { fieldsOf } from '../../auth/audit/audit-entry.ts';
import { recordAction } from '../../auth/audit/record-action.ts';
import type { Scope } from '../../auth/principal.ts';
import { findEndpoint } from './store.ts';
import { endpointFacts } from './webhook-endpoint.ts';

/** Deletes an endpoint with its deliveries; a pending attempt is not recorded. Throws NOT_FOUND. */
export async function deleteWebhookEndpoint(
  world: { database: Database },
  request: { scope: Scope; id: string },
): Promise<void> {
  await transaction(world.database, async (tx) => {
    const endpoint = await findEndpoint(tx, request);
    await tx.webhookEndpoint.delete({ where: { id: endpoint.id } });
    await recordAction(tx, {
      action: 'webhook_endpoint.deleted',
      owner: { appId: endpoint.appId },
      target: { type: 'WebhookEndpoint', id: endpoint.id },
      before: fieldsOf(endpoint, endpointFacts),
    });
  });
}
