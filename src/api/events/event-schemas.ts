/** The published schema of every event in JSON Schema 2020-12, for `schema/events.json` and the webhooks of the OpenAPI document. */
import { type GraphQLField, type GraphQLSchema, getNamedType, isLeafType, isNonNullType, isObjectType } from 'graphql';
import { type EventType, eventTypes } from '../../events/event-type.ts';
import { payoutRoles } from '../../payments/payouts/payout.ts';
import { renewalCauseCodes } from '../../subscriptions/renewal/renewal-cause.ts';
import { type Components, type JsonSchema, leafSchema, nullable } from '../rest/openapi/json-schema.ts';
import { eventExample } from './event-examples.ts';
import { eventWords } from './event-words.ts';

/** The GraphQL type whose scalar fields an event's `data` contains, by the first word of the event type. */
const dataTypes: Record<string, string> = {
  payment_intent: 'PaymentIntent',
  dispute: 'Dispute',
  subscription: 'Subscription',
  invoice: 'Invoice',
  checkout_session: 'CheckoutSession',
  payment_link: 'PaymentLink',
  facilitated_payment: 'FacilitatedPayment',
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
  nextAttemptAt: {
    type: ['string', 'null'],
    format: 'date-time',
    description:
      'Time at which the renewal is next tried or checked. Null for the final invoice of a subscription, which is charged once.',
  },
};

const text: JsonSchema = { type: 'string' };
const instant: JsonSchema = { type: 'string', format: 'date-time' };
const undeliveredPayout: JsonSchema = {
  type: 'object',
  description: 'The payout: its recipient, its amount, and what the recipient can do.',
  properties: {
    id,
    role: { enum: [...payoutRoles] },
    recipient: { ...text, description: 'Address of the recipient, with its checksum.' },
    chainId: { type: 'integer' },
    tokenKey: text,
    amount: { ...text, description: 'Amount in base units.' },
    formatted: { ...text, description: 'Whole tokens, as a decimal string.' },
    since: { ...instant, description: 'Block time at which it could not be paid.' },
    txHash: {
      ...nullable(text),
      description:
        'Hash of the transaction in which the payout failed. Null on Solana while the payout waits to be sent.',
    },
    keptAt: {
      ...nullable(text),
      description: 'The account that keeps it on Solana. Null on EVM chains, where the escrow contract keeps it.',
    },
    advice: { ...text, description: 'What the recipient can do to receive the payout.' },
    deliveredTo: {
      ...nullable(text),
      description: 'Address to which the claim sent it. Null while it is undelivered.',
    },
    deliveredTxHash: { ...nullable(text), description: 'Hash of the claim transaction. Null while it is undelivered.' },
    deliveredAt: { ...nullable(instant), description: 'Block time of the claim. Null while it is undelivered.' },
  },
  required: ['id', 'role', 'recipient', 'chainId', 'tokenKey', 'amount', 'formatted', 'since', 'txHash', 'advice'],
};

const transfer: JsonSchema = {
  type: 'object',
  description: 'The plain transfer that the event is about. Absent for other events.',
  properties: {
    chainId: { type: 'integer' },
    address: { ...text, description: 'The deposit address.' },
    tokenKey: text,
    amount: { ...text, description: 'Expected amount, in base units.' },
    received: { ...text, description: 'Amount of the token received at the address, in base units.' },
    returned: { ...text, description: 'Amount of the token returned to the refund address, in base units.' },
    refundAddress: { ...text, description: 'Address that receives everything that is not part of the payment.' },
    expiresAt: { ...instant, description: 'Time by which the payer should send the transfer.' },
    payBy: { ...instant, description: 'Latest block time at which the transfer is still collected.' },
  },
  required: ['chainId', 'address', 'tokenKey', 'amount', 'received', 'returned', 'refundAddress', 'expiresAt', 'payBy'],
};
const deposit: JsonSchema = {
  type: 'object',
  description: 'The deposit that the address received, or the return that it sent.',
  properties: {
    chainId: { type: 'integer' },
    tokenKey: text,
    amount: { ...text, description: 'Amount in base units.' },
    recipient: { ...text, description: 'The deposit address; for a return, the refund address.' },
    txHash: {
      ...nullable(text),
      description: 'Hash of the transaction of a return. Null for a deposit, which is detected as a change of balance.',
    },
  },
  required: ['chainId', 'tokenKey', 'amount', 'recipient', 'txHash'],
};

const sessionFurther: Record<string, JsonSchema> = {
  subscriptionId: { ...nullable(id), description: 'The subscription that the session begins. Null for a payment.' },
  lastError: {
    type: ['object', 'null'],
    description: "Why the payer's latest payment attempt failed. Null if it did not fail.",
    properties: { code: text, message: text },
    required: ['code', 'message'],
  },
  items: {
    type: 'array',
    description: 'Line items.',
    items: {
      type: 'object',
      properties: {
        id,
        name: text,
        description: nullable(text),
        amount: { ...text, description: 'Price of one unit, as a decimal string.' },
        currency: text,
        quantity: { type: 'integer', minimum: 1 },
        taxAmount: { ...text, description: 'Tax on the whole line, as a decimal string.' },
        discountAmount: { ...text, description: 'Discount of the coupon on the whole line, as a decimal string.' },
        productPlanId: nullable(id),
        productPlanPriceId: nullable(id),
      },
      required: ['id', 'name', 'amount', 'currency', 'quantity', 'taxAmount', 'discountAmount'],
    },
  },
};

const submission: JsonSchema = {
  type: 'object',
  description: 'The submitted evidence, without its content.',
  properties: {
    kind: { enum: ['EVIDENCE', 'FILE'] },
    id,
    party: { enum: ['PAYER', 'MERCHANT'], description: 'The side that submitted it.' },
    createdAt: instant,
    name: { ...nullable(text), description: 'Name of the file. Null for an entry.' },
    contentType: {
      ...nullable(text),
      description: 'Content type of the file, detected from its first bytes. Null for an entry.',
    },
    sizeBytes: { type: ['integer', 'null'], description: 'Size of the file. Null for an entry.' },
  },
  required: ['kind', 'id', 'party', 'createdAt', 'name', 'contentType', 'sizeBytes'],
};

const reportedConsent: JsonSchema = {
  type: 'object',
  properties: {
    id: { ...text, description: 'The EIP-712 struct hash of the consent.' },
    chainId: { type: 'integer' },
    tokenKey: text,
    walletAddress: { ...text, description: 'The wallet that signed, with its checksum.' },
    capPerPeriod: { ...text, description: 'Maximum charge for a period, in base units.' },
  },
  required: ['id', 'chainId', 'tokenKey', 'walletAddress', 'capPerPeriod'],
};

/** Objects that all events of a type's resource contain. */
const ownObjects: Record<string, Record<string, JsonSchema>> = {
  PaymentIntent: {
    x402: {
      type: ['object', 'null'],
      description: 'The paid API call (x402) that it pays. Null for every other payment intent.',
      properties: {
        resource: { ...text, description: 'The URL of the resource.' },
        scheme: { ...text, description: '`exact` or `escrow`.' },
        network: { ...text, description: 'The chain as a CAIP-2 name, such as eip155:8453.' },
      },
      required: ['resource', 'scheme', 'network'],
    },
  },
};

/** Fields that some events contain in addition to those of the resource. */
const furtherData: { [Type in EventType]?: Record<string, JsonSchema> } = {
  'payment_intent.payout_undelivered': { payout: undeliveredPayout },
  'payment_intent.payout_delivered': { payout: undeliveredPayout },
  'dispute.evidence_submitted': { submission },
  'payment_intent.pending': { transfer },
  'payment_intent.reverted': { transfer },
  'payment_intent.mispaid': { transfer, deposit },
  'payment_intent.overpaid': { transfer, deposit },
  'payment_intent.deposit_returned': { transfer, deposit },
  'subscription.renewed': { invoiceId: id },
  'subscription.payment_failed': failedRenewal,
  'subscription.past_due': failedRenewal,
  'subscription.usage_above_cap': {
    invoiceId: { ...id, description: 'The invoice that is charged within the limit.' },
    aboveCapInvoiceId: { ...id, description: 'The open invoice for the amount above the limit.' },
    amountAboveCap: { type: 'string', description: 'Total of that open invoice, as a decimal string.' },
    currency: { type: 'string' },
  },
  'subscription.consent_replaced': {
    previousConsent: {
      ...reportedConsent,
      type: ['object', 'null'],
      description: 'The previous consent, under which nothing is charged any more. Null if there was none.',
    },
    consent: { ...reportedConsent, description: 'The consent under which the subscription is charged from now on.' },
  },
  'checkout_session.completed': sessionFurther,
  'checkout_session.expired': sessionFurther,
  'webhook_endpoint.disabled': {
    reason: { type: 'string', description: 'An alias of `disabledReason`, for older clients.' },
  },
};

/** Fields that no event contains in its data: secrets, which are returned to their owner once, and `sequence`, which is in the envelope. */
const undocumented = new Set(['secret', 'clientSecret', 'sequence']);

export function eventSchemas(schema: GraphQLSchema): JsonSchema {
  const components: Components = new Map();
  const definitions: Record<string, JsonSchema> = {};
  for (const type of eventTypes) {
    const { data, further } = dataSchema(schema, components, type);
    definitions[type] = {
      description: eventWords[type],
      ...envelope(type, object({ ...data, ...further })),
      examples: [eventExample(type)],
    };
  }
  const document = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Events of Sluice',
    description:
      'An event, as webhooks carry it and GET /events lists it. New types, and new fields in `data`, may be added.',
    oneOf: eventTypes.map((type) => ({ $ref: `#/$defs/${type}` })),
    $defs: { ...definitions, ...Object.fromEntries(components) },
  };
  return JSON.parse(JSON.stringify(document).replaceAll('#/components/schemas/', '#/$defs/'));
}

/** Describes the webhooks of an OpenAPI document, one per event type. Their schemas become components. */
export function describeWebhooks(schema: GraphQLSchema, components: Components): Record<string, JsonSchema> {
  const webhooks: Record<string, JsonSchema> = {};
  for (const type of eventTypes) {
    const { data, further } = dataSchema(schema, components, type);
    const dataName = `${pascal(type.split('.')[0] ?? '')}EventData`;
    components.set(dataName, {
      description: 'Scalar fields of the resource at the time of the event.',
      ...object(data),
    });
    const shared = { $ref: `#/components/schemas/${dataName}` };
    const name = `${pascal(type)}Event`;
    const eventSchema = further ? { allOf: [shared, { type: 'object', properties: further }] } : shared;
    components.set(name, { description: eventWords[type], ...envelope(type, eventSchema) });
    webhooks[type] = { post: webhookOperation(type, name) };
  }
  return webhooks;
}

function webhookOperation(type: EventType, component: string): JsonSchema {
  return {
    operationId: `on${pascal(type)}`,
    tags: ['Webhooks'],
    summary: `The event ${type}`,
    description: eventWords[type],
    security: [],
    parameters: deliveryHeaders,
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: { $ref: `#/components/schemas/${component}` }, example: eventExample(type) },
      },
    },
    responses: {
      '2XX': {
        description: 'The event is delivered. It is retried after any other response, or if there is none within 15 s.',
      },
      '410': { description: 'The event is not delivered, and the endpoint is disabled.' },
    },
  };
}

/** The headers of Standard Webhooks. */
const deliveryHeaders = [
  ['webhook-id', 'The `id` of the event, which is the same in every attempt.'],
  ['webhook-timestamp', 'Time of this attempt, in Unix seconds.'],
  [
    'webhook-signature',
    '`v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64. While a secret is being rotated, there are two of them.',
  ],
].map(([name, description]) => ({ name, in: 'header', required: true, description, schema: { type: 'string' } }));

function pascal(name: string): string {
  return name.replace(/(?:^|[._])(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

function envelope(type: string, data: JsonSchema): JsonSchema {
  const finality = {
    type: 'object',
    description: 'Finality of the on-chain event that caused this event. Absent for other events.',
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
      id: {
        type: 'string',
        format: 'uuid',
        description: 'Stable ID of the event, which is also the header webhook-id.',
      },
      type: { const: type },
      sequence: {
        type: 'integer',
        minimum: 1,
        description: "Number of the event in the app's sequence, which has no gaps.",
      },
      timestamp: { type: 'string', format: 'date-time' },
      appId: { type: 'string', format: 'uuid' },
      data,
      finality,
    },
    required: ['id', 'type', 'sequence', 'timestamp', 'appId', 'data'],
  };
}

/** Returns the schema of `data`: the fields that all events of the resource have, and the further fields of this type. */
function dataSchema(
  schema: GraphQLSchema,
  components: Components,
  eventType: EventType,
): { data: Record<string, JsonSchema>; further: Record<string, JsonSchema> | undefined } {
  const type = schema.getType(dataTypes[eventType.split('.')[0] ?? ''] ?? '');
  if (!isObjectType(type)) throw new TypeError(`No type describes the data of ${eventType}.`);
  const data: Record<string, JsonSchema> = {};
  for (const field of Object.values(type.getFields())) {
    if (undocumented.has(field.name) || field.args.length > 0) continue;
    const described = fieldSchema(components, field);
    if (described) data[field.name] = described;
  }
  return { data: { ...data, ...ownObjects[type.name] }, further: furtherData[eventType] };
}

function object(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', properties, required: ['id'] };
}

function fieldSchema(components: Components, field: GraphQLField<unknown, unknown>): JsonSchema | undefined {
  const named = getNamedType(field.type);
  if (!isLeafType(named)) return undefined;
  const inner = isNonNullType(field.type) ? field.type.ofType : field.type;
  const leaf = leafSchema(components, named);
  const shaped = inner === named ? leaf : { type: 'array', items: leaf };
  return isNonNullType(field.type) ? shaped : nullable(shaped);
}
