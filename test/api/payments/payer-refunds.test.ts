/** The fields of refunds and of the merchant's contact that a client secret and a wallet may read, and those that neither may. */
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RefundStatus } from '../../../prisma/client.ts';
import { hashClientSecret, newClientSecret } from '../../../src/auth/client-secret.ts';
import { FOUND_REASON } from '../../../src/payments/facts/record-steps.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';
import { paymentEnvironment, paymentIn } from '../../setup/chains/payment-in.ts';

const chainId = 31337;
const wallet = privateKeyToAccount(generatePrivateKey());
const stranger = privateKeyToAccount(generatePrivateKey());
const confirmedAt = new Date('2026-01-02T03:04:05Z');
const OTHER_TERMS = `0x${'22'.repeat(32)}`;

let api: RestApi;
let payment: { id: string; termsHash: string };
let session: { id: string; clientSecret: string };
let otherSession: typeof session;

beforeAll(async () => {
  api = await openRestApi(paymentEnvironment);
  const { appId } = api.merchantA;
  payment = await paymentIn(api, { appId, status: 'CAPTURED' });
  await api.database.paymentIntent.update({
    where: { id: payment.id },
    data: { authorizationWalletAddress: wallet.address, cryptoAmount: '10' },
  });
  await refund({ amount: '2', status: 'CONFIRMED', reason: 'One cup was cold', txHash: '0x01' });
  const undelivered = await refund({ amount: '3', status: 'CONFIRMED', reason: FOUND_REASON, txHash: '0x02' });
  await credit(undelivered);
  await refund({
    amount: '1',
    status: 'FAILED',
    reason: 'A mistake',
    error: 'The node refused: internal address 10.0.0.7',
  });
  await refund({ amount: '4', status: 'PENDING', reason: 'So was the second' });
  // Another wallet paid the same intent, and its payment was returned.
  await refund({
    amount: '9',
    status: 'CONFIRMED',
    reason: 'Of somebody else',
    txHash: '0x03',
    termsHash: OTHER_TERMS,
  });
  session = await sessionFor(payment.id);
  otherSession = await sessionFor((await paymentIn(api, { appId, status: 'CAPTURED' })).id);
});

type Given = {
  amount: string;
  status: RefundStatus;
  reason: string;
  txHash?: string;
  error?: string;
  termsHash?: string;
};

/** Writes what the fold would write, and returns the ID of the transaction. */
async function refund({
  amount,
  status,
  reason,
  txHash,
  error,
  termsHash = payment.termsHash,
}: Given): Promise<string> {
  const transactionId = newId();
  const paymentIntentId = payment.id;
  await api.database.transaction.create({
    data: {
      id: transactionId,
      paymentIntentId,
      chainId,
      type: 'REFUND',
      status,
      termsHash,
      txHash: txHash ?? null,
      amount,
      error: error ?? null,
    },
  });
  await api.database.refund.create({
    data: {
      id: newId(),
      paymentIntentId,
      transactionId,
      amount,
      leftoverAfter: '0',
      tokenKey: 'USDC-31337',
      reason,
      status,
      error: error ?? null,
      confirmedAt: status === 'CONFIRMED' ? confirmedAt : null,
    },
  });
  return transactionId;
}

async function credit(transactionId: string): Promise<void> {
  await api.database.creditedPayout.create({
    data: {
      id: newId(),
      paymentIntentId: payment.id,
      transactionId,
      chainId,
      termsHash: payment.termsHash,
      role: 'PAYER',
      recipient: wallet.address.toLowerCase(),
      token: '0x1000000000000000000000000000000000000001',
      tokenKey: 'USDC-31337',
      amount: '3',
      txHash: '0x02',
      blockNumber: 7n,
      blockHash: payment.termsHash,
      logIndex: 1,
      creditedAt: confirmedAt,
      nextTryAt: new Date(Date.now() + 3_600_000),
    },
  });
}

async function sessionFor(paymentIntentId: string): Promise<{ id: string; clientSecret: string }> {
  const id = newId();
  const clientSecret = newClientSecret(id);
  await api.database.checkoutSession.create({
    data: {
      id,
      appId: api.merchantA.appId,
      clientSecretHash: hashClientSecret(clientSecret),
      amount: '10',
      currency: 'USD',
      subtotal: '10',
      taxAmount: '0',
      paymentIntentId,
      expiresAt: new Date(Date.now() + 3_600_000),
    },
  });
  return { id, clientSecret };
}

async function bearer(account: PrivateKeyAccount): Promise<{ headers: Record<string, string> }> {
  const asked = await api.graphql(
    'mutation ($input: RequestPayerLoginInput!) { requestPayerLogin(input: $input) { message } }',
    { input: { wallet: account.address, chainId } },
  );
  const { message } = asked.data.requestPayerLogin;
  const { data } = await api.graphql(
    'mutation ($input: VerifyPayerLoginInput!) { verifyPayerLogin(input: $input) { accessToken } }',
    { input: { message, signature: await account.signMessage({ message }) } },
  );
  return { headers: { authorization: `Bearer ${data.verifyPayerLogin.accessToken}` } };
}

const FIELDS = 'status amount tokenKey chainId reason txHash isUndelivered confirmedAt';
const CONTACT = 'contact { supportEmail supportUrl websiteUrl }';
const CHECKOUT = `query ($id: ID!) { checkout(id: $id) { ${CONTACT} payment { refunds { ${FIELDS} } } } }`;
const PAYER = `{ payer { payments { id ${CONTACT} refunds { ${FIELDS} } } } }`;
const codeOf = (answer: { errors?: { extensions: { code: string } }[] }) => answer.errors?.[0]?.extensions.code;

const ofToken = { tokenKey: 'USDC-31337', chainId };
const shown = [
  {
    ...ofToken,
    status: 'CONFIRMED',
    amount: '2',
    reason: 'One cup was cold',
    txHash: '0x01',
    isUndelivered: false,
    confirmedAt: confirmedAt.toISOString(),
  },
  {
    ...ofToken,
    status: 'CONFIRMED',
    amount: '3',
    reason: null,
    txHash: '0x02',
    isUndelivered: true,
    confirmedAt: confirmedAt.toISOString(),
  },
  {
    ...ofToken,
    status: 'FAILED',
    amount: '1',
    reason: 'A mistake',
    txHash: null,
    isUndelivered: false,
    confirmedAt: null,
  },
  {
    ...ofToken,
    status: 'PENDING',
    amount: '4',
    reason: 'So was the second',
    txHash: null,
    isUndelivered: false,
    confirmedAt: null,
  },
];

describe('the refunds of a payment', () => {
  it('are visible with the client secret, except for those of another payer of the same intent', async () => {
    const { id, clientSecret } = session;
    const { data, errors } = await api.graphql(CHECKOUT, { id }, { clientSecret });
    expect(errors).toBeUndefined();
    expect(data.checkout.payment.refunds).toEqual(shown);
    const none = await api.graphql(CHECKOUT, { id: otherSession.id }, { clientSecret: otherSession.clientSecret });
    expect(none.data.checkout.payment.refunds).toEqual([]);
  });

  it('are visible to the wallet that paid, and to no other wallet', async () => {
    const { data } = await api.graphql(PAYER, {}, await bearer(wallet));
    expect(data.payer.payments).toMatchObject([{ id: payment.id, refunds: shown }]);
    const { data: nothing } = await api.graphql(PAYER, {}, await bearer(stranger));
    expect(nothing.payer.payments).toEqual([]);
  });

  it('contain only these fields, without identifiers, errors or the merchant’s balance', async () => {
    const { data } = await api.graphql('{ __type(name: "PayerRefund") { fields { name } } }');
    expect(data.__type.fields.map(({ name }: { name: string }) => name).sort()).toEqual(
      [...FIELDS.split(' '), 'createdAt'].sort(),
    );
    const { id, clientSecret } = session;
    const answer = await api.graphql(CHECKOUT, { id }, { clientSecret });
    const payers = await api.graphql(PAYER, {}, await bearer(wallet));
    for (const text of [answer, payers].map((one) => JSON.stringify(one.data))) {
      expect(text).not.toContain('10.0.0.7');
      expect(text).not.toContain('Of somebody else');
    }
  });

  it("cannot be read in the merchant's form with a client secret or by a wallet", async () => {
    const { id, clientSecret } = session;
    const inside = `query ($id: ID!) { checkout(id: $id) { session { paymentIntent { refunds { error } } } } }`;
    expect(codeOf(await api.graphql(inside, { id }, { clientSecret }))).toBe('AUTHORIZATION_ERROR');
    const document = 'query ($id: ID!) { paymentIntent(id: $id) { refunds { error } } }';
    for (const credential of [{ clientSecret }, await bearer(wallet)])
      expect(codeOf(await api.graphql(document, { id: payment.id }, credential))).toBe('AUTHORIZATION_ERROR');
  });

  it("cannot be read without a credential, with another session's secret or for a missing session", async () => {
    expect(codeOf(await api.graphql(CHECKOUT, { id: session.id }))).toBe('AUTHENTICATION_ERROR');
    const { clientSecret } = otherSession;
    for (const id of [session.id, newId()])
      expect(codeOf(await api.graphql(CHECKOUT, { id }, { clientSecret }))).toBe('NOT_FOUND');
    expect(codeOf(await api.graphql(PAYER))).toBe('AUTHENTICATION_ERROR');
  });
});

describe('the contact of an app', () => {
  const UPDATE = `mutation ($id: ID, $input: UpdateAppInput!) { updateApp(id: $id, input: $input) {
    id supportEmail supportUrl websiteUrl } }`;
  const update = (input: object, key: string | undefined = api.merchantA.secretKey, id?: string) =>
    api.graphql(UPDATE, { input, id }, key === '' ? {} : { key });
  const contact = {
    supportEmail: 'help@tea.example',
    supportUrl: 'https://tea.example/help',
    websiteUrl: 'https://tea.example',
  };

  it('is set, visible to payers, audited, kept by other updates, and removed', async () => {
    const { id, clientSecret } = session;
    const seen = async () => (await api.graphql(CHECKOUT, { id }, { clientSecret })).data.checkout.contact;
    expect(await seen()).toEqual({ supportEmail: null, supportUrl: null, websiteUrl: null });
    expect((await update(contact)).data.updateApp).toMatchObject(contact);
    await update({ name: 'Alpha' });
    expect(await seen()).toEqual(contact);
    const { data } = await api.graphql(PAYER, {}, await bearer(wallet));
    expect(data.payer.payments).toMatchObject([{ contact }]);
    const { appId, secretKey: key } = api.merchantA;
    await api.rest('POST', '/payment-links', { key, body: { appId, name: 'Tea', slug: 'tea', amount: '1.00' } });
    const offer = `{ linkOffer(slug: "tea") { ${CONTACT} } }`;
    expect((await api.graphql(offer)).data.linkOffer).toEqual({ contact });
    const audited = await api.database.auditEntry.findFirstOrThrow({
      where: { action: 'app.updated', appId: api.merchantA.appId },
      orderBy: { id: 'asc' },
    });
    expect(audited.after).toMatchObject(contact);
    await update({ supportEmail: null, supportUrl: null, websiteUrl: null });
    expect(await seen()).toEqual({ supportEmail: null, supportUrl: null, websiteUrl: null });
  });

  it('is refused with every invalid field named, and nothing is changed', async () => {
    const { errors } = await update({
      name: 'Not written',
      supportEmail: 'not an address',
      supportUrl: 'https://bank.example@tea.example/',
      websiteUrl: 'https://user:secret@tea.example',
    });
    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [
        { param: 'supportEmail', message: 'an email address' },
        { param: 'supportUrl', message: 'without a user name or password' },
        { param: 'websiteUrl', message: 'without a user name or password' },
      ],
    });
    for (const input of [
      { supportEmail: `${'x'.repeat(250)}@tea.example` },
      { supportEmail: '' },
      { supportUrl: 'javascript:alert(1)' },
      { websiteUrl: 'ftp://tea.example' },
      { websiteUrl: `https://tea.example/${'x'.repeat(2048)}` },
    ])
      expect(codeOf(await update(input)), JSON.stringify(input)).toBe('VALIDATION_ERROR');
    const app = await api.database.app.findUniqueOrThrow({ where: { id: api.merchantA.appId } });
    expect(app).toMatchObject({ name: 'Alpha', supportEmail: null, supportUrl: null, websiteUrl: null });
  });

  it('can be changed only by its merchant', async () => {
    expect(codeOf(await update(contact, ''))).toBe('AUTHENTICATION_ERROR');
    expect(codeOf(await update(contact, api.merchantA.publishableKey))).toBe('AUTHORIZATION_ERROR');
    const foreign = codeOf(await update(contact, undefined, api.merchantB.appId));
    expect(foreign).toBe(codeOf(await update(contact, undefined, newId())));
    expect(foreign).toBeDefined();
    const app = await api.database.app.findUniqueOrThrow({ where: { id: api.merchantB.appId } });
    expect(app.supportEmail).toBeNull();
  });
});
