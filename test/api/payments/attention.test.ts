/** Cases for a merchant's attention: flags of payments, their filters over GraphQL and REST, and bounded counts. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { PaymentIntentStatus, Prisma } from '../../../prisma/client.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';
import { paymentEnvironment, paymentIn } from '../../setup/chains/payment-in.ts';
import { makeTenantRows, type TenantRows } from '../../setup/database/tenant-rows.ts';

const DAY_MS = 86_400_000;
const LIST = `query ($filter: PaymentIntentFilter) { paymentIntents(filter: $filter, first: 50) { totalCount nodes { id flags } } }`;
const ATTENTION = `query ($appId: ID) { attention(appId: $appId) { kind count hasMore dueAt createdFrom } }`;

let api: RestApi;
let rows: TenantRows;
let key: string;
const ids: Record<'plain' | 'disputed' | 'partly' | 'refunded' | 'undelivered' | 'mispaid' | 'late', string> = {
  plain: '',
  disputed: '',
  partly: '',
  refunded: '',
  undelivered: '',
  mispaid: '',
  late: '',
};

async function payment(status: PaymentIntentStatus, data: Prisma.PaymentIntentUpdateInput = {}): Promise<string> {
  const { id } = await paymentIn(api, { appId: api.merchantA.appId, status });
  await api.database.paymentIntent.update({ where: { id }, data });
  return id;
}

beforeAll(async () => {
  api = await openRestApi(paymentEnvironment);
  key = api.merchantA.secretKey;
  const refundedAt = new Date();
  ids.plain = await payment('CAPTURED');
  ids.disputed = await payment('CAPTURED', {
    refundedAt,
    dispute: { create: { id: newId(), deadline: new Date(Date.now() + 5 * DAY_MS) } },
  });
  ids.partly = await payment('SETTLED', { refundedAt });
  ids.refunded = await payment('REFUNDED', { refundedAt });
  ids.undelivered = await payment('SETTLED', {
    payouts: {
      create: {
        id: newId(),
        chainId: 31337,
        termsHash: '0x01',
        role: 'MERCHANT',
        recipient: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
        token: '0x1000000000000000000000000000000000000001',
        tokenKey: 'USDC-31337',
        amount: '10',
        txHash: '0x02',
        blockNumber: 7n,
        blockHash: '0x03',
        logIndex: 1,
        creditedAt: new Date(),
        nextTryAt: new Date(),
      },
    },
  });
  ids.mispaid = await payment('CAPTURED', { strayPayments: { create: { kind: 'MISPAID' } } });
  ids.late = await payment('CANCELLED', { strayPayments: { create: { kind: 'LATE' } } });
  // The other merchant has a payment with every flag.
  rows = await makeTenantRows(api.database, api.merchantB);
  await api.database.strayPayment.createMany({
    data: [
      { paymentIntentId: rows.intent, kind: 'MISPAID' },
      { paymentIntentId: rows.intent, kind: 'LATE' },
    ],
  });
  await api.database.paymentIntent.update({ where: { id: rows.intent }, data: { refundedAt } });
});

const list = async (filter: object) => {
  const { data, errors } = await api.graphql(LIST, { filter }, { key });
  expect(errors).toBeUndefined();
  return data.paymentIntents as { totalCount: number; nodes: { id: string; flags: string[] }[] };
};

describe('the flags of a payment', () => {
  it('report what is unusual besides the status', async () => {
    const { nodes } = await list({});
    const flags = new Map(nodes.map((node) => [node.id, node.flags]));
    expect(Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, flags.get(id)]))).toEqual({
      plain: [],
      disputed: ['DISPUTED', 'PARTIALLY_REFUNDED'],
      partly: ['PARTIALLY_REFUNDED'],
      refunded: [],
      undelivered: ['UNDELIVERED'],
      mispaid: ['MISPAID'],
      late: ['LATE'],
    });
  });

  it.each([
    [['DISPUTED'], ['disputed']],
    [['PARTIALLY_REFUNDED'], ['partly', 'disputed']],
    [['UNDELIVERED'], ['undelivered']],
    [['MISPAID'], ['mispaid']],
    [['LATE'], ['late']],
    [
      ['LATE', 'MISPAID', 'LATE'],
      ['late', 'mispaid'],
    ],
  ] as const)('filter the list by %s, newest first, with a count', async (flags, names) => {
    const { nodes, totalCount } = await list({ flags });
    expect(nodes.map(({ id }) => id)).toEqual(names.map((name) => ids[name]));
    expect(totalCount).toBe(names.length);
  });

  it('combine with the status, and an empty list does not filter', async () => {
    const { nodes } = await list({ flags: ['PARTIALLY_REFUNDED'], status: ['CAPTURED'] });
    expect(nodes.map(({ id }) => id)).toEqual([ids.disputed]);
    expect((await list({ flags: [] })).totalCount).toBe(7);
  });

  it('filter the numbered pages of REST, and an unknown flag is named', async () => {
    const { status, body } = await api.rest('GET', '/payments/intents?flag=PARTIALLY_REFUNDED&pageSize=1', { key });
    expect([status, body.data.map(({ id }: { id: string }) => id)]).toEqual([200, [ids.partly]]);
    expect(body.pagination).toEqual({ total: 2, page: 1, pageSize: 1, totalPages: 2 });
    const both = await api.rest('GET', '/payments/intents?flag=PARTIALLY_REFUNDED&status=CAPTURED', { key });
    expect(both.body.data.map(({ id }: { id: string }) => id)).toEqual([ids.disputed]);
    const bad = await api.rest('GET', '/payments/intents?flag=ODD', { key });
    expect([bad.status, bad.body.error.details]).toMatchObject([400, [{ param: 'flag' }]]);
  });

  it('are refused over GraphQL if unknown', async () => {
    const { errors } = await api.graphql(LIST, { filter: { flags: ['ODD'] } }, { key });
    expect(errors?.[0]?.extensions?.code).toBe('VALIDATION_ERROR');
  });

  it('require a secret key', async () => {
    const { errors } = await api.graphql(LIST, { filter: { flags: ['LATE'] } });
    expect(errors?.[0]?.extensions?.code).toBe('AUTHENTICATION_ERROR');
    const publishable = await api.graphql(ATTENTION, {}, { key: api.merchantA.publishableKey });
    expect(publishable.errors?.[0]?.extensions?.code).toBe('AUTHORIZATION_ERROR');
  });
});

describe('attention', () => {
  it('counts the caller’s own cases, most urgent first, with the earliest deadline', async () => {
    const { data } = await api.graphql(ATTENTION, { appId: api.merchantA.appId }, { key });
    const found: { kind: string; count: number; hasMore: boolean; dueAt: string | null; createdFrom: string | null }[] =
      data.attention;
    expect(found.map(({ kind, count, hasMore }) => [kind, count, hasMore])).toEqual([
      ['OPEN_DISPUTES', 1, false],
      ['UNDELIVERED_PAYMENTS', 1, false],
      ['MISPAID_PAYMENTS', 1, false],
      ['LATE_PAYMENTS', 1, false],
    ]);
    const dispute = await api.database.dispute.findUniqueOrThrow({ where: { paymentIntentId: ids.disputed } });
    expect(found[0]?.dueAt).toBe(dispute.deadline.toISOString());
    expect(Date.parse(found[2]?.createdFrom ?? '')).toBeGreaterThan(Date.now() - 31 * DAY_MS);
  });

  it('refuses another merchant’s app', async () => {
    const { errors } = await api.graphql(ATTENTION, { appId: api.merchantB.appId }, { key });
    expect(errors?.[0]?.extensions?.code).toBe('AUTHORIZATION_ERROR');
  });

  it('counts failed renewals, which the filter lists, and automatically disabled endpoints', async () => {
    const other = api.merchantB.secretKey;
    const kinds = async () => {
      const { data } = await api.graphql(ATTENTION, {}, { key: other });
      return data.attention.map(({ kind }: { kind: string }) => kind);
    };
    const listed = async () => {
      const query = '{ subscriptions(filter: { renewalFailed: true }) { totalCount nodes { id } } }';
      return (await api.graphql(query, {}, { key: other })).data.subscriptions;
    };
    await api.database.webhookEndpoint.update({ where: { id: rows.endpoint }, data: { active: false } });
    expect(await kinds()).toEqual(['OPEN_DISPUTES', 'MISPAID_PAYMENTS', 'LATE_PAYMENTS']);
    expect(await listed()).toEqual({ totalCount: 0, nodes: [] });
    await api.database.webhookEndpoint.update({ where: { id: rows.endpoint }, data: { disabledReason: 'gone' } });
    const subscription = { where: { id: rows.subscription } };
    await api.database.subscription.update({ ...subscription, data: { status: 'PAST_DUE', captureRetryCount: 4 } });
    expect(await kinds()).toEqual([
      'OPEN_DISPUTES',
      'FAILED_RENEWALS',
      'DISABLED_WEBHOOKS',
      'MISPAID_PAYMENTS',
      'LATE_PAYMENTS',
    ]);
    expect(await listed()).toEqual({ totalCount: 1, nodes: [{ id: rows.subscription }] });
    await api.database.subscription.update({ ...subscription, data: { status: 'CANCELLED' } });
    expect(await kinds()).not.toContain('FAILED_RENEWALS');
  });

  it('counts at most 100 rows, and reports whether there are more', async () => {
    const { appId } = api.merchantA;
    const shared = { appId, amount: '1', currency: 'USD', captureMode: 'MANUAL' as const, platformFeeBps: 100 };
    const intents = Array.from({ length: 101 }, () => ({
      ...shared,
      id: newId(),
      timelockDuration: 1,
      disputeStartDuration: 1,
    }));
    await api.database.paymentIntent.createMany({ data: intents });
    await api.database.strayPayment.createMany({
      data: intents.map(({ id }) => ({ paymentIntentId: id, kind: 'LATE' as const })),
    });
    const late = async () => {
      const { data } = await api.graphql(ATTENTION, {}, { key });
      return data.attention.find(({ kind }: { kind: string }) => kind === 'LATE_PAYMENTS');
    };
    expect(await late()).toMatchObject({ count: 100, hasMore: true });
    const old = new Date(Date.now() - 40 * DAY_MS);
    const where = { id: { in: intents.map(({ id }) => id) } };
    await api.database.paymentIntent.updateMany({ where, data: { createdAt: old } });
    expect(await late()).toMatchObject({ count: 1, hasMore: false });
  });
});
