/** The search of the dashboard, and the details of payments that it reads in one query. */
import { beforeAll, describe, expect, test } from 'vitest';
import { rarestParts } from '../../../src/payments/search/find-by-part.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { openApi, type TestApi } from '../../setup/api/api.ts';
import { makeTenantRows, type TenantRows } from '../../setup/database/tenant-rows.ts';

let api: TestApi;
let ours: TenantRows;
let theirs: TenantRows;
let key: string;
const wallet = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const hash = `0x${'ab'.repeat(32)}`;
const refundHash = `0x${'cd'.repeat(32)}`;

beforeAll(async () => {
  api = await openApi();
  key = api.merchantA.secretKey;
  ours = await makeTenantRows(api.database, api.merchantA);
  theirs = await makeTenantRows(api.database, api.merchantB);
  for (const rows of [ours, theirs]) {
    const { intent, customer } = rows;
    const paid = { authorizationWalletAddress: wallet, authorizationTxHash: hash, authorizationTokenKey: 'USDC-31337' };
    const data = { ...paid, externalId: 'Order-100%_7', metadata: { basket: 'blue', items: 3 } };
    await api.database.paymentIntent.update({ where: { id: intent }, data });
    await api.database.customerAccount.update({
      where: { id: customer },
      data: { email: 'Ada@Example.com', name: 'Ada Lovelace', externalId: 'crm-9' },
    });
    await api.database.invoice.update({ where: { id: rows.invoice }, data: { invoiceNumber: 'INV-000001' } });
    const transaction = { id: newId(), paymentIntentId: intent, chainId: 31337, type: 'REFUND' as const };
    await api.database.transaction.create({ data: { ...transaction, txHash: refundHash } });
    await api.database.refund.create({
      data: {
        id: newId(),
        paymentIntentId: intent,
        transactionId: transaction.id,
        amount: '2',
        leftoverAfter: '3',
        tokenKey: 'USDC-31337',
        reason: 'Broken',
      },
    });
  }
});

const SEARCH = `query ($text: String!, $appId: ID) { search(text: $text, appId: $appId) {
  payments { id } customers { id } subscriptions { id } invoices { id } paymentLinks { id } } }`;

async function found(text: string, appId?: string): Promise<Record<string, string[]>> {
  const { data, errors } = await api.graphql(SEARCH, { text, appId }, { key });
  expect(errors).toBeUndefined();
  const kinds: [string, { id: string }[]][] = Object.entries(data.search);
  return Object.fromEntries(kinds.flatMap(([kind, rows]) => (rows.length ? [[kind, rows.map(({ id }) => id)]] : [])));
}

describe('search', () => {
  test('finds objects of every kind, only of this merchant', async () => {
    const { intent, customer, subscription, invoice, link, session } = ours;
    expect(await found(intent.toUpperCase())).toEqual({ payments: [intent] });
    expect(await found(session)).toEqual({ payments: [intent] });
    expect(await found(customer)).toEqual({ customers: [customer] });
    expect(await found(subscription)).toEqual({ subscriptions: [subscription] });
    expect(await found(invoice)).toEqual({ invoices: [invoice] });
    expect(await found(link)).toEqual({ paymentLinks: [link] });
    expect(await found(hash.toUpperCase().replace('0X', '0x'))).toEqual({ payments: [intent] });
    expect(await found(refundHash)).toEqual({ payments: [intent] });
    expect(await found(wallet.toLowerCase())).toEqual({ payments: [intent] });
    expect(await found(wallet.replace('9bf6', '9Bf6'))).toEqual({ payments: [intent] });
    expect(await found('0x70997970C51812dc3A010C7d01b50e0d17dc79C8')).toEqual({ customers: [customer] });
    expect(await found(' order-100%_ ')).toEqual({ payments: [intent] });
    expect(await found('order-1_0')).toEqual({});
    expect(await found('ada@exam')).toEqual({ customers: [customer] });
    expect(await found('ADA L')).toEqual({ customers: [customer] });
    expect(await found('crm-9')).toEqual({ customers: [customer] });
    expect(await found('inv-000001')).toEqual({ invoices: [invoice] });
    expect(await found(`l-${link}`)).toEqual({ paymentLinks: [link] });
  });

  test('finds nothing of another merchant or in another app', async () => {
    for (const id of Object.values(theirs)) expect(await found(id)).toEqual({});
    const inTheirs = await api.graphql(SEARCH, { text: 'ada', appId: api.merchantB.appId }, { key });
    expect(inTheirs.errors?.[0]?.extensions.code).toBe('AUTHORIZATION_ERROR');
  });

  test('returns at most the ten newest objects of a kind', async () => {
    const { appId } = api.merchantA;
    const ids = Array.from({ length: 12 }, () => newId());
    await api.database.customerAccount.createMany({ data: ids.map((id) => ({ id, appId, name: 'Many' })) });
    expect(await found('many')).toEqual({ customers: ids.reverse().slice(0, 10) });
  });

  test('refuses an empty text, one that is too long, and callers without read access', async () => {
    for (const text of [' ', 'x'.repeat(256)]) {
      const { errors } = await api.graphql(SEARCH, { text }, { key });
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_ERROR', param: 'text' });
    }
    expect((await api.graphql(SEARCH, { text: 'x' })).status).toBe(401);
    const publishable = await api.graphql(SEARCH, { text: 'x' }, { key: api.merchantA.publishableKey });
    expect(publishable.errors?.[0]?.extensions.code).toBe('AUTHORIZATION_ERROR');
  });
});

const LIST = `query ($filter: PaymentIntentFilter) { paymentIntents(filter: $filter) { nodes { id } totalCount } }`;

describe('the filter of payments', () => {
  test.each<[string, object, boolean]>([
    ['its token', { tokenKey: 'USDC-31337' }, true],
    ['another token', { tokenKey: 'USDT-31337' }, false],
    ['a text in its metadata', { metadata: [{ key: 'basket', value: 'blue' }] }, true],
    ['a number in its metadata', { metadata: [{ key: 'items', value: '3' }] }, true],
    [
      'two of them',
      {
        metadata: [
          { key: 'basket', value: 'blue' },
          { key: 'items', value: '4' },
        ],
      },
      false,
    ],
    ['a hash of any of its steps', { search: refundHash }, true],
    ['part of its reference', { search: '100%_' }, true],
    ['part of its customer’s email', { search: 'A@EXAMPLE' }, true],
    ['part of its customer’s name', { search: 'LOVEL' }, true],
    ['a part too short for the index', { search: '_7' }, true],
    ['its wallet in lower case', { search: wallet.toLowerCase() }, true],
    ['a text with a wildcard that it does not contain', { search: 'order_100' }, false],
    ['a text of its parts in another order', { search: '100%_order' }, false],
  ])('selects a payment by %s', async (_name, filter, isFound) => {
    const { data } = await api.graphql(LIST, { filter }, { key });
    expect(data.paymentIntents.nodes.map(({ id }: { id: string }) => id)).toEqual(isFound ? [ours.intent] : []);
  });

  test('selects a payment by its ID, and refuses six metadata conditions', async () => {
    const byId = await api.graphql(LIST, { filter: { search: ours.intent } }, { key });
    expect(byId.data.paymentIntents.totalCount).toBe(1);
    const foreign = await api.graphql(LIST, { filter: { search: theirs.intent } }, { key });
    expect(foreign.data.paymentIntents.totalCount).toBe(0);
    const filter = { metadata: Array.from({ length: 6 }, () => ({ key: 'a', value: 'b' })) };
    const { errors } = await api.graphql(LIST, { filter }, { key });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_ERROR', param: 'filter.metadata' });
  });
});

describe('the search for parts of a text', () => {
  const find = async (search: string, other: object = {}) => {
    const { data } = await api.graphql(LIST, { filter: { search, ...other } }, { key });
    return data.paymentIntents as { nodes: { id: string }[]; totalCount: number };
  };

  test('finds rare and common texts among the newest payments', async () => {
    const { appId } = api.merchantA;
    const settings = {
      timelockDuration: 60,
      disputeStartDuration: 30,
      platformFeeBps: 100,
      captureMode: 'AUTOMATIC' as const,
    };
    const payment = (externalId: string) => ({
      ...settings,
      id: newId(),
      appId,
      externalId,
      amount: '5',
      currency: 'USD',
    });
    const common = Array.from({ length: 25 }, (_, index) => payment(`Crate-${index}`));
    const rare = payment('Crêpe-OMEGA');
    await api.database.paymentIntent.createMany({ data: [...common, rare] });
    expect((await find('rate-')).totalCount).toBe(25);
    expect((await find('rate-24')).nodes).toEqual([{ id: common[24]?.id }]);
    expect((await find('êpe-om')).nodes).toEqual([{ id: rare.id }]);
    expect((await find('rate-', { appId })).totalCount).toBe(25);
    expect((await find('êpe-om', { status: ['SETTLED'] })).totalCount).toBe(0);
    // With statistics, only the rarest parts are searched in the index.
    await api.database.$executeRaw`ANALYZE payment_intent`;
    const parts = (await rarestParts(api.database, 'crate-24'))('payment_intent_reference_parts_idx');
    expect(parts).toHaveLength(4);
    expect(parts).toEqual(expect.arrayContaining(['-24', 'e-2']));
    expect((await find('crate-24')).nodes).toEqual([{ id: common[24]?.id }]);
    expect((await find('crêpe-omega')).nodes).toEqual([{ id: rare.id }]);
    await api.database.paymentIntent.deleteMany({ where: { id: { in: [...common, rare].map(({ id }) => id) } } });
  });
});

describe('the details of a payment', () => {
  test('include its refunds, the request of each event, and the prices behind its terms', async () => {
    const at = '2026-11-22T10:00:00.000Z';
    const evidence = [{ asset: 'USDC', priceUsd: '1', sources: [{ source: 'fixed', priceUsd: '1', at }] }];
    await api.database.quote.update({ where: { id: ours.quote }, data: { evidence } });
    const termsHash = `0x${'12'.repeat(32)}`;
    const authorizeBy = new Date();
    const terms = { chainId: 31337, tokenKey: 'USDC-31337', method: 'DIRECT' as const, operatorSignature: '0x1' };
    await api.database.paymentTerms.create({
      data: {
        ...terms,
        termsHash,
        quoteId: ours.quote,
        paymentIntentId: ours.intent,
        terms: {},
        exchangeRate: '1',
        authorizeBy,
      },
    });
    const made = await api.graphql('mutation { createPaymentIntent(input: { amount: "1" }) { id } }', {}, { key });
    const { data } = await api.graphql(
      `query ($id: ID!, $made: ID!) { paymentIntent(id: $id) {
        refunds { status amount leftoverAfter reason error } terms { hash accepted exchangeRate priceEvidence { asset priceUsd sources { source at } } } }
        made: paymentIntent(id: $made) { events { type requestId } } }`,
      { id: ours.intent, made: made.data.createPaymentIntent.id },
      { key },
    );
    expect(data.paymentIntent.refunds).toEqual([
      { status: 'PENDING', amount: '2', leftoverAfter: '3', reason: 'Broken', error: null },
    ]);
    expect(data.paymentIntent.terms).toEqual([
      {
        hash: termsHash,
        accepted: false,
        exchangeRate: '1',
        priceEvidence: [{ asset: 'USDC', priceUsd: '1', sources: [{ source: 'fixed', at }] }],
      },
    ]);
    expect(data.made.events).toEqual([{ type: 'payment_intent.created', requestId: made.headers.get('x-request-id') }]);
  });

  const VERIFY = 'query ($id: ID!) { paymentIntent(id: $id) { verification { verdict faults terms { left } } } }';

  test('are verified with the chain, report drift, and report an unavailable chain', async () => {
    const made = await api.graphql('mutation { createPaymentIntent(input: { amount: "2" }) { id } }', {}, { key });
    const { id } = made.data.createPaymentIntent;
    const match = await api.graphql(VERIFY, { id }, { key });
    expect(match.data.paymentIntent.verification).toEqual({ verdict: 'MATCH', faults: [], terms: [] });
    await api.database.paymentIntent.update({ where: { id }, data: { status: 'SETTLED' } });
    const drift = await api.graphql(VERIFY, { id }, { key });
    expect(drift.data.paymentIntent.verification).toMatchObject({
      verdict: 'DRIFT',
      faults: ['The status is SETTLED, the chain says CREATED.'],
    });
    const unreachable = await api.graphql(VERIFY, { id: ours.intent }, { key });
    expect(unreachable.errors?.[0]?.extensions.code).toBe('CHAIN_UNAVAILABLE');
  });

  test('cannot be verified for a whole list', async () => {
    const list = '{ paymentIntents(first: 50) { nodes { verification { verdict } } } }';
    const { errors } = await api.graphql(list, {}, { key });
    expect(errors?.[0]?.extensions.code).toBe('VALIDATION_ERROR');
  });
});
