/** Every connection next to a list has the same rows in the same order, one statement for each page, and only for their owner. */
import { beforeAll, describe, expect, it, test } from 'vitest';
import { issueToken } from '../../../src/auth/tokens/issue-token.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { neverRecent, openApi, type TestApi } from '../../setup/api/api.ts';
import { countStatements } from '../../setup/database/count-statements.ts';
import { makeTenantRows, type TenantRows } from '../../setup/database/tenant-rows.ts';
import { makeListedRows } from './listed-rows.ts';

const WALLET = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const OTHER_WALLET = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';

let api: TestApi;
let rows: TenantRows;
let bearers: Record<'payer' | 'card' | 'otherPayer' | 'otherCard', Record<string, string>>;
beforeAll(async () => {
  api = await openApi({ rememberBy: neverRecent });
  rows = await makeTenantRows(api.database, api.merchantA);
  const [userId, otherUserId] = [newId(), newId()];
  await makeListedRows(api.database, { ...api.merchantA, rows, wallet: WALLET, userId, otherUserId });
  const bearer = async (subject: Parameters<typeof issueToken>[1]['subject']) => ({
    authorization: `Bearer ${(await issueToken(api.world, { subject })).token}`,
  });
  bearers = {
    payer: await bearer({ audience: 'payer', wallet: WALLET, chainId: null }),
    otherPayer: await bearer({ audience: 'payer', wallet: OTHER_WALLET, chainId: null }),
    card: await bearer({ audience: 'card', userId }),
    otherCard: await bearer({ audience: 'card', userId: otherUserId }),
  };
});

type Case = {
  /** The connection's name, with the type that it is on. */
  name: string;
  /** A document with `selection` on the object that the connection is on. */
  document: (selection: string) => string;
  /** The path of that object in the response. */
  at: string[];
  connection: string;
  /** A selection of the corresponding list, and the path of its rows in the response. */
  list: string;
  listAt: string[];
  as?: 'payer' | 'card';
};

function on(type: string, root: string, fields: [list: string, connection?: string][]): Case[] {
  return fields.map(([list, connection = `${list}Connection`]) => ({
    name: `${type}.${connection}`,
    document: (selection) => `{ parent: ${root} { ${selection} } }`,
    at: ['parent'],
    connection,
    list: `${list} { id }`,
    listAt: [list],
    ...(type === 'Payer' ? { as: 'payer' as const } : {}),
  }));
}

function casesOf(): Case[] {
  const atRoot = { document: (selection: string) => `{ ${selection} }`, at: [] };
  const delivery = `webhookDeliveries(endpointId: "${rows.endpoint}", first: 100)`;
  return [
    ...on('PaymentIntent', `paymentIntent(id: "${rows.intent}")`, [
      ['transactions'],
      ['ledger'],
      ['refunds'],
      ['undelivered'],
      ['events'],
    ]),
    ...on('CustomerAccount', `customer(id: "${rows.customer}")`, [
      ['wallets'],
      ['paymentIntents'],
      ['invoices'],
      ['subscriptions'],
    ]),
    ...on('Subscription', `subscription(id: "${rows.subscription}")`, [['invoices']]),
    ...on('Invoice', `invoice(id: "${rows.invoice}")`, [['attempts']]),
    ...on('App', 'app', [['apiKeys']]),
    ...on('Payer', 'payer', [['payments'], ['undelivered'], ['consents']]),
    {
      name: 'WebhookEndpoint.deliveries',
      document: (selection) => `{ parent: webhookEndpoints { ${selection} } }`,
      at: ['parent', '0'],
      connection: 'deliveries',
      list: `__typename } ${delivery} { items { id }`,
      listAt: ['..', '..', 'webhookDeliveries', 'items'],
    },
    {
      name: 'WebhookDelivery.triesConnection',
      document: (selection) => `{ page: ${delivery.replace('100', '1')} { items { ${selection} } } }`,
      at: ['page', 'items', '0'],
      connection: 'triesConnection',
      list: 'tries { id }',
      listAt: ['tries'],
    },
    {
      name: 'Query.taxRatesConnection',
      ...atRoot,
      connection: 'taxRatesConnection(includeInactive: true, ARGS)',
      list: 'taxRates(includeInactive: true) { id }',
      listAt: ['taxRates'],
    },
    {
      name: 'Query.cardSessionsConnection',
      ...atRoot,
      connection: 'cardSessionsConnection',
      list: 'cardSessions { id }',
      listAt: ['cardSessions'],
      as: 'card',
    },
    {
      name: 'Query.eventsConnection',
      ...atRoot,
      connection: 'eventsConnection',
      list: 'eventLog(limit: 100) { items { id } }',
      listAt: ['eventLog', 'items'],
    },
    {
      name: 'Query.eventsConnection, oldest first',
      ...atRoot,
      connection: 'eventsConnection(orderBy: OLDEST, ARGS)',
      list: 'events { items { id } }',
      listAt: ['events', 'items'],
    },
  ];
}

const names = [
  ...['transactions', 'ledger', 'refunds', 'undelivered', 'events'].map((list) => `PaymentIntent.${list}Connection`),
  ...['wallets', 'paymentIntents', 'invoices', 'subscriptions'].map((list) => `CustomerAccount.${list}Connection`),
  'Subscription.invoicesConnection',
  'Invoice.attemptsConnection',
  'App.apiKeysConnection',
  ...['payments', 'undelivered', 'consents'].map((list) => `Payer.${list}Connection`),
  'WebhookEndpoint.deliveries',
  'WebhookDelivery.triesConnection',
  'Query.taxRatesConnection',
  'Query.cardSessionsConnection',
  'Query.eventsConnection',
  'Query.eventsConnection, oldest first',
];

function caseOf(name: string): Case {
  const found = casesOf().find((one) => one.name === name);
  if (!found) throw new Error(`No case ${name}.`);
  return found;
}

/** The value at a path; `..` goes back up. */
function valueAt(data: unknown, path: string[]): unknown {
  const steps: string[] = [];
  for (const step of path) {
    if (step === '..') steps.pop();
    else steps.push(step);
  }
  return steps.reduce<unknown>((value, step) => (value == null ? undefined : Reflect.get(Object(value), step)), data);
}

const caller = (one: Case) => (one.as ? { headers: bearers[one.as] } : { key: api.merchantA.secretKey });

const PAGE =
  'totalCount nodes { id } edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';

function pageDocument(one: Case, args: string): string {
  const field = one.connection.includes('ARGS') ? one.connection.replace('ARGS', args) : `${one.connection}(${args})`;
  return one.document(`list: ${field} { ${PAGE} }`);
}

type Page = {
  totalCount: number;
  nodes: { id: string }[];
  edges: { cursor: string; node: { id: string } }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string; endCursor: string };
};

async function pageOf(one: Case, args: string): Promise<Page> {
  const { data, errors } = await api.graphql(pageDocument(one, args), {}, caller(one));
  expect(errors).toBeUndefined();
  return valueAt(data, [...one.at, 'list']) as Page;
}

async function listOf(one: Case): Promise<string[]> {
  const { data, errors } = await api.graphql(one.document(one.list), {}, caller(one));
  expect(errors).toBeUndefined();
  return (valueAt(data, [...one.at, ...one.listAt]) as { id: string }[]).map(({ id }) => id);
}

describe.each(names)('%s', (name) => {
  it('pages forwards and backwards through the rows of the list, in its order', async () => {
    const one = caseOf(name);
    const listed = await listOf(one);
    expect(listed.length).toBeGreaterThanOrEqual(5);
    const forwards: string[] = [];
    let page = await pageOf(one, 'first: 2');
    expect(page.pageInfo.hasPreviousPage).toBe(false);
    forwards.push(...page.nodes.map(({ id }) => id));
    while (page.pageInfo.hasNextPage) {
      page = await pageOf(one, `first: 2, after: "${page.pageInfo.endCursor}"`);
      expect(page.pageInfo.hasPreviousPage).toBe(true);
      expect(page.nodes.length).toBeLessThanOrEqual(2);
      forwards.push(...page.nodes.map(({ id }) => id));
      expect(page.edges.map(({ cursor }) => cursor).at(-1)).toBe(page.pageInfo.endCursor);
      expect(page.edges.map(({ node }) => node)).toEqual(page.nodes);
    }
    expect(forwards).toEqual(listed);
    expect(page.totalCount).toBe(listed.length);

    const backwards: string[] = [];
    page = await pageOf(one, 'last: 2');
    expect(page.pageInfo.hasNextPage).toBe(false);
    backwards.unshift(...page.nodes.map(({ id }) => id));
    while (page.pageInfo.hasPreviousPage) {
      page = await pageOf(one, `last: 2, before: "${page.pageInfo.startCursor}"`);
      expect(page.pageInfo.hasNextPage).toBe(true);
      backwards.unshift(...page.nodes.map(({ id }) => id));
    }
    expect(backwards).toEqual(listed);
  });

  it('returns cursors even if no field of the rows is selected', async () => {
    const one = caseOf(name);
    const asked = await pageOf(one, 'first: 2');
    const bare = pageDocument(one, 'first: 2').replace(PAGE, 'edges { cursor } pageInfo { endCursor }');
    const { data } = await api.graphql(bare, {}, caller(one));
    expect(valueAt(data, [...one.at, 'list'])).toEqual({
      edges: asked.edges.map(({ cursor }) => ({ cursor })),
      pageInfo: { endCursor: asked.pageInfo.endCursor },
    });
  });

  it('refuses an invalid cursor and page size, and names the argument', async () => {
    const one = caseOf(name);
    const foreign = Buffer.from(`Merchant:${newId()}`).toString('base64url');
    const faultsOf = async (args: string) => {
      const { errors } = await api.graphql(pageDocument(one, args), {}, caller(one));
      return errors?.map(({ extensions }) => [extensions.code, extensions.param]);
    };
    expect(await faultsOf(`first: 2, after: "${foreign}"`)).toContainEqual(['VALIDATION_ERROR', 'after']);
    expect(await faultsOf('last: 2, before: "x"')).toContainEqual(['VALIDATION_ERROR', 'before']);
    expect(await faultsOf('first: 101')).toContainEqual(['VALIDATION_ERROR', 'first']);
    expect(await faultsOf('last: 0')).toContainEqual(['VALIDATION_ERROR', 'last']);
  });

  it('shows no rows to another merchant, wallet or user', async () => {
    const one = caseOf(name);
    const { totalCount: _, ...asked } = await pageOf(one, 'first: 2');
    const others = { payer: bearers.otherPayer, card: bearers.otherCard };
    const other = one.as ? { headers: others[one.as] } : { key: api.merchantB.secretKey };
    for (const args of ['first: 2', `first: 2, after: "${asked.pageInfo.startCursor}"`]) {
      const { data, errors } = await api.graphql(pageDocument(one, args), {}, other);
      if (errors) expect(errors[0]?.extensions.code).toBe('NOT_FOUND');
      const own = new Set(await listOf(one));
      const seen = (valueAt(data, [...one.at, 'list', 'nodes']) ?? []) as { id: string }[];
      expect(seen.filter(({ id }) => own.has(id))).toEqual([]);
    }
  });

  it('reads a page with one statement, and counts with one more', async () => {
    const one = caseOf(name);
    const asks = (selection: string) => api.graphql(one.document(selection), {}, caller(one));
    const field = (args: string) =>
      one.connection.includes('ARGS') ? one.connection.replace('ARGS', args) : `${one.connection}(${args})`;
    const after = (await pageOf(one, 'first: 1')).pageInfo.endCursor;
    const bare = '__typename';
    const page = `__typename ${field(`first: 2, after: "${after}"`)} { nodes { id } pageInfo { hasNextPage } }`;
    const counted = page.replace('nodes {', 'totalCount nodes {');
    const statementsOf = async (selection: string) => {
      await asks(selection);
      return await countStatements(() => asks(selection));
    };
    const [without, withPage, withCount] = [
      await statementsOf(bare),
      await statementsOf(page),
      await statementsOf(counted),
    ];
    expect(withPage.length).toBe(without.length + 1);
    expect(withCount.length).toBe(without.length + 2);
    // The statement reads only one page and not all rows.
    const reading = withPage.filter((statement) => !without.includes(statement));
    expect(reading.filter((statement) => /\bLIMIT\b/i.test(statement)).length).toBe(1);
  });
});

test('the pages of many rows are read in one batch', async () => {
  const key = api.merchantA.secretKey;
  const document = `query ($first: Int!) { paymentIntents(first: $first) { nodes { id
    transactionsConnection(first: 2) { totalCount nodes { id logs { name } } }
    eventsConnection(first: 2) { totalCount nodes { id } }
    customerAccount { id walletsConnection(first: 1) { nodes { id chain { name } } } } } } }`;
  const ask = (first: number) => api.graphql(document, { first }, { key });
  await ask(1);
  const one = await countStatements(() => ask(1));
  let answer = await ask(5);
  const five = await countStatements(async () => {
    answer = await ask(5);
  });
  expect(answer.errors).toBeUndefined();
  expect(answer.data.paymentIntents.nodes).toHaveLength(5);
  expect(five.length).toBeLessThanOrEqual(one.length + 1);
});

test('a connection in fragments on different types has its own page and selection in each', async () => {
  await api.database.invoice.update({ where: { id: rows.invoice }, data: { paymentIntentId: rows.intent } });
  const document = `query ($ids: [ID!]!) { nodes(ids: $ids) {
    ... on CheckoutSession { paymentIntent {
      transactionsConnection(first: 1) { nodes { id } pageInfo { hasNextPage } }
      eventsConnection(first: 1) { nodes { sequence } pageInfo { hasNextPage } } } }
    ... on Invoice { paymentIntent {
      transactionsConnection(first: 50) { nodes { id logs { name } } pageInfo { hasNextPage } }
      eventsConnection(last: 4) { nodes { sequence } pageInfo { hasNextPage } } } } } }`;
  const key = api.merchantA.secretKey;
  for (const ids of [
    [rows.session, rows.invoice],
    [rows.invoice, rows.session],
  ]) {
    const { data, errors } = await api.graphql(document, { ids }, { key });
    expect(errors).toBeUndefined();
    const pages = new Map<string, { paymentIntent: Record<string, { nodes: object[]; pageInfo: object }> }>(
      ids.map((id, index) => [id, data.nodes[index]]),
    );
    const [short, long] = [rows.session, rows.invoice].map((id) => pages.get(id)?.paymentIntent);
    expect(short?.transactionsConnection).toMatchObject({ nodes: { length: 1 }, pageInfo: { hasNextPage: true } });
    expect(long?.transactionsConnection).toMatchObject({ nodes: { length: 5 }, pageInfo: { hasNextPage: false } });
    expect(long?.transactionsConnection?.nodes[0]).toMatchObject({ logs: [] });
    expect(short?.eventsConnection?.nodes).toEqual([{ sequence: 10 }]);
    expect(long?.eventsConnection?.nodes).toEqual([21, 22, 23, 24].map((sequence) => ({ sequence })));
  }
});
