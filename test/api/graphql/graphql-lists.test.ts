/** Every list with the documented arguments: first, after, last, before, filter and orderBy. */
import { beforeAll, expect, test } from 'vitest';
import { openApi, type TestApi } from '../../setup/api/api.ts';
import { makeTenantRows, type TenantRows } from '../../setup/database/tenant-rows.ts';

let api: TestApi;
let rows: TenantRows;
beforeAll(async () => {
  api = await openApi();
  rows = await makeTenantRows(api.database, api.merchantA);
});

/** For each field: its rows, a filter that matches its only row, and one that does not. */
const lists: [string, keyof TenantRows, string, object, object][] = [
  ['paymentIntents', 'intent', 'PaymentIntent', { status: ['CREATED', 'FAILED'] }, { status: ['SETTLED'] }],
  ['subscriptions', 'subscription', 'Subscription', { status: ['PENDING', 'ACTIVE'] }, { status: ['PAUSED'] }],
  ['customers', 'customer', 'Customer', { search: 'C@EXAMPLE' }, { search: 'nobody' }],
  ['paymentLinks', 'link', 'PaymentLink', { isActive: true }, { isActive: false }],
  ['productPlans', 'plan', 'ProductPlan', { planType: 'SUBSCRIPTION' }, { planType: 'ONE_TIME' }],
  ['invoices', 'invoice', 'Invoice', { status: ['DRAFT', 'OPEN'] }, { status: ['PAID'] }],
  ['checkoutSessions', 'session', 'CheckoutSession', { status: ['OPEN'] }, { status: ['COMPLETE', 'EXPIRED'] }],
];

test.each(lists)('lists, filters and counts %s', async (field, kind, type, fitting, other) => {
  const document = `query ($filter: ${type}Filter) { ${field}(first: 5, filter: $filter, orderBy: OLDEST) {
    totalCount nodes { id } edges { cursor node { id } } pageInfo { hasNextPage endCursor } } }`;
  const key = api.merchantA.secretKey;
  const ask = async (filter: object | null) => (await api.graphql(document, { filter }, { key })).data?.[field];
  const { appId } = api.merchantA;
  for (const filter of [null, {}, fitting, { ...fitting, appId }]) {
    expect(await ask(filter)).toMatchObject({ totalCount: 1, nodes: [{ id: rows[kind] }] });
  }
  expect(await ask(other)).toMatchObject({ totalCount: 0, nodes: [], edges: [], pageInfo: { hasNextPage: false } });
  const foreign = await api.graphql(document, { filter: { appId: api.merchantB.appId } }, { key });
  expect(foreign.errors?.[0]?.extensions).toMatchObject({ code: 'AUTHORIZATION_ERROR', param: 'appId' });
});

test('pages through a list in either order', async () => {
  const key = api.merchantB.secretKey;
  const make = 'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }';
  const ids: string[] = [];
  for (const name of ['Ada', 'Grace', 'Edsger']) {
    const { data } = await api.graphql(make, { input: { appId: api.merchantB.appId, name } }, { key });
    ids.push(data.createCustomer.id);
  }
  const document = `query ($after: String, $orderBy: ListOrder!) { customers(first: 2, after: $after, orderBy: $orderBy) {
    nodes { id } pageInfo { hasNextPage endCursor } } }`;
  const walk = async (orderBy: string) => {
    const first = (await api.graphql(document, { orderBy }, { key })).data.customers;
    const after = first.pageInfo.endCursor;
    const second = (await api.graphql(document, { orderBy, after }, { key })).data.customers;
    expect([first.pageInfo.hasNextPage, second.pageInfo.hasNextPage]).toEqual([true, false]);
    return [...first.nodes, ...second.nodes].map(({ id }) => id);
  };
  expect(await walk('OLDEST')).toEqual(ids);
  expect(await walk('NEWEST')).toEqual(ids.toReversed());
});
