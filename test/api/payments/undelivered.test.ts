/** Undelivered payouts over GraphQL and REST: their fields, and the callers who may read and retry them. */
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PayoutRole, Prisma } from '../../../prisma/client.ts';
import { hashClientSecret, newClientSecret } from '../../../src/auth/client-secret.ts';
import { issueToken } from '../../../src/auth/tokens/issue-token.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';
import { paymentEnvironment, paymentIn } from '../../setup/chains/payment-in.ts';

const chainId = 31337;
const wallet = privateKeyToAccount(generatePrivateKey());
const USDC = '0x1000000000000000000000000000000000000001';
const creditedAt = new Date('2026-01-02T03:04:05Z');

let api: RestApi;
let settled: { id: string; termsHash: string };
let refunded: typeof settled;
let settlement: string;

/** Writes what the fold would write. */
async function credit(
  { id: paymentIntentId, termsHash }: { id: string; termsHash: string },
  role: PayoutRole,
  fields: { delivered?: boolean; by?: string; recipient?: string } = {},
) {
  const usual = role === 'PAYER' ? wallet.address : '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
  const recipient = (fields.recipient ?? usual).toLowerCase();
  await api.database.creditedPayout.create({
    data: {
      id: newId(),
      paymentIntentId,
      transactionId: fields.by ?? null,
      chainId,
      termsHash,
      role,
      recipient,
      token: USDC,
      tokenKey: 'USDC-31337',
      amount: '9900000',
      txHash: '0x02',
      blockNumber: 7n,
      blockHash: termsHash,
      logIndex: fields.delivered ? 3 : role === 'PAYER' ? 1 : 2,
      creditedAt,
      ...(fields.delivered ? { deliveredAt: new Date(), deliveredTo: recipient, deliveredTxHash: '0x03' } : {}),
      nextTryAt: new Date(Date.now() + 3_600_000),
    },
  });
}

beforeAll(async () => {
  api = await openRestApi(paymentEnvironment);
  const { appId } = api.merchantA;
  settled = await paymentIn(api, { appId, status: 'SETTLED' });
  refunded = await paymentIn(api, { appId, status: 'REFUNDED' });
  settlement = newId();
  await api.database.transaction.create({
    data: { id: settlement, paymentIntentId: settled.id, chainId, type: 'SETTLE', status: 'CONFIRMED', txHash: '0x02' },
  });
  await credit(settled, 'MERCHANT', { by: settlement });
  await credit(settled, 'FEE_RECIPIENT', { delivered: true });
  await credit(refunded, 'PAYER');
  await api.database.paymentIntent.update({
    where: { id: refunded.id },
    data: { authorizationWalletAddress: wallet.address },
  });
});

/** The headers of a member with read access only. */
async function viewerOf(merchantId: string) {
  const [id, sessionId] = [newId(), newId()];
  await api.database.member.create({ data: { id, merchantId, email: `${id}@example.com`, role: 'VIEWER' } });
  const createdAt = api.world.clock.now();
  const expiresAt = new Date(createdAt.getTime() + 3_600_000);
  await api.database.memberSession.create({ data: { id: sessionId, memberId: id, expiresAt, createdAt } });
  const { token } = await issueToken(api.world, { subject: { audience: 'dashboard', memberId: id, sessionId } });
  return { headers: { authorization: `Bearer ${token}` } };
}

const FIELDS = 'role recipient chainId tokenKey amount formatted since txHash advice';
const PAYMENT = `query ($id: ID!) { paymentIntent(id: $id) { status undelivered { ${FIELDS} } settlementWaitsUntil
  transactions { id undelivered { role amount } } } }`;
const OVERVIEW = `{ overview { undelivered { role recipient tokenKey payments amount formatted since advice paymentIntentId
  nextTryAt isBeingDelivered } } }`;
const UNDER_WAY = `query ($id: ID!) { paymentIntent(id: $id) { undelivered { isBeingDelivered } }
  overview { undelivered { role isBeingDelivered } } }`;
const DELIVER = 'mutation ($id: ID!) { deliverPayouts(id: $id) { id status } }';

describe('an undelivered payout', () => {
  it('is returned for the payment and its transaction with advice, but not after delivery', async () => {
    const { data } = await api.graphql(PAYMENT, { id: settled.id }, { key: api.merchantA.secretKey });
    expect(data.paymentIntent).toEqual({
      status: 'SETTLED',
      settlementWaitsUntil: null,
      undelivered: [
        {
          role: 'MERCHANT',
          recipient: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
          chainId,
          tokenKey: 'USDC-31337',
          amount: '9900000',
          formatted: '9.9',
          since: creditedAt.toISOString(),
          txHash: '0x02',
          advice: expect.stringContaining('claimFor(0x70997970C51812dc3A010C7d01b50e0d17dc79C8, 0x1000'),
        },
      ],
      transactions: [{ id: settlement, undelivered: [{ role: 'MERCHANT', amount: '9900000' }] }],
    });
  });

  it('is returned over REST', async () => {
    const { status, body } = await api.rest('GET', `/payments/intents/${settled.id}`, { key: api.merchantA.secretKey });
    expect(status).toBe(200);
    expect(JSON.stringify(body)).toContain('"formatted":"9.9"');
  });

  it('is summed by recipient and token in the overview, whenever the payment was created', async () => {
    const { data } = await api.graphql(OVERVIEW, {}, { key: api.merchantA.secretKey });
    const sums: { paymentIntentId: string; nextTryAt: string }[] = data.overview.undelivered;
    const sum = { payments: 1, amount: '9900000', formatted: '9.9', since: creditedAt.toISOString() };
    expect(sums).toHaveLength(2);
    for (const [{ id }, role] of [[settled, 'MERCHANT'] as const, [refunded, 'PAYER'] as const]) {
      const own = sums.find(({ paymentIntentId }) => paymentIntentId === id);
      expect(own).toMatchObject({ ...sum, role, isBeingDelivered: false });
      expect(Date.parse(own?.nextTryAt ?? '')).toBeGreaterThan(Date.now());
    }
  });

  it('is being delivered while a later claim for its recipient is in progress', async () => {
    const [payout] = await api.database.creditedPayout.findMany({
      where: { paymentIntentId: settled.id, deliveredAt: null },
    });
    const { recipient = '', createdAt = new Date() } = payout ?? {};
    const isUnderWay = async () => {
      const { data } = await api.graphql(UNDER_WAY, { id: settled.id }, { key: api.merchantA.secretKey });
      const sums: { role: string; isBeingDelivered: boolean }[] = data.overview.undelivered;
      const others = sums.filter(({ role }) => role !== 'MERCHANT');
      expect(others.map(({ isBeingDelivered }) => isBeingDelivered)).toEqual([false]);
      const own = sums.filter(({ role }) => role === 'MERCHANT');
      return [...data.paymentIntent.undelivered, ...own].map(({ isBeingDelivered }) => isBeingDelivered);
    };
    const claim = await api.database.outgoingTransaction.create({
      data: {
        id: newId(),
        chainId,
        sender: wallet.address,
        toAddress: wallet.address,
        data: '0x',
        purpose: `claim:${chainId}:${recipient}:${USDC}:1`,
        createdAt: new Date(createdAt.getTime() - 1),
      },
    });
    const become = (data: Prisma.OutgoingTransactionUpdateInput) =>
      api.database.outgoingTransaction.update({ where: { id: claim.id }, data });
    expect(await isUnderWay()).toEqual([false, false]);
    for (const status of ['QUEUED', 'MINED'] as const) {
      await become({ status, createdAt });
      expect(await isUnderWay()).toEqual([true, true]);
    }
    await become({ status: 'FAILED' });
    expect(await isUnderWay()).toEqual([false, false]);
  });

  it('is not visible to another merchant', async () => {
    const key = api.merchantB.secretKey;
    const asked = await api.graphql(PAYMENT, { id: settled.id }, { key });
    expect(asked.data?.paymentIntent ?? null).toBeNull();
    const { data } = await api.graphql(OVERVIEW, {}, { key });
    expect(data.overview.undelivered).toEqual([]);
    const { errors } = await api.graphql(DELIVER, { id: settled.id }, { key });
    const { errors: missing } = await api.graphql(DELIVER, { id: newId() }, { key });
    expect(errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    expect(errors?.[0]?.message).toBe(missing?.[0]?.message);
  });

  it('is visible to the payer whose wallet receives it, and to no other wallet', async () => {
    // Another wallet paid the same intent. That payment was not accepted and was returned.
    const returned = { id: refunded.id, termsHash: `0x${'77'.repeat(32)}` };
    const other = privateKeyToAccount(generatePrivateKey());
    await credit(returned, 'PAYER', { recipient: other.address });
    const seen = async (account: typeof wallet) => {
      const challenge = `mutation ($input: RequestPayerLoginInput!) { requestPayerLogin(input: $input) { message } }`;
      const login = `mutation ($input: VerifyPayerLoginInput!) { verifyPayerLogin(input: $input) { accessToken } }`;
      const asked = await api.graphql(challenge, { input: { wallet: account.address, chainId } });
      const { message } = asked.data.requestPayerLogin;
      const { data } = await api.graphql(login, {
        input: { message, signature: await account.signMessage({ message }) },
      });
      const headers = { authorization: `Bearer ${data.verifyPayerLogin.accessToken}` };
      const own = '{ payer { undelivered { role recipient } payments { id undelivered { role recipient } } } }';
      return (await api.graphql(own, {}, { headers })).data.payer;
    };
    const ownOf = ({ address }: typeof wallet) => [{ role: 'PAYER', recipient: address }];
    expect(await seen(wallet)).toEqual({
      undelivered: ownOf(wallet),
      payments: [{ id: refunded.id, undelivered: ownOf(wallet) }],
    });
    expect(await seen(other)).toEqual({ undelivered: ownOf(other), payments: [] });
    expect(await seen(privateKeyToAccount(generatePrivateKey()))).toEqual({ undelivered: [], payments: [] });
  });

  it('is visible with its checkout session’s secret, if the payer receives it', async () => {
    const seen = async (paymentIntentId: string) => {
      const id = newId();
      const clientSecret = newClientSecret(id);
      const [amount, expiresAt] = ['10', new Date(Date.now() + 3_600_000)];
      await api.database.checkoutSession.create({
        data: {
          id,
          appId: api.merchantA.appId,
          clientSecretHash: hashClientSecret(clientSecret),
          amount,
          currency: 'USD',
          subtotal: amount,
          taxAmount: '0',
          paymentIntentId,
          expiresAt,
        },
      });
      const query = `query ($id: ID!) { checkout(id: $id) { payment { undelivered { role formatted } } }
        viewer { session { paymentIntent { undelivered { role formatted }
          undeliveredConnection { totalCount nodes { role formatted } } } } } }`;
      const { data } = await api.graphql(query, { id }, { clientSecret });
      const { undelivered, undeliveredConnection } = data.viewer.session.paymentIntent;
      expect(undeliveredConnection).toEqual({ totalCount: undelivered.length, nodes: undelivered });
      expect(undelivered).toEqual(data.checkout.payment.undelivered);
      return undelivered;
    };
    expect(await seen(refunded.id)).toEqual([{ role: 'PAYER', formatted: '9.9' }]);
    expect(await seen(settled.id)).toEqual([]);
  });
});

describe('deliverPayouts', () => {
  it('requires a member or key that may write', async () => {
    const codes = async (credential: Parameters<typeof api.graphql>[2]) =>
      (await api.graphql(DELIVER, { id: settled.id }, credential)).errors?.map(({ extensions }) => extensions.code);
    const { merchantId, publishableKey } = api.merchantA;
    const viewer = await viewerOf(merchantId);
    expect(await codes({})).toEqual(['AUTHENTICATION_ERROR']);
    expect(await codes({ key: publishableKey })).toEqual(['AUTHORIZATION_ERROR']);
    expect(await codes(viewer)).toEqual(['AUTHORIZATION_ERROR']);
    expect(await api.database.creditedPayout.count({ where: { nextTryAt: { lte: new Date() } } })).toBe(0);
    const { errors } = await api.graphql(DELIVER, { id: 'nothing' }, { key: api.merchantA.secretKey });
    expect(errors?.[0]?.extensions.code).toBe('VALIDATION_ERROR');
  });

  it('makes undelivered payouts due with one job for their recipient', async () => {
    const { data } = await api.graphql(DELIVER, { id: settled.id }, { key: api.merchantA.secretKey });
    expect(data.deliverPayouts).toEqual({ id: settled.id, status: 'SETTLED' });
    const [payout] = await api.database.creditedPayout.findMany({
      where: { paymentIntentId: settled.id, deliveredAt: null },
    });
    expect(payout?.nextTryAt.getTime()).toBeLessThanOrEqual(api.world.clock.now().getTime());
    const jobs = await api.database.$queryRaw<{ key: string }[]>`
      SELECT key FROM graphile_worker.jobs WHERE key LIKE 'deliver:%'`;
    expect(jobs).toEqual([{ key: `deliver:${chainId}:${payout?.recipient}:${USDC}` }]);
  });

  it('is executed once for an idempotency key', async () => {
    const named = { key: api.merchantA.secretKey, headers: { 'idempotency-key': 'deliver' } };
    const first = await api.graphql(DELIVER, { id: settled.id }, named);
    const later = new Date(Date.now() + 3_600_000);
    await api.database.creditedPayout.updateMany({ data: { nextTryAt: later } });
    const again = await api.graphql(DELIVER, { id: settled.id }, named);
    expect([first.headers.get('idempotent-replayed'), again.headers.get('idempotent-replayed')]).toEqual([
      null,
      'true',
    ]);
    expect(again.data).toEqual(first.data);
    expect(await api.database.creditedPayout.count({ where: { nextTryAt: { not: later } } })).toBe(0);
  });

  it('is refused if everything is delivered', async () => {
    const paid = await paymentIn(api, { appId: api.merchantA.appId, status: 'SETTLED' });
    const { errors } = await api.graphql(DELIVER, { id: paid.id }, { key: api.merchantA.secretKey });
    expect(errors?.[0]?.extensions.code).toBe('INVALID_STATE');
  });
});
