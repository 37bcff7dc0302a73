/** The mutations of webhook endpoints. */
import { z } from 'zod';
import type { AttemptOutcome } from '../../../events/webhooks/attempt-delivery.ts';
import { createWebhookEndpoint } from '../../../events/webhooks/create-webhook-endpoint.ts';
import { deleteWebhookEndpoint } from '../../../events/webhooks/delete-webhook-endpoint.ts';
import { pingWebhookEndpoint } from '../../../events/webhooks/ping-webhook-endpoint.ts';
import { redeliverRange } from '../../../events/webhooks/redeliver-range.ts';
import { redeliverWebhook } from '../../../events/webhooks/redeliver-webhook.ts';
import { rotateWebhookSecret } from '../../../events/webhooks/rotate-webhook-secret.ts';
import { updateWebhookEndpoint } from '../../../events/webhooks/update-webhook-endpoint.ts';
import { createEndpointSchema, updateEndpointSchema } from '../../../events/webhooks/webhook-endpoint.ts';
import { builder } from '../server/builder.ts';
import type { GraphqlContext } from '../server/context.ts';
import { idempotencyOf } from '../server/idempotency.ts';
import { carryRules, checked, defineRules } from '../server/input.ts';
import { appScopeOf, scopeOf } from '../server/scope-of.ts';
import { byRealTime } from '../server/world.ts';
import { revealSecret, WebhookDeliveryRef, WebhookEndpointRef } from './webhook-endpoint.ts';

const EVENTS = 'Event types to send, or `*` for all.';
const ORDERED =
  'Strict order: an event is sent only after every earlier delivery has succeeded or its retries have all failed, which takes a day if the receiver keeps failing.';
const createRules = defineRules({ schema: createEndpointSchema });
const CreateWebhookEndpointInput = builder.inputType('CreateWebhookEndpointInput', {
  description: 'Input for creating a webhook endpoint.',
  extensions: carryRules(createRules),
  fields: (t) => ({
    url: t.field({ type: 'URL', required: true, description: 'An http or https URL outside private networks.' }),
    events: t.stringList({ required: true, description: EVENTS }),
    active: t.boolean({ description: 'Whether events are sent to the endpoint. Defaults to true.' }),
    ordered: t.boolean({ description: `${ORDERED} Defaults to false.` }),
  }),
});

const updateRules = defineRules({ schema: updateEndpointSchema });
const UpdateWebhookEndpointInput = builder.inputType('UpdateWebhookEndpointInput', {
  description: 'Changes to an endpoint. An absent field is unchanged.',
  extensions: carryRules(updateRules),
  fields: (t) => ({
    url: t.field({ type: 'URL', description: 'An http or https URL outside private networks.' }),
    events: t.stringList({ description: EVENTS }),
    active: t.boolean({ description: 'Whether events are sent to the endpoint. True also clears `disabledReason`.' }),
    ordered: t.boolean({ description: `${ORDERED} Takes effect with the next delivery.` }),
  }),
});

const WebhookPing = builder.objectRef<AttemptOutcome>('WebhookPing').implement({
  description: 'Result of a test ping.',
  fields: (t) => ({
    delivered: t.exposeBoolean('isDelivered', { description: 'Whether the receiver responded with 2xx.' }),
    responseStatus: t.exposeInt('responseStatus', { nullable: true, description: 'HTTP status of the response.' }),
    responseBody: t.exposeString('responseBody', {
      nullable: true,
      description: 'The first KiB of the response body.',
    }),
    error: t.exposeString('error', { nullable: true, description: 'Why there was no response.' }),
    latencyMs: t.exposeInt('latencyMs', {
      description: 'Time until the response or until the attempt was abandoned. 0 if the host has no public address.',
    }),
  }),
});

function webhookWorld({ world: { database, realClock: clock, config } }: Pick<GraphqlContext, 'world'>) {
  return { database, clock, privateAddresses: config.webhooks.privateAddresses };
}

const ofApp = 'The app. Required if the credential covers several apps.';

builder.mutationField('createWebhookEndpoint', (t) =>
  t.field({
    type: WebhookEndpointRef,
    description: 'Creates an endpoint. Its secret is returned only by this mutation.',
    authScopes: { write: true },
    args: {
      appId: t.arg.id({ description: ofApp }),
      input: t.arg({ type: CreateWebhookEndpointInput, required: true }),
    },
    resolve: async (_root, args, context) => {
      const input = checked(context, createRules, args.input);
      const { appId } = await appScopeOf(context, args);
      const call = { scopeId: appId, operation: 'createWebhookEndpoint', parameters: input };
      const idempotency = idempotencyOf(context, call);
      return revealSecret(await createWebhookEndpoint(webhookWorld(context), { appId, input, idempotency }));
    },
  }),
);

builder.mutationField('updateWebhookEndpoint', (t) =>
  t.field({
    type: WebhookEndpointRef,
    description: 'Changes an endpoint.',
    authScopes: { write: true },
    args: {
      appId: t.arg.id({ description: ofApp }),
      id: t.arg.id({ required: true, description: 'UUID of the object.' }),
      input: t.arg({ type: UpdateWebhookEndpointInput, required: true }),
    },
    resolve: async (_root, args, context) => {
      const input = checked(context, updateRules, args.input);
      return updateWebhookEndpoint(webhookWorld(context), { scope: await scopeOf(context, args), id: args.id, input });
    },
  }),
);

builder.mutationField('deleteWebhookEndpoint', (t) =>
  t.field({
    type: 'UUID',
    description: 'Deletes an endpoint with its deliveries and returns its ID.',
    authScopes: { write: true },
    args: {
      appId: t.arg.id({ description: ofApp }),
      id: t.arg.id({ required: true, description: 'UUID of the object.' }),
    },
    resolve: async (_root, args, context) => {
      await deleteWebhookEndpoint(context.world, { scope: await scopeOf(context, args), id: args.id });
      return args.id;
    },
  }),
);

builder.mutationField('rotateWebhookSecret', (t) =>
  t.field({
    type: WebhookEndpointRef,
    description:
      'Replaces the secret of an endpoint. The new secret is returned only by this mutation. For 24 hours, deliveries are signed with both secrets.',
    authScopes: { write: true },
    args: {
      appId: t.arg.id({ description: ofApp }),
      id: t.arg.id({ required: true, description: 'UUID of the object.' }),
    },
    resolve: async (_root, args, context) => {
      const scope = await scopeOf(context, args);
      const call = {
        scopeId: scope.appId ?? scope.merchantId,
        operation: 'rotateWebhookSecret',
        parameters: { id: args.id },
      };
      const idempotency = idempotencyOf(context, call);
      return revealSecret(await rotateWebhookSecret(byRealTime(context.world), { scope, id: args.id, idempotency }));
    },
  }),
);

builder.mutationField('pingWebhookEndpoint', (t) =>
  t.field({
    type: WebhookPing,
    description: 'Sends a signed webhook.ping at once and returns the result.',
    authScopes: { write: true },
    args: {
      appId: t.arg.id({ description: ofApp }),
      id: t.arg.id({ required: true, description: 'UUID of the object.' }),
    },
    resolve: async (_root, args, context) => {
      const scope = await scopeOf(context, args);
      const call = {
        scopeId: scope.appId ?? scope.merchantId,
        operation: 'pingWebhookEndpoint',
        parameters: { id: args.id },
      };
      return pingWebhookEndpoint(webhookWorld(context), {
        scope,
        id: args.id,
        idempotency: idempotencyOf(context, call),
      });
    },
  }),
);

builder.mutationField('redeliverWebhook', (t) =>
  t.field({
    type: WebhookDeliveryRef,
    description: 'Sends a delivery again with the same webhook-id.',
    authScopes: { write: true },
    args: {
      appId: t.arg.id({ description: ofApp }),
      deliveryId: t.arg.id({ required: true, description: "The delivery's UUID." }),
    },
    resolve: async (_root, { appId, deliveryId }, context) => {
      const scope = await scopeOf(context, { appId });
      const call = {
        scopeId: scope.appId ?? scope.merchantId,
        operation: 'redeliverWebhook',
        parameters: { deliveryId },
      };
      const idempotency = idempotencyOf(context, call);
      return redeliverWebhook(byRealTime(context.world), { scope, deliveryId, idempotency });
    },
  }),
);

const rangeRules = defineRules({
  schema: z.object({ endpointId: z.string(), from: z.int().min(1), to: z.int().min(1) }),
});
const RedeliverRangeInput = builder.inputType('RedeliverWebhooksInput', {
  description: "A range of an app's sequence.",
  extensions: carryRules(rangeRules),
  fields: (t) => ({
    endpointId: t.id({ required: true, description: "The endpoint's UUID." }),
    from: t.int({ required: true, description: 'The first sequence number.' }),
    to: t.int({ required: true, description: 'The last sequence number. A range has at most 10,000 events.' }),
  }),
});

builder.mutationField('redeliverWebhooks', (t) =>
  t.int({
    description: 'Sends all deliveries of a range to an endpoint again and returns their number.',
    authScopes: { write: true },
    args: { input: t.arg({ type: RedeliverRangeInput, required: true }) },
    resolve: async (_root, args, context) => {
      const input = checked(context, rangeRules, args.input);
      return redeliverRange(byRealTime(context.world), {
        scope: await scopeOf(context),
        endpointId: input.endpointId,
        from: BigInt(input.from),
        to: BigInt(input.to),
      });
    },
  }),
);
