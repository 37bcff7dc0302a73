/** The deliveries of an event to webhook endpoints, and their results. */
import type { WebhookDelivery } from '../../../../prisma/client.ts';
import { ENDPOINTS_LIMIT } from '../../../events/webhooks/webhook-endpoint.ts';
import { batched } from '../server/batch.ts';
import { builder } from '../server/builder.ts';
import type { GraphqlContext } from '../server/context.ts';
import { WebhookDeliveryRef } from '../webhooks/webhook-endpoint.ts';
import { EventRef } from './events.ts';

builder.objectField(EventRef, 'deliveries', (t) =>
  t.field({
    type: [WebhookDeliveryRef],
    complexity: { field: 1, multiplier: 2 },
    description: `Deliveries of the event, one for each webhook endpoint that receives it; at most ${ENDPOINTS_LIMIT}. They are kept for 90 days by default.`,
    resolve: async (event, _args, context) =>
      (await batched(context, 'eventDeliveries', event.id, (ids) => readDeliveries(context, ids))) ?? [],
  }),
);

async function readDeliveries(context: GraphqlContext, ids: string[]): Promise<Map<string, WebhookDelivery[]>> {
  const rows = await context.database.webhookDelivery.findMany({
    where: { eventId: { in: ids } },
    orderBy: { id: 'asc' },
    take: ENDPOINTS_LIMIT * ids.length,
    include: { source: true },
  });
  const found = new Map<string, WebhookDelivery[]>();
  for (const row of rows) found.set(row.eventId, [...(found.get(row.eventId) ?? []), row]);
  return found;
}
