/** The queries node and nodes: their results, errors and cost. */
import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../src/platform/identifier.ts';
import { neverRecent, openApi, type TestApi } from '../../setup/api/api.ts';
import { countStatements } from '../../setup/database/count-statements.ts';
import { makeMerchantNodes } from '../../setup/database/node-rows.ts';

let api: TestApi;
let nodes: Awaited<ReturnType<typeof makeMerchantNodes>>['nodes'];
let theirs: typeof nodes;
let intents: string[];
beforeAll(async () => {
  api = await openApi({ rememberBy: neverRecent });
  ({ nodes } = await makeMerchantNodes(api.database, api.merchantA));
  ({ nodes: theirs } = await makeMerchantNodes(api.database, api.merchantB));
  const [intent] = await api.database.paymentIntent.findMany({ where: { id: nodes.PaymentIntent } });
  if (!intent) throw new Error('There is no payment.');
  intents = Array.from({ length: 10 }, () => newId());
  const { allowedChains, allowedTokens, metadata, ...columns } = intent;
  await api.database.paymentIntent.createMany({
    data: intents.map((id) => ({ ...columns, id, idempotencyKey: null })),
  });
});

const NODES = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id __typename } }';
const ask = (document: string, variables: Record<string, unknown> = {}) =>
  api.graphql(document, variables, { key: api.merchantA.secretKey });
const detailsOf = async (document: string, variables: Record<string, unknown> = {}) => {
  const { status, errors } = await ask(document, variables);
  return [status, errors?.map(({ extensions }) => extensions.code), errors?.[0]?.extensions.details];
};

describe('nodes', () => {
  test('returns objects in the order of the IDs, null for missing ones, and repeats repeated ones', async () => {
    const ids = [nodes.Invoice, newId(), nodes.Transaction, theirs.Invoice, nodes.Invoice, nodes.Invoice.toUpperCase()];
    const { data, errors } = await ask(NODES, { ids });
    expect(errors).toBeUndefined();
    const invoice = { id: nodes.Invoice, __typename: 'Invoice' };
    const transaction = { id: nodes.Transaction, __typename: 'Transaction' };
    expect(data.nodes).toEqual([invoice, null, transaction, null, invoice, invoice]);
  });

  test('returns an empty list without IDs', async () => {
    expect((await ask(NODES, { ids: [] })).data).toEqual({ nodes: [] });
  });

  test('accepts a hundred IDs, and refuses more with the field and the limit', async () => {
    const hundred = Array.from({ length: 100 }, newId);
    expect((await ask(NODES, { ids: hundred })).data.nodes).toEqual(hundred.map(() => null));
    expect(await detailsOf(NODES, { ids: [...hundred, newId()] })).toEqual([
      ...[400, ['VALIDATION_ERROR']],
      [{ param: 'ids', message: 'has 101 entries, at most 100' }],
    ]);
  });

  test('names each ID that is not a UUID, as a variable and as a literal', async () => {
    const ids = [nodes.Invoice, 'in_1', newId(), '7'];
    expect(await detailsOf(NODES, { ids })).toEqual([
      ...[400, ['VALIDATION_ERROR']],
      [
        { param: 'ids[1]', message: 'must be a UUID' },
        { param: 'ids[3]', message: 'must be a UUID' },
      ],
    ]);
    expect(await detailsOf(`{ nodes(ids: ["${nodes.Invoice}", "in_1"]) { id } }`)).toEqual([
      ...[400, ['VALIDATION_ERROR']],
      [{ param: 'ids', message: 'must be a UUID' }],
    ]);
  });
});

describe('node', () => {
  test('refuses an ID that is not a UUID, as a variable and as a literal', async () => {
    for (const id of ['pi_1', '', 'UGF5bWVudEludGVudDox']) {
      const fault = [400, ['VALIDATION_ERROR'], [{ param: 'id', message: 'must be a UUID' }]];
      expect(await detailsOf('query ($id: ID!) { node(id: $id) { id } }', { id })).toEqual(fault);
      expect(await detailsOf('query ($given: ID!) { node(id: $given) { id } }', { given: id })).toEqual(fault);
      expect(await detailsOf(`{ node(id: "${id}") { id } }`)).toEqual(fault);
    }
  });

  test('returns the selected fields, by fragments on the type and on Node', async () => {
    const document = `query ($id: ID!) { node(id: $id) { __typename ... on Node { id } ...Payment
        ... on Invoice { total } ... on Transaction { id txHash } } }
      fragment Payment on PaymentIntent { amount customerAccount { name wallets { id } } transactions { id type }
        ledger { amount } dispute { id } checkoutSession { items { name } } }`;
    const { data, errors } = await ask(document, { id: nodes.PaymentIntent });
    expect(errors).toBeUndefined();
    expect(data.node).toEqual({
      __typename: 'PaymentIntent',
      id: nodes.PaymentIntent,
      amount: '5.00',
      customerAccount: { name: 'C', wallets: [{ id: nodes.CustomerWallet }] },
      transactions: [{ id: nodes.Transaction, type: 'AUTHORIZE' }],
      ledger: [{ amount: '5' }],
      dispute: { id: nodes.Dispute },
      checkoutSession: { items: [{ name: 'Tea' }] },
    });
    const invoice = await ask(document, { id: nodes.Invoice });
    expect(invoice.data.node).toEqual({ __typename: 'Invoice', id: nodes.Invoice, total: '5.00' });
  });

  test('returns the same fields as the query of the type', async () => {
    const fields = `id paymentIntentId chainId type status txHash block { number } confirmations finality logs { name } error
      createdAt undelivered { id advice isBeingDelivered }`;
    const { data, errors } = await ask(
      `query ($id: ID!, $payment: ID!) { node(id: $id) { ... on Transaction { ${fields} } }
        paymentIntent(id: $payment) { transactions { ${fields} } } }`,
      { id: nodes.Transaction, payment: nodes.PaymentIntent },
    );
    expect(errors).toBeUndefined();
    expect(data.paymentIntent.transactions).toEqual([data.node]);
  });
});

describe('SQL statements of nodes', () => {
  const STORY = `query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on PaymentIntent { customerAccount { name }
    transactions { type } ledger { amount } } ... on Invoice { items { description } } } }`;
  const counted = async (document: string, variables: Record<string, unknown> = {}) => {
    await ask(document, variables);
    const statements = await countStatements(() => ask(document, variables));
    const lookups = statements.filter((text) => text.includes('AS asked'));
    return { lookups: lookups.length, all: statements.length };
  };

  test('find the types of all IDs with one, and read each type with one more', async () => {
    const none = await counted(NODES, { ids: [newId()] });
    expect(none.lookups).toBe(1);
    expect(await counted(NODES, { ids: Array.from({ length: 100 }, newId) })).toEqual(none);
    expect(await counted(NODES, { ids: intents.slice(0, 1) })).toEqual({ lookups: 1, all: none.all + 1 });
    expect(await counted(NODES, { ids: intents })).toEqual({ lookups: 1, all: none.all + 1 });
    const mixed = [...intents, nodes.Invoice, nodes.Transaction, nodes.Event, nodes.Invoice, newId()];
    expect(await counted(NODES, { ids: mixed })).toEqual({ lookups: 1, all: none.all + 4 });
  });

  test('are as many for another merchant’s ID as for a missing one', async () => {
    const missing = await counted(NODES, { ids: Object.values(nodes).map(newId) });
    expect(await counted(NODES, { ids: Object.values(theirs) })).toEqual(missing);
  });

  test('are shared by aliases and by relations of many rows', async () => {
    const none = await counted(NODES, { ids: [newId()] });
    const aliases = intents.map((id, index) => `a${index}: node(id: "${id}") { id ... on PaymentIntent { amount } }`);
    expect(await counted(`{ ${aliases.join('\n')} nodes(ids: ["${nodes.Invoice}"]) { id } }`)).toEqual({
      lookups: 1,
      all: none.all + 2,
    });
    const few = await counted(STORY, { ids: [nodes.PaymentIntent, nodes.Invoice] });
    expect(await counted(STORY, { ids: [nodes.PaymentIntent, nodes.Invoice, ...intents] })).toEqual(few);
  });
});

describe('the cost of nodes', () => {
  const limit = 20_000;
  const LOADS = 'events { id } transactions { id } ledger { id } terms { hash }';

  test('is the cost of the selection times the number of IDs', async () => {
    const ids = Array.from({ length: 100 }, newId);
    const lists = Array.from({ length: 10 }, (_, index) => `a${index}: nodes(ids: $ids) { ...Story }`).join(' ');
    const document = (fields: string) =>
      `query ($ids: [ID!]!) { ${lists} } fragment Story on PaymentIntent { ${fields} }`;
    expect((await ask(document('amount'), { ids })).errors).toBeUndefined();
    const [, codes, details] = await detailsOf(document(LOADS), { ids });
    expect(codes).toEqual(['VALIDATION_ERROR']);
    expect(details).toEqual([{ param: 'complexity', message: expect.stringContaining(`at most ${limit}`) }]);
    expect((await ask(document(LOADS), { ids: ids.slice(0, 1) })).errors).toBeUndefined();
  });

  test('is bounded for too many IDs, so that the error names the limit', async () => {
    const ids = Array.from({ length: 1_000 }, newId);
    expect(await detailsOf(NODES, { ids })).toEqual([
      ...[400, ['VALIDATION_ERROR']],
      [{ param: 'ids', message: 'has 1000 entries, at most 100' }],
    ]);
  });
});
