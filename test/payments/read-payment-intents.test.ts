/** What the written statements read is what Prisma reads, and nothing of another merchant. */
import { beforeAll, describe, expect, it } from 'vitest';
import {
  countPaymentIntents,
  type IntentRelation,
  listPaymentIntents,
  readPaymentIntents,
} from '../../src/payments/read-payment-intents.ts';
import { newId } from '../../src/platform/identifier.ts';
import { openRestApi } from '../setup/api/rest.ts';
import { makeMerchantNodes } from '../setup/database/node-rows.ts';

const api = await openRestApi();
const { database, merchantA, merchantB } = api;
const scope = { merchantId: merchantA.merchantId, appId: merchantA.appId };
const everything: ReadonlySet<IntentRelation> = new Set(['transactions', 'payouts', 'dispute', 'customerAccount']);
const nothing: ReadonlySet<IntentRelation> = new Set();
const undelivered = {
  where: { deliveredAt: null },
  orderBy: [{ creditedAt: 'asc' as const }, { id: 'asc' as const }],
  take: 100,
};
const include = {
  payouts: undelivered,
  transactions: {
    orderBy: [{ createdAt: 'asc' as const }, { id: 'asc' as const }],
    take: 100,
    include: {
      payouts: undelivered,
      paymentIntent: { select: { acceptedTermsHash: true, authorizationChainId: true } },
    },
  },
  dispute: true,
  customerAccount: { include: { wallets: { orderBy: { id: 'asc' as const } } } },
};

const readPaymentIntent = async (
  from: typeof database,
  {
    id,
    ...request
  }: { scope: Parameters<typeof readPaymentIntents>[1]['scope']; id: string; relations: ReadonlySet<IntentRelation> },
) => (await readPaymentIntents(from, { ...request, ids: [id] })).get(id) ?? null;

let full: string;
let foreign: string;
beforeAll(async () => {
  const { nodes } = await makeMerchantNodes(database, merchantA);
  full = nodes.PaymentIntent;
  foreign = (await makeMerchantNodes(database, merchantB)).nodes.PaymentIntent;
  const now = new Date('2026-11-26T17:00:00.123Z');
  // Everything that a column may hold: amounts beyond a double, text that is no ASCII, JSON with numbers of any length.
  await database.paymentIntent.update({
    where: { id: full },
    data: {
      ...{
        customerAccountId: nodes.CustomerAccount,
        externalId: 'Bestellung №7 "ä"',
        exchangeRate: '0.000412345678901234',
      },
      ...{ cryptoAmount: '123456789012345678901234567890', leftAmount: '123456789012345678901234567890' },
      ...{
        metadata: { deep: [1, 1.5, null, { text: '☕' }], big: 9007199254740991 },
        authorizedAt: now,
        capturedAt: now,
      },
    },
  });
  for (let step = 0; step < 3; step += 1) {
    const id = newId();
    await database.transaction.create({
      data: {
        id,
        paymentIntentId: full,
        chainId: 31337,
        type: 'CAPTURE',
        amount: '99999999999999999999',
        gasUsed: 71_234n,
      },
    });
    const of = { paymentIntentId: full, transactionId: id, chainId: 31337, termsHash: '0x1', tokenKey: 'USDC-31337' };
    for (const deliveredAt of [null, now]) {
      const hash = `0x${newId()}`;
      await database.creditedPayout.create({
        data: {
          ...of,
          ...{
            id: newId(),
            token: '0x0000000000000000000000000000000000000002',
            role: 'MERCHANT',
            recipient: '0x0000000000000000000000000000000000000003',
            amount: '1',
            txHash: hash,
            blockHash: hash,
          },
          ...{ blockNumber: 9_007_199_254_740_993n, logIndex: step, creditedAt: now, nextTryAt: now, deliveredAt },
        },
      });
    }
  }
  for (let count = 0; count < 25; count += 1) {
    await api.rest('POST', '/payments/intents', { key: merchantA.secretKey, body: { amount: `${count + 1}.10` } });
  }
  await database.paymentIntent.updateMany({ where: { amount: '7.10' }, data: { status: 'CANCELLED' } });
});

describe('one intent', () => {
  it('with all of its relations', async () => {
    const read = await readPaymentIntent(database, { scope, id: full, relations: everything });
    const expected = await database.paymentIntent.findUnique({ where: { id: full }, include });
    expect(read).toEqual(expected);
    expect(read?.transactions?.length).toBe(4);
    expect(read?.payouts?.length).toBe(4);
    expect(read?.customerAccount?.wallets.length).toBeGreaterThan(0);
    expect(String(read?.cryptoAmount?.toFixed())).toBe('123456789012345678901234567890');
  });

  it('without relations, and where all of them are empty', async () => {
    expect(await readPaymentIntent(database, { scope, id: full, relations: nothing })).toEqual(
      await database.paymentIntent.findUnique({ where: { id: full } }),
    );
    const { id } = await database.paymentIntent.findFirstOrThrow({ where: { amount: '3.10' } });
    expect(await readPaymentIntent(database, { scope, id, relations: everything })).toEqual(
      await database.paymentIntent.findUnique({ where: { id }, include }),
    );
  });

  it('among several ids, of which some are not found', async () => {
    const { id } = await database.paymentIntent.findFirstOrThrow({ where: { amount: '3.10' } });
    const found = await readPaymentIntents(database, {
      scope,
      ids: [foreign, id, newId(), full],
      relations: everything,
    });
    expect([...found.keys()].sort()).toEqual([full, id].sort());
    expect(found.get(full)).toEqual(await database.paymentIntent.findUnique({ where: { id: full }, include }));
  });

  it('with no column, with some, and with all of them, in any order', async () => {
    const { id } = await database.paymentIntent.findFirstOrThrow({ where: { amount: '3.10' } });
    const read = async (columns: ReadonlySet<string> | null) =>
      (await readPaymentIntents(database, { scope, ids: [id, full], relations: nothing, columns })).get(full);
    const whole = await database.paymentIntent.findUnique({ where: { id: full } });
    for (let round = 0; round < 2; round += 1) {
      expect(await read(new Set())).toEqual({ id: full });
      expect(await read(null)).toEqual(whole);
      expect(await read(new Set(['amount']))).toEqual({ id: full, amount: whole?.amount });
    }
  });

  it('of another merchant or another app is not found', async () => {
    const ask = (id: string, within = scope) =>
      readPaymentIntent(database, { scope: within, id, relations: everything });
    expect(await ask(foreign)).toBeNull();
    expect(await ask(newId())).toBeNull();
    expect(await ask(full, { ...scope, appId: api.liveApp.appId })).toBeNull();
    expect(await ask(full, { ...scope, merchantId: merchantB.merchantId })).toBeNull();
    expect(
      (await readPaymentIntent(database, { scope: { ...scope, appId: null }, id: full, relations: nothing }))?.id,
    ).toBe(full);
    expect(
      await readPaymentIntent(database, {
        scope: { merchantId: merchantB.merchantId, appId: null },
        id: full,
        relations: nothing,
      }),
    ).toBeNull();
  });
});

describe('a page', () => {
  const windows = [
    { skip: 0, take: 20 },
    { skip: 20, take: 20 },
    { skip: 40, take: 20 },
  ];
  it.each(windows)('%o', async ({ skip, take }) => {
    for (const status of [null, 'CANCELLED', 'CREATED'] as const) {
      for (const appId of [scope.appId, null]) {
        const within = { merchantId: scope.merchantId, appId };
        const where = {
          app: { merchantId: scope.merchantId },
          ...(appId ? { appId } : {}),
          ...(status ? { status } : {}),
        };
        const read = await listPaymentIntents(database, { scope: within, status, skip, take, relations: everything });
        expect(read).toEqual(
          await database.paymentIntent.findMany({ where, skip, take, orderBy: { id: 'desc' }, include }),
        );
        expect(await countPaymentIntents(database, { scope: within, statuses: status ? [status] : [] })).toBe(
          await database.paymentIntent.count({ where }),
        );
      }
    }
  });
});

describe('through the API', () => {
  it('REST and GraphQL print the same intent', async () => {
    const { status, body } = await api.rest('GET', `/payments/intents/${full}`, { key: merchantA.secretKey });
    expect([status, body.error]).toEqual([200, undefined]);
    expect(body.data).toMatchObject({ id: full, cryptoAmount: '123456789012345678901234567890' });
    expect(body.data.transactions.map((step: { undelivered: unknown[] }) => step.undelivered.length)).toEqual([
      0, 1, 1, 1,
    ]);
    expect(body.data.undelivered).toHaveLength(4);
    const query = `query One($id: ID!) { paymentIntent(id: $id) { id amount metadata cryptoAmount status
      transactions { id undelivered { id } } dispute { id } customerAccount { id wallets { id } } quotes: ledger { id } } }`;
    const { data } = await api.graphql(query, { id: full }, { key: merchantA.secretKey });
    // The ledger is read by Prisma, and so is everything that is selected beside it.
    expect(data.paymentIntent).toMatchObject({ id: full, metadata: body.data.metadata });
    const plain = query.replace('quotes: ledger { id }', '');
    const written = await api.graphql(plain, { id: full }, { key: merchantA.secretKey });
    const { quotes: _quotes, ...rest } = data.paymentIntent;
    expect(written.data.paymentIntent).toEqual(rest);
  });

  it('a missing intent, another merchant’s and another app’s return the same error', async () => {
    for (const id of [newId(), foreign]) {
      expect((await api.rest('GET', `/payments/intents/${id}`, { key: merchantA.secretKey })).status).toBe(404);
    }
    expect((await api.rest('GET', `/payments/intents/${full}`, { key: api.liveApp.secretKey })).status).toBe(404);
    expect((await api.rest('GET', `/payments/intents/${full}`, {})).status).toBe(401);
    expect((await api.rest('GET', `/payments/intents/x`, { key: merchantA.secretKey })).status).toBe(400);
  });
});
