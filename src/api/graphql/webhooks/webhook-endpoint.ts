/** The WebhookEndpoint, WebhookDelivery and WebhookAttempt types, and the query webhookEndpoints. */
import { eventBody } from '../../../events/event-body.ts';
import { builder, NodeRef } from '../server/builder.ts';
import { byId } from '../server/lists/keyset.ts';
import { connectionOf, relatedConnection } from '../server/lists/related-connection.ts';
import { scopeOf } from '../server/scope-of.ts';
import { byGatewayClock } from '../server/world.ts';

const ENDPOINTS_LISTED = 100;

/** Rows that have just been created or rotated, whose secret is returned to the caller. */
const rowsWithSecret = new WeakSet<object>();

/** Marks a row whose secret may be returned in this response. */
export function revealSecret<Row extends object>(endpoint: Row): Row {
  rowsWithSecret.add(endpoint);
  return endpoint;
}

export const WebhookEndpointRef = builder.prismaObject('WebhookEndpoint', {
  description: 'A URL that receives the events of an app according to the Standard Webhooks specification.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    appId: t.expose('appId', { type: 'UUID', description: 'The app.' }),
    url: t.exposeString('url', { description: 'The URL that receives the events.' }),
    events: t.exposeStringList('events', { description: 'The event types, or *.' }),
    active: t.exposeBoolean('active', { description: 'Whether events are sent to the endpoint.' }),
    ordered: t.exposeBoolean('ordered', {
      description:
        'Whether deliveries are strictly in the order of the sequence: an event is sent only after every earlier delivery has succeeded or its retries have all failed.',
    }),
    disabledReason: t.exposeString('disabledReason', {
      extensions: { rest: false },
      nullable: true,
      description: 'Why the gateway disabled it.',
    }),
    secret: t.string({
      extensions: { rest: false },
      nullable: true,
      description: 'Secret, which begins with whsec_. Returned only when it is created or rotated.',
      resolve: (endpoint) => (rowsWithSecret.has(endpoint) ? endpoint.secret : null),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
  }),
});

export const WebhookDeliveryStatusEnum = builder.enumType('WebhookDeliveryStatus', {
  description: 'Status of a delivery.',
  values: {
    PENDING: { value: 'PENDING', description: 'Waiting for the next attempt.' },
    DELIVERED: { value: 'DELIVERED', description: 'The receiver responded with 2xx.' },
    FAILED: { value: 'FAILED', description: 'All attempts failed, or the receiver responded with 410.' },
  } as const,
});

const WebhookAttemptRef = builder.prismaObject('WebhookAttempt', {
  description: 'An attempt to deliver an event.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    responseStatus: t.exposeInt('responseStatus', { nullable: true, description: 'HTTP status of the response.' }),
    responseBody: t.exposeString('responseBody', {
      nullable: true,
      description: 'The first KiB of the response body.',
    }),
    error: t.exposeString('error', { nullable: true, description: 'Why there was no response.' }),
    latencyMs: t.exposeInt('latencyMs', {
      description: 'Time until the response or until the attempt was abandoned. 0 if the host has no public address.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
  }),
});

export const WebhookDeliveryRef = builder.prismaObject('WebhookDelivery', {
  description: 'The delivery of one event to one endpoint.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    webhookId: t.expose('webhookId', { type: 'UUID', description: 'The endpoint.' }),
    eventId: t.expose('eventId', {
      type: 'UUID',
      description: 'ID of the event, which is also the header `webhook-id`.',
    }),
    event: t.exposeString('event', { description: 'Type of the event.' }),
    payload: t.field({
      type: 'JSONObject',
      description: 'The payload.',
      select: { source: true },
      resolve: (delivery) => eventBody(delivery.source),
    }),
    status: t.expose('status', { type: WebhookDeliveryStatusEnum, description: 'Current status.' }),
    attempts: t.exposeInt('attempts', { description: 'Number of attempts so far.' }),
    responseStatus: t.exposeInt('responseStatus', {
      nullable: true,
      description: 'HTTP status of the latest attempt. Null if there was no response.',
    }),
    responseBody: t.exposeString('responseBody', {
      nullable: true,
      description: 'Response to the latest attempt, or why there was none.',
    }),
    nextRetryAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Time of the next attempt.',
      select: { nextRetryAt: true },
      resolve: ({ nextRetryAt }, _args, { world }) => nextRetryAt && byGatewayClock(world, nextRetryAt),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which it was queued.' }),
    deliveredAt: t.expose('deliveredAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the 2xx response.',
    }),
    tries: t.relation('tries', {
      description: 'All attempts, oldest first.',
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
  description: 'Deliveries to the endpoint, newest first.',
  authScopes: { read: true },
});

relatedConnection(WebhookDeliveryRef, 'triesConnection', {
  model: 'WebhookDelivery',
  relation: 'tries',
  type: connectionOf(WebhookAttemptRef),
  selects: 'WebhookAttempt',
  keyset: byId('OLDEST'),
  description: 'All attempts, oldest first.',
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
