/** The WebhookEndpoint, WebhookDelivery and WebhookAttempt types, and the query webhookEndpoints. */
import { eventBody } from '../../../events/event-body.ts';
import { builder, NodeRef } from '../server/builder.ts';
import { byId } from '../server/lists/keyset.ts';
import { connectionOf, relatedConnection } from '../server/lists/related-connection.ts';
import { scopeOf } from '../server/scope-of.ts';
import { byGatewayClock } from '../server/world.ts';

const ENDPOINTS_LISTED = 100;

/** Only a row that has just been made or rotated carries its secret to the caller. */
const secretTold = new WeakSet<object>();

/** Marks a row whose secret may be told in this answer. */
export function tellingSecret<Row extends object>(endpoint: Row): Row {
  secretTold.add(endpoint);
  return endpoint;
}

export const WebhookEndpointRef = builder.prismaObject('WebhookEndpoint', {
  description: 'A URL that receives the events of an app, as Standard Webhooks describes.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    appId: t.expose('appId', { type: 'UUID', description: 'The app.' }),
    url: t.exposeString('url', { description: 'The URL that receives the events.' }),
    events: t.exposeStringList('events', { description: 'The event types, or *.' }),
    active: t.exposeBoolean('active', { description: 'Whether events are sent to the endpoint.' }),
    ordered: t.exposeBoolean('ordered', {
      description:
        'Whether deliveries are strictly in the order of the sequence: nothing is sent before every earlier delivery has succeeded or its tries are spent.',
    }),
    disabledReason: t.exposeString('disabledReason', { nullable: true, description: 'Why the gateway gave it up.' }),
    secret: t.string({
      nullable: true,
      description: 'whsec_…; only in the answer that made or rotated it.',
      resolve: (endpoint) => (secretTold.has(endpoint) ? endpoint.secret : null),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
  }),
});

export const WebhookDeliveryStatusEnum = builder.enumType('WebhookDeliveryStatus', {
  description: 'Where a delivery is.',
  values: {
    PENDING: { value: 'PENDING', description: 'To be tried, or tried again.' },
    DELIVERED: { value: 'DELIVERED', description: 'The receiver answered 2xx.' },
    FAILED: { value: 'FAILED', description: 'Every try is spent, or the receiver answered 410.' },
  } as const,
});

const WebhookAttemptRef = builder.prismaObject('WebhookAttempt', {
  description: 'One try of a delivery.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    responseStatus: t.exposeInt('responseStatus', { nullable: true, description: "The receiver's HTTP status." }),
    responseBody: t.exposeString('responseBody', { nullable: true, description: 'The first KiB of its answer.' }),
    error: t.exposeString('error', { nullable: true, description: 'Why no answer came.' }),
    latencyMs: t.exposeInt('latencyMs', {
      description: 'Until the answer, or until it was given up; 0 where the host has no public address.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
  }),
});

export const WebhookDeliveryRef = builder.prismaObject('WebhookDelivery', {
  description: 'One event on its way to one endpoint.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    webhookId: t.expose('webhookId', { type: 'UUID', description: 'The endpoint.' }),
    eventId: t.expose('eventId', { type: 'UUID', description: 'The event, and the header webhook-id.' }),
    event: t.exposeString('event', { description: "The event's type." }),
    payload: t.field({
      type: 'JSONObject',
      description: 'What is sent.',
      select: { source: true },
      resolve: (delivery) => eventBody(delivery.source),
    }),
    status: t.expose('status', { type: WebhookDeliveryStatusEnum, description: 'Current status.' }),
    attempts: t.exposeInt('attempts', { description: 'Tries so far.' }),
    responseStatus: t.exposeInt('responseStatus', { nullable: true, description: 'Of the latest try.' }),
    responseBody: t.exposeString('responseBody', {
      nullable: true,
      description: 'Of the latest try, or why none came.',
    }),
    nextRetryAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'The next try.',
      select: { nextRetryAt: true },
      resolve: ({ nextRetryAt }, _args, { world }) => nextRetryAt && byGatewayClock(world, nextRetryAt),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which it was queued.' }),
    deliveredAt: t.expose('deliveredAt', { type: 'DateTime', nullable: true, description: 'When 2xx came.' }),
    tries: t.relation('tries', {
      description: 'Every try, oldest first.',
      query: { orderBy: { id: 'asc' }, take: 100 },
    }),
  }),
});

relatedConnection(WebhookEndpointRef, 'deliveries', {
  model: 'WebhookEndpoint',
  relation: 'deliveries',
  // The list of the query webhookDeliveries has the type WebhookDeliveryEdge, with cursors of its own.
  type: connectionOf(WebhookDeliveryRef, 'WebhookEndpointDeliveries'),
  selects: 'WebhookDelivery',
  keyset: byId('NEWEST'),
  description: 'Its deliveries, newest first.',
  authScopes: { read: true },
});

relatedConnection(WebhookDeliveryRef, 'triesConnection', {
  model: 'WebhookDelivery',
  relation: 'tries',
  type: connectionOf(WebhookAttemptRef),
  selects: 'WebhookAttempt',
  keyset: byId('OLDEST'),
  description: 'Every try, oldest first.',
});

builder.queryField('webhookEndpoints', (t) =>
  t.prismaField({
    type: ['WebhookEndpoint'],
    description: 'The webhook endpoints of an app, or of all apps of the caller, oldest first.',
    authScopes: { read: true },
    args: { appId: t.arg.id({ description: 'Only this app.' }) },
    resolve: async (query, _root, args, context) => {
      const scope = await scopeOf(context, args);
      return context.database.webhookEndpoint.findMany({
        ...query,
        where: scope.appId === null ? {} : { appId: scope.appId },
        orderBy: { id: 'asc' },
        take: ENDPOINTS_LISTED,
      });
    },
  }),
);
