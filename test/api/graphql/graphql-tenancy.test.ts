/** Every root field with an ID argument returns the same for another merchant's ID as for a missing one. */
import {
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { schema } from '../../../src/api/graphql/schema.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { type GraphqlFault, openApi, type TestApi } from '../../setup/api/api.ts';
import { followSse } from '../../setup/api/live.ts';
import { makeTenantRows, type TenantRows } from '../../setup/database/tenant-rows.ts';

type Kind = keyof TenantRows;
type Case = { root: GraphQLObjectType; operation: string; field: string; path: string[]; kind: Kind };

let api: TestApi;
let theirs: TenantRows;
let ours: TenantRows;
let before: string;
beforeAll(async () => {
  api = await openApi();
  theirs = await makeTenantRows(api.database, api.merchantA);
  ours = await makeTenantRows(api.database, api.merchantB);
  before = await fingerprint();
});

/** The kind by the argument's name. For `id`, the field's name decides. */
const kindsByName: Record<string, Kind> = {
  appId: 'app',
  customerAccountId: 'customer',
  customerId: 'customer',
  walletId: 'wallet',
  productPlanId: 'plan',
  productPlanPriceId: 'price',
  priceId: 'price',
  taxRateId: 'taxRate',
  couponId: 'coupon',
  invoiceId: 'invoice',
  paymentIntentId: 'intent',
  paymentLinkId: 'link',
  subscriptionId: 'subscription',
  endpointId: 'endpoint',
  deliveryId: 'delivery',
  cursor: 'delivery',
  quoteId: 'quote',
  resourceId: 'intent',
  ids: 'intent',
  actorId: 'apiKey',
};
const kindsByField: [RegExp, Kind][] = [
  [/^nodes?$/, 'intent'],
  [/SubscriptionCoupon$/, 'subscription'],
  [/checkout/i, 'session'],
  [/^facilitatedPayment/, 'facilitated'],
  [/paymentIntent|^openDispute$|^deliverPayouts$/i, 'intent'],
  [/dispute/i, 'dispute'],
  [/customer/i, 'customer'],
  [/link/i, 'link'],
  [/^(update|delete)ProductPlanPrice$/, 'price'],
  [/plan/i, 'plan'],
  [/taxRate/i, 'taxRate'],
  [/coupon/i, 'coupon'],
  [/invoice/i, 'invoice'],
  [/subscription/i, 'subscription'],
  [/webhook/i, 'endpoint'],
  [/apiKey/i, 'apiKey'],
  [/^(update)?app$/i, 'app'],
];
/** Fields of the card API, of tokens and of public snapshots. Their IDs do not belong to merchants and have their own tests. */
const notOfMerchants = /onetime|session(?!s?Page)|Account$|member|otp|login|liabilit/i;

const cases = findCases();

describe("another merchant's id", () => {
  test('the walk covers every ID argument', () => {
    const unknown = findPaths().filter(({ field, path }) => kindOf(field, path) === undefined);
    expect(unknown.map(({ field, path }) => `${field} ${path.join('.')}`)).toEqual([]);
    expect(cases.length).toBeGreaterThan(60);
  });

  test.each(cases.map((each) => [`${each.field} ${each.path.join('.')}`, each] as const))('%s', async (_name, each) => {
    const [foreign, missing] = await Promise.all([ask(each, theirs[each.kind]), ask(each, newId())]);
    expect(foreign).toEqual(missing);
    // A cursor is a position in the caller's own list, whatever its origin.
    // A batch of usage has a result for each event. This one was rejected like one with a missing ID.
    const isEmpty = each.path.at(-1) === 'cursor' || each.field === 'recordUsage';
    if (foreign.code === undefined) expect(isEmpty ? 0 : foreign.rows).toBe(0);
    else expect(['NOT_FOUND', 'AUTHORIZATION_ERROR', 'VALIDATION_ERROR']).toContain(foreign.code);
    // A price is validated with its plan, and a subscription has its own checkout.
    if (foreign.code === 'VALIDATION_ERROR') expect(each.path.at(-1)).toMatch(/price|subscriptionId/i);
  });

  test('no call changed anything of that merchant', async () => {
    expect(await fingerprint()).toBe(before);
  });

  test('the owner finds all of these objects', async () => {
    for (const each of cases.filter(({ operation, path }) => operation === 'query' && path.join() === 'id')) {
      if (each.field === 'checkout') continue;
      const { document, variables } = requestOf(each, theirs[each.kind], theirs);
      const answer = await api.graphql(document, variables, { key: api.merchantA.secretKey });
      expect.soft({ field: each.field, errors: answer.errors }).toEqual({ field: each.field, errors: undefined });
    }
  });
});

/** The content of a response: its error, or the number of its rows. */
async function ask(
  each: Case,
  id: string,
): Promise<{ code?: string; message?: string; param?: string; rows?: number }> {
  const { document, variables } = requestOf(each, id, ours);
  const key = api.merchantB.secretKey;
  if (each.operation === 'subscription') {
    const live = await followSse(api.url, document, variables, { 'x-api-key': key });
    // An empty live list sends nothing, but a refused one sends an error immediately.
    const first = each.path.join('.') === 'filter.customerAccountId' ? 'end' : await live.next();
    await live.stop();
    return first === 'end' ? { rows: 0 } : outcomeOf(first.errors, first.data);
  }
  const answer = await api.graphql(document, variables, { key });
  return outcomeOf(answer.errors, answer.data);
}

function outcomeOf(errors: GraphqlFault[] | undefined, data: unknown) {
  const fault = errors?.[0];
  if (fault === undefined) return { rows: JSON.stringify(data).split('__typename').length - 1 };
  return {
    code: fault.extensions.code,
    message: fault.message,
    ...(fault.extensions.param ? { param: fault.extensions.param } : {}),
  };
}

/** The current objects of the owner, which no call of a stranger may change. */
async function fingerprint(): Promise<string> {
  const { database, merchantA } = api;
  const where = { appId: merchantA.appId };
  const rows = await Promise.all([
    database.app.findMany({ where: { merchantId: merchantA.merchantId } }),
    database.taxRate.findMany({ where: { merchantId: merchantA.merchantId } }),
    database.apiKey.findMany({ where, omit: { lastUsedAt: true } }),
    database.customerAccount.findMany({ where, include: { wallets: true } }),
    database.productPlan.findMany({ where, include: { prices: true } }),
    database.paymentLink.findMany({ where }),
    database.paymentIntent.findMany({ where, include: { dispute: true, quotes: true } }),
    database.checkoutSession.findMany({ where }),
    database.invoice.findMany({ where }),
    database.subscription.findMany({ where }),
    database.webhookEndpoint.findMany({ where, include: { deliveries: true } }),
  ]);
  return JSON.stringify(rows, (_name, value) => (typeof value === 'bigint' ? String(value) : value));
}

function findPaths(): Omit<Case, 'kind'>[] {
  const roots = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
    ['subscription', schema.getSubscriptionType()],
  ] as const;
  return roots.flatMap(([operation, root]) =>
    Object.values(root?.getFields() ?? {}).flatMap((field) =>
      field.args
        .flatMap((argument) => idPaths(argument.type, [argument.name]))
        .flatMap((path) => (root && !isElsewhere(field.name) ? [{ root, operation, field: field.name, path }] : [])),
    ),
  );
}

/** A one-time code is exchanged without a credential. Its own tests cover the codes of other sessions. */
function isElsewhere(field: string): boolean {
  if (field === 'exchangeCheckoutCode') return true;
  return notOfMerchants.test(field) && !/checkout/i.test(field);
}

function findCases(): Case[] {
  return findPaths().flatMap((found) => {
    const kind = kindOf(found.field, found.path);
    return kind === undefined ? [] : [{ ...found, kind }];
  });
}

function kindOf(field: string, path: string[]): Kind | undefined {
  const name = path.at(-1) ?? '';
  return kindsByName[name] ?? (name === 'id' ? kindsByField.find(([shape]) => shape.test(field))?.[1] : undefined);
}

function idPaths(type: GraphQLInputType, path: string[]): string[][] {
  const named = getNamedType(type);
  if (named.name === 'ID' || named.name === 'UUID') return [path];
  if (!isInputObjectType(named)) return [];
  return Object.values(named.getFields()).flatMap((field) => idPaths(field.type, [...path, field.name]));
}

/** The field with valid required arguments from `own`, and `id` in the tested place. */
function requestOf(each: Case, id: string, own: TenantRows): { document: string; variables: Record<string, unknown> } {
  const field = each.root.getFields()[each.field];
  if (!field) throw new Error(each.field);
  const variables: Record<string, unknown> = {};
  for (const argument of field.args) {
    if (isRequiredArgument(argument) || each.path[0] === argument.name || isNeeded(each, [], argument.name)) {
      variables[argument.name] = inputFor(argument.type, [argument.name], each, id, own);
    }
  }
  const used = field.args.filter((argument) => argument.name in variables);
  const head = used.map((argument) => `$${argument.name}: ${String(argument.type)}`).join(', ');
  const given = used.map((argument) => `${argument.name}: $${argument.name}`).join(', ');
  const document = `${each.operation} (${head}) { ${each.field}(${given}) ${selectionOf(field.type)} }`;
  return { document, variables };
}

/** Selects `__typename` once for each row of a connection, a page or an object. */
function selectionOf(type: unknown): string {
  const named = getNamedType(type as GraphQLObjectType);
  if (!isCompositeType(named)) return '';
  const fields = 'getFields' in named ? named.getFields() : {};
  // Lists with `items` are requested as REST requests them.
  if ('nodes' in fields && !('items' in fields)) return '{ nodes { __typename } }';
  if ('items' in fields && 'totalPages' in fields) return '{ items { __typename } }';
  if ('items' in fields && ('nextCursor' in fields || named.name === 'EventPage')) return '{ items { __typename } }';
  return '{ __typename }';
}

function inputFor(type: GraphQLInputType, path: string[], each: Case, id: string, own: TenantRows): unknown {
  if (isNonNullType(type)) return inputFor(type.ofType, path, each, id, own);
  if (isListType(type)) return [inputFor(type.ofType, path, each, id, own)];
  if (path.join('.') === each.path.join('.')) return id;
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter(
      (field) =>
        isRequiredInputField(field) ||
        each.path.join('.').startsWith([...path, field.name].join('.')) ||
        isNeeded(each, path, field.name),
    );
    return Object.fromEntries(
      fields.map((field) => [field.name, inputFor(field.type, [...path, field.name], each, id, own)]),
    );
  }
  const kind = kindOf(each.field, path);
  if (kind) return own[kind];
  return scalarValues[type.name]?.(path.at(-1) ?? '') ?? 'text';
}

/** The arguments that a call requires in addition to those that its types require. */
function isNeeded(each: Case, path: string[], name: string): boolean {
  const at = [...path, name].join('.');
  const wanted = each.path.join('.');
  // Only Solana goes without, and the chain here is none of its.
  if (each.field === 'prepareCheckout') return at === 'input.walletAddress';
  if (each.field === 'createCheckoutSession') {
    const isSource = /input\.(invoiceId|subscriptionId|paymentIntentId|paymentLinkId)$/.test(wanted);
    return at === 'input.items'
      ? !isSource
      : at === 'input.items.amount' || (at === 'input.items.productPlanId' && /Price/.test(wanted));
  }
  if (each.field === 'createCoupon') return at === 'input.percentOffBps';
  if (each.field === 'applySubscriptionCoupon') return at === 'input.couponId';
  if (each.field === 'submitDisputeEvidence') return at === 'input.text';
  // The price has two names, and the plan alone names none.
  if (/^(update|delete)ProductPlanPrice$/.test(each.field)) return wanted === 'productPlanId' && at === 'id';
  return /productPlanPriceId$/.test(wanted) && at === wanted.replace('productPlanPriceId', 'productPlanId');
}

const scalarValues: Record<string, (name: string) => unknown> = {
  Int: (name) => (/chainId/.test(name) ? 31337 : /quantity|Count/.test(name) ? 1 : 1),
  Float: () => 1,
  Boolean: () => true,
  Decimal: () => '5.00',
  BaseUnits: () => '1',
  URL: () => 'https://example.com/',
  Address: () => '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  JSONObject: () => ({}),
  DateTime: () => '2030-01-01T00:00:00.000Z',
  Hex: () => '0x00',
  String: (name) =>
    ({
      slug: 'a-slug',
      walletAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      tokenKey: 'USDC-31337',
      events: '*',
      amount: '5.00',
      email: 'a@example.com',
    })[name] ?? 'text',
};
