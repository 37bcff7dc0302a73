import { type GraphQLObjectType, getNamedType, isLeafType, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Prisma } from '../../../prisma/client.ts';
import { schema } from '../../../src/api/graphql/schema.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { neverRecent, openApi, type TestApi } from '../../setup/api/api.ts';
import { countStatements } from '../../setup/database/count-statements.ts';

let api: TestApi;
const INTENTS = 30;

beforeAll(async () => {
  api = await openApi({ rememberBy: neverRecent });
  const { appId, secretKey } = api.merchantA;
  const customers = Array.from({ length: 5 }, () => newId());
  await api.database.customerAccount.createMany({ data: customers.map((id) => ({ id, appId, name: `C ${id}` })) });
  const intents = Array.from({ length: INTENTS }, (_, index) => ({
    id: newId(),
    appId,
    customerAccountId: customers[index % customers.length] ?? null,
    amount: String(index + 1),
    currency: index % 2 === 0 ? 'USD' : 'EUR',
    captureMode: 'AUTOMATIC' as const,
    timelockDuration: 1,
    disputeStartDuration: 1,
    platformFeeBps: 100,
    status: index % 3 === 0 ? ('SETTLED' as const) : ('CREATED' as const),
    authorizationChainId: index % 3 === 0 ? 31337 : null,
  }));
  await api.database.paymentIntent.createMany({ data: intents });
  await api.database.transaction.createMany({
    data: intents.flatMap((intent) =>
      (['AUTHORIZE', 'CAPTURE'] as const).map((type) => ({
        id: newId(),
        paymentIntentId: intent.id,
        chainId: 31337,
        type,
        status: 'CONFIRMED' as const,
        termsHash: `0x${intent.id.replaceAll('-', '')}`,
        txHash: `0x${intent.id.replaceAll('-', '')}01`,
        blockNumber: 10n,
      })),
    ),
  });
  await api.database.chainCursor.create({ data: { chainId: 31337, headNumber: 14n } });
  await api.graphql('{ viewer { kind } }', {}, { key: secretKey });
});
afterAll(() => api.close());

const LIST = `query ($first: Int!) { paymentIntents(first: $first) { totalCount nodes { id amount customerAccount { id name }
  app { name } dispute { id } ledger { amount } terms { hash } checkoutSession { id } events { type }
  transactions { type block { number hash } confirmations finality logs { name } } } } }`;

describe('a list with all relations of its rows', () => {
  test('needs the same number of statements for 3 and for 30 rows', async () => {
    const key = api.merchantA.secretKey;
    const few = await countStatements(() => api.graphql(LIST, { first: 3 }, { key }));
    let answer = await api.graphql(LIST, { first: 3 }, { key });
    const many = await countStatements(async () => {
      answer = await api.graphql(LIST, { first: INTENTS }, { key });
    });
    expect(answer.errors).toBeUndefined();
    expect(answer.data.paymentIntents.totalCount).toBe(INTENTS);
    expect(answer.data.paymentIntents.nodes).toHaveLength(INTENTS);
    expect(answer.data.paymentIntents.nodes[0].transactions).toEqual([
      { type: 'AUTHORIZE', block: { number: '10', hash: null }, confirmations: 5, finality: null, logs: [] },
      { type: 'CAPTURE', block: { number: '10', hash: null }, confirmations: 5, finality: null, logs: [] },
    ]);
    expect(many.length).toBe(few.length);
    expect(many.length).toBeLessThanOrEqual(16);
  });

  test('counts a page only if the total is selected', async () => {
    const key = api.merchantA.secretKey;
    const without = await countStatements(() => api.graphql('{ paymentIntentsPage { items { id } } }', {}, { key }));
    const withTotal = await countStatements(() =>
      api.graphql('{ paymentIntentsPage { items { id } total totalPages } }', {}, { key }),
    );
    expect(withTotal.length).toBe(without.length + 1);
  });
});

describe('one payment intent', () => {
  const read = async (fields: string) => {
    const key = api.merchantA.secretKey;
    const { id } = await api.database.paymentIntent.findFirstOrThrow({
      where: { appId: api.merchantA.appId, status: 'SETTLED' },
      orderBy: { id: 'asc' },
    });
    let data: Record<string, unknown> = {};
    const statements = await countStatements(async () => {
      const answer = await api.graphql(`query ($id: ID!) { paymentIntent(id: $id) { ${fields} } }`, { id }, { key });
      expect(answer.errors).toBeUndefined();
      data = answer.data.paymentIntent;
    });
    return { data, statement: statements.find((text) => text.includes('FROM payment_intent intent')) };
  };
  const fields = Object.values(objectType('PaymentIntent').getFields());
  const scalars = fields.filter(({ type }) => isLeafType(getNamedType(type))).map(({ name }) => name);

  test('is read with the selected columns alone', async () => {
    const { data, statement } = await read('__typename amount metadata');
    expect(data).toEqual({ __typename: 'PaymentIntent', amount: '1.00', metadata: {} });
    expect(columnsIn(statement)).toEqual(['id', 'amount', 'metadata']);
  });

  test.each(scalars)('%s alone is the same as among all fields', async (name) => {
    const all = await read(scalars.join(' '));
    const alone = await read(name);
    expect(alone.data).toEqual({ [name]: all.data[name] });
  });

  test('is read with all columns once many sets of columns are in use', async () => {
    const names = scalars.filter((name) => name !== 'amount');
    let statement: string | undefined;
    for (const name of names) ({ statement } = await read(`amount ${name}`));
    for (const name of names) ({ statement } = await read(`createdAt ${name}`));
    expect(columnsIn(statement).length).toBe(Object.keys(Prisma.PaymentIntentScalarFieldEnum).length);
  });
});

function columnsIn(statement: string | undefined): string[] {
  return [...(statement ?? '').matchAll(/intent\.\w+ AS "(\w+)"/g)].map(([, name]) => name ?? '');
}

function objectType(name: string): GraphQLObjectType {
  const type = schema.getType(name);
  if (!isObjectType(type)) throw new Error(`${name} is not an object.`);
  return type;
}

describe('overview', () => {
  test('fills a page from one statement with consistent sums', async () => {
    const key = api.merchantA.secretKey;
    const document = `{ overview { count byStatus { status count amount currency } byCurrency { currency count amount }
      byChain { chainId count } byTime { start count byCurrency { amount currency } byStatus { status count } } } }`;
    let answer = await api.graphql(document, {}, { key });
    const statements = await countStatements(async () => {
      answer = await api.graphql(document, {}, { key });
    });
    // One for the key, one for the sums.
    expect(statements.length).toBe(2);
    const { overview } = answer.data;
    expect(overview.count).toBe(INTENTS);
    expect(overview.byCurrency).toEqual(
      expect.arrayContaining([
        { currency: 'USD', count: 15, amount: '225.00' },
        { currency: 'EUR', count: 15, amount: '240.00' },
      ]),
    );
    const paid = overview.byChain.filter((chain: { chainId: number | null }) => chain.chainId === 31337);
    expect(paid.reduce((sum: number, chain: { count: number }) => sum + chain.count, 0)).toBe(10);
    expect(overview.byTime.reduce((sum: number, time: { count: number }) => sum + time.count, 0)).toBe(INTENTS);
  });

  test('covers only the caller’s apps, and is bounded', async () => {
    const foreign = await api.graphql('{ overview { count } }', {}, { key: api.merchantB.secretKey });
    expect(foreign.data.overview.count).toBe(0);
    const document =
      'query ($from: DateTime, $to: DateTime) { overview(from: $from, to: $to, bucket: HOUR) { count } }';
    const wide = await api.graphql(
      document,
      { from: '2020-01-01T00:00:00Z', to: '2024-01-01T00:00:00Z' },
      { key: api.merchantA.secretKey },
    );
    expect(wide.errors?.[0]?.extensions.param).toBe('bucket');
    const backwards = await api.graphql(
      document,
      { from: '2024-01-02T00:00:00Z', to: '2024-01-01T00:00:00Z' },
      { key: api.merchantA.secretKey },
    );
    expect(backwards.errors?.[0]?.extensions.param).toBe('from');
  });
});

describe('chains', () => {
  test('are public, with their tokens', async () => {
    const { data } = await api.graphql(
      '{ chains(all: true) { chainId enabled tokens { key } } tokens(chainId: 31337) { key decimals } }',
    );
    expect(data.chains.map(({ chainId }: { chainId: number }) => chainId)).toEqual(expect.arrayContaining([1, 31337]));
    expect(data.tokens).toEqual([
      { key: 'USDC-31337', decimals: 6 },
      { key: 'USDT-31337', decimals: 6 },
      { key: 'ETH-31337', decimals: 18 },
    ]);
  });
});
