/** The published shape of every event, JSON Schema 2020-12: `schema/events.json`. */
import { type GraphQLField, type GraphQLSchema, getNamedType, isLeafType, isNonNullType, isObjectType } from 'graphql';
import { type EventType, eventTypes } from '../../events/event-type.ts';
import { payoutRoles } from '../../payments/payouts/payout.ts';
import { renewalCauseCodes } from '../../subscriptions/renewal/renewal-cause.ts';
import { type Components, type JsonSchema, leafSchema, nullable } from '../rest/openapi/json-schema.ts';

/** What an event's `data` holds, by the first word of its type: the scalar fields of that GraphQL type. */
const dataTypes: Record<string, string> = {
  payment_intent: 'PaymentIntent',
  dispute: 'Dispute',
  subscription: 'Subscription',
  invoice: 'Invoice',
  checkout_session: 'CheckoutSession',
  customer: 'CustomerAccount',
  webhook_endpoint: 'WebhookEndpoint',
};

const id: JsonSchema = { type: 'string', format: 'uuid' };
const failedRenewal: Record<string, JsonSchema> = {
  invoiceId: id,
  paymentIntentId: nullable(id),
  lastError: {
    type: 'object',
    description: 'Why the charge failed.',
    properties: { code: { enum: [...renewalCauseCodes] }, message: { type: 'string' } },
    required: ['code', 'message'],
  },
  nextAttemptAt: { type: 'string', format: 'date-time', description: 'When it is looked at next.' },
};

const text: JsonSchema = { type: 'string' };
const instant: JsonSchema = { type: 'string', format: 'date-time' };
const undeliveredPayout: JsonSchema = {
  type: 'object',
  description: 'The payout: to whom, how much, and what its recipient can do.',
  properties: {
    id,
    role: { enum: [...payoutRoles] },
    recipient: { ...text, description: 'The address, with its checksum.' },
    chainId: { type: 'integer' },
    tokenKey: text,
    amount: { ...text, description: 'Base units.' },
    formatted: { ...text, description: 'Whole tokens, a decimal string.' },
    since: { ...instant, description: 'Block time at which it could not be paid.' },
    txHash: { ...text, description: 'The transaction that could not pay it.' },
    advice: { ...text, description: 'What its recipient can do, in words.' },
    deliveredTo: { ...nullable(text), description: 'Where the claim sent it; null while it is undelivered.' },
    deliveredTxHash: { ...nullable(text), description: 'The claim.' },
    deliveredAt: { ...nullable(instant), description: 'Block time of the claim.' },
  },
  required: ['id', 'role', 'recipient', 'chainId', 'tokenKey', 'amount', 'formatted', 'since', 'txHash', 'advice'],
};

/** What some events tell beside the resource's own fields. */
const furtherData: { [Type in EventType]?: Record<string, JsonSchema> } = {
  'payment_intent.payout_undelivered': { payout: undeliveredPayout },
  'payment_intent.payout_delivered': { payout: undeliveredPayout },
  'subscription.renewed': { invoiceId: id },
  'subscription.payment_failed': failedRenewal,
  'subscription.past_due': failedRenewal,
  'webhook_endpoint.disabled': { reason: { type: 'string', description: 'The older name of `disabledReason`.' } },
};

/** Secrets, which are told to their owner once, and the number that an event has beside its data. */
const untold = new Set(['secret', 'clientSecret', 'sequence']);

export function eventSchemas(schema: GraphQLSchema): JsonSchema {
  const components: Components = new Map();
  const definitions: Record<string, JsonSchema> = {};
  for (const type of eventTypes) definitions[type] = envelope(type, dataSchema(schema, components, type));
  const document = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Events of Sluice',
    description: 'What webhooks carry and GET /events lists. New types and new fields of data may be added.',
    oneOf: eventTypes.map((type) => ({ $ref: `#/$defs/${type}` })),
    $defs: { ...definitions, ...Object.fromEntries(components) },
  };
  return JSON.parse(JSON.stringify(document).replaceAll('#/components/schemas/', '#/$defs/'));
}

function envelope(type: string, data: JsonSchema): JsonSchema {
  const finality = {
    type: 'object',
    description: 'Of facts of a chain: how deep they lie.',
    properties: {
      confirmations: { type: 'integer' },
      required: { type: 'integer' },
      isFinal: { type: 'boolean' },
    },
    required: ['confirmations', 'required', 'isFinal'],
  };
  return {
    type: 'object',
    properties: {
      id: { type: 'string', format: 'uuid', description: 'Stable: also the header webhook-id.' },
      type: { const: type },
      sequence: { type: 'integer', minimum: 1, description: "Its number in the app's sequence, without gaps." },
      timestamp: { type: 'string', format: 'date-time' },
      appId: { type: 'string', format: 'uuid' },
      data,
      finality,
    },
    required: ['id', 'type', 'sequence', 'timestamp', 'appId', 'data'],
  };
}

function dataSchema(schema: GraphQLSchema, components: Components, eventType: EventType): JsonSchema {
  const type = schema.getType(dataTypes[eventType.split('.')[0] ?? ''] ?? '');
  if (!isObjectType(type)) return { type: 'object' };
  const properties: Record<string, JsonSchema> = {};
  for (const field of Object.values(type.getFields())) {
    if (untold.has(field.name) || field.args.length > 0) continue;
    const described = fieldSchema(components, field);
    if (described) properties[field.name] = described;
  }
  return { type: 'object', properties: { ...properties, ...furtherData[eventType] }, required: ['id'] };
}

function fieldSchema(components: Components, field: GraphQLField<unknown, unknown>): JsonSchema | undefined {
  const named = getNamedType(field.type);
  if (!isLeafType(named)) return undefined;
  const inner = isNonNullType(field.type) ? field.type.ofType : field.type;
  const leaf = leafSchema(components, named);
  const shaped = inner === named ? leaf : { type: 'array', items: leaf };
  return isNonNullType(field.type) ? shaped : nullable(shaped);
}
