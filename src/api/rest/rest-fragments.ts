/**
 * The fields that REST returns, derived from the GraphQL types, so that a new field of a type needs no other list. A fragment has, in the
 * order of their definition, the fields of its type that take no arguments and hold a scalar or an enum. A field of the type definition
 * overrides this by its extension `rest`: `false` excludes it from REST; `true` includes an object or a list of objects with that type's
 * own fields; a list of names includes it with these fields only. Documents in `schema/rest` spread the fragments; a selection that differs
 * from one operation to the next is written there manually.
 */
import { type GraphQLField, type GraphQLObjectType, getNamedType, isLeafType, isObjectType } from 'graphql';
import { schemaAsDefined } from '../graphql/schema.ts';

/** Each fragment and its type. */
const fragmentTypes: { readonly [fragment: string]: string } = {
  AppFields: 'App',
  AuditEntryFields: 'AuditEntry',
  ChainInfoFields: 'ChainInfo',
  CheckoutSessionFields: 'CheckoutSession',
  CouponFields: 'Coupon',
  CustomerAccountFields: 'CustomerAccount',
  CustomerWalletFields: 'CustomerWallet',
  DisputeEvidenceFields: 'DisputeEvidence',
  DisputeFields: 'Dispute',
  DisputeFileFields: 'DisputeFile',
  DisputePaymentFields: 'DisputePayment',
  DisputeRequestFields: 'DisputeRequest',
  DisputeResolutionFields: 'DisputeResolution',
  DisputeTermsFields: 'DisputeTerms',
  EventFields: 'Event',
  FacilitatedPaymentFields: 'FacilitatedPayment',
  InvoiceFields: 'Invoice',
  InvoiceItemFields: 'InvoiceItem',
  LiabilitySnapshotFields: 'LiabilitySnapshot',
  LinkedAccountFields: 'LinkedAccount',
  PaymentIntentFields: 'PaymentIntent',
  PaymentLinkScalarFields: 'PaymentLink',
  PaymentTransferFields: 'PaymentTransfer',
  ProductPlanPriceFields: 'ProductPlanPrice',
  ProductPlanScalarFields: 'ProductPlan',
  RefundFields: 'RefundRequest',
  SubscriptionFields: 'Subscription',
  TaxRateFields: 'TaxRate',
  TestClockFields: 'TestClock',
  TransactionFields: 'Transaction',
  UndeliveredPayoutFields: 'UndeliveredPayout',
  WebhookDeliveryFields: 'WebhookDelivery',
  WebhookEndpointFields: 'WebhookEndpoint',
};

const HEADER = '# Printed from the GraphQL types by src/api/rest/rest-fragments.ts: run "npm run generate".';

/** The text of schema/rest/fragments/derived.graphql. */
export function printRestFragments(): string {
  const types = schemaAsDefined().getTypeMap();
  const fragments = Object.entries(fragmentTypes).map(([fragment, name]) => {
    const type = types[name];
    if (!isObjectType(type)) throw new TypeError(`${fragment} is of ${name}, which is not an object type.`);
    return `fragment ${fragment} on ${name} ${block(type, '')}`;
  });
  return `${[HEADER, ...fragments].join('\n\n')}\n`;
}

function block(type: GraphQLObjectType, indent: string, only?: readonly string[]): string {
  const inner = `${indent}  `;
  const fields = Object.values(type.getFields()).filter((field) => only?.includes(field.name) ?? isInRest(type, field));
  const missing = only?.filter((name) => !fields.some((field) => field.name === name)) ?? [];
  if (missing.length > 0) throw new TypeError(`${type.name} has no field ${missing.join(', ')}.`);
  const lines = fields.map((field) => `${inner}${field.name}${selection(field, inner)}`);
  return `{\n${lines.join('\n')}\n${indent}}`;
}

type Field = GraphQLField<unknown, unknown>;

function isInRest(type: GraphQLObjectType, field: Field): boolean {
  const wanted = wantedOf(type, field);
  if (wanted !== undefined) return wanted !== false;
  return field.args.length === 0 && isLeafType(getNamedType(field.type));
}

function wantedOf(type: GraphQLObjectType, { name, extensions }: Field): boolean | readonly string[] | undefined {
  const { rest } = extensions;
  if (rest === undefined || typeof rest === 'boolean') return rest;
  if (Array.isArray(rest) && rest.every((each) => typeof each === 'string')) return rest;
  throw new TypeError(`The extension "rest" of ${type.name}.${name} is neither a boolean nor a list of field names.`);
}

function selection({ type, extensions }: Field, indent: string): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  if (Array.isArray(extensions.rest)) return ` ${block(named, indent, extensions.rest)}`;
  const fragment = Object.keys(fragmentTypes).find((name) => fragmentTypes[name] === named.name);
  return ` ${fragment === undefined ? block(named, indent) : `{\n${indent}  ...${fragment}\n${indent}}`}`;
}
