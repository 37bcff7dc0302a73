/** An app whose events are delivered to a receiver, with a clock that does not advance until a test moves it. */
import { type Database, transaction, type WebhookEndpoint } from '../../../prisma/client.ts';
import { appendEvents } from '../../../src/events/append-events.ts';
import { createWebhookEndpoint } from '../../../src/events/webhooks/create-webhook-endpoint.ts';
import { queueDeliveries } from '../../../src/events/webhooks/queue-deliveries.ts';
import { type DeliveryCounts, serveEndpoint } from '../../../src/events/webhooks/serve-endpoint.ts';
import { dueEndpoints } from '../../../src/events/webhooks/store.ts';
import { updateWebhookEndpoint } from '../../../src/events/webhooks/update-webhook-endpoint.ts';
import type { CreateEndpointInput, UpdateEndpointInput } from '../../../src/events/webhooks/webhook-endpoint.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { openReceiver, type Received, type Receiver } from './receiver.ts';

export type WebhookApp = {
  appId: string;
  scope: { merchantId: string; appId: string };
  receiver: Receiver;
  world: { database: Database; clock: { now(): Date }; privateAddresses: true };
  later(seconds: number): void;
  endpoint(input?: Partial<CreateEndpointInput>): Promise<WebhookEndpoint>;
  update(endpoint: WebhookEndpoint, input: UpdateEndpointInput): Promise<WebhookEndpoint>;
  /** Appends `count` events and queues their deliveries, as the reaction to events does. */
  append(count: number): Promise<void>;
  /** Runs one round of a worker that has claimed the endpoint. */
  serve(endpoint: WebhookEndpoint): Promise<DeliveryCounts>;
  /** Whether a worker would claim the endpoint now. */
  isDue(endpoint: WebhookEndpoint): Promise<boolean>;
};

export const sequenceOf = (message: Received) => (JSON.parse(message.body) as { sequence: number }).sequence;
export const sequencesOf = (receiver: Receiver) => receiver.received.map(sequenceOf);
/** The sequence numbers in the order in which they first arrived. */
export const firstAttempts = (receiver: Receiver) => [...new Set(sequencesOf(receiver))];
export const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

export async function openWebhookApp(database: Database): Promise<WebhookApp> {
  const receiver = await openReceiver();
  // The clock is slightly ahead of the database's, which determines when a delivery was queued.
  let now = new Date(Date.now() + 5_000);
  const world = { database, clock: { now: () => now }, privateAddresses: true as const };
  const [merchantId, appId] = [newId(), newId()];
  await database.merchant.create({ data: { id: merchantId, name: 'M' } });
  await database.app.create({ data: { id: appId, merchantId, name: 'A', mode: 'TEST' } });
  const scope = { merchantId, appId };
  return {
    appId,
    scope,
    receiver,
    world,
    later: (seconds) => {
      now = new Date(now.getTime() + seconds * 1000);
    },
    endpoint: (input = {}) =>
      createWebhookEndpoint(world, { appId, input: { url: receiver.url, events: ['*'], ...input } }),
    update: ({ id }, input) => updateWebhookEndpoint(world, { scope, id, input }),
    async append(count) {
      const events = Array.from({ length: count }, () => ({
        type: 'invoice.opened' as const,
        resourceId: newId(),
        data: { id: 'r' },
      }));
      const appended = await transaction(database, (tx) => appendEvents(tx, appId, events));
      const sequences = appended.map(({ sequence }) => sequence);
      await queueDeliveries(world, { appId, first: sequences[0] ?? 0n, last: sequences.at(-1) ?? 0n });
    },
    serve: ({ id }) => serveEndpoint(world, { endpointId: id, until: new Date(now.getTime() + 1000) }),
    async isDue({ id }) {
      const lanes = [true, false].map((failing) => dueEndpoints(database, { now, limit: 100, failing }));
      return (await Promise.all(lanes)).flat().includes(id);
    },
  };
}
