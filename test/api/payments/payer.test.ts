/** The login of a wallet by signature, and the data that only this wallet can read afterwards. */
import { readFileSync } from 'node:fs';
import { type Hex, hashTypedData } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { beforeAll, describe, expect, it } from 'vitest';
import { consentHash } from '../../../src/escrow/consent.ts';
import { disputeTypedData } from '../../../src/escrow/dispute-request.ts';
import { type PaymentTerms, termsHash, termsToJson, uuidToBytes32 } from '../../../src/escrow/terms.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';
import { makeTenantRows } from '../../setup/database/tenant-rows.ts';

const chainId = 31337;
const ada = privateKeyToAccount(generatePrivateKey());
const bob = privateKeyToAccount(generatePrivateKey());
const ZERO = '0x0000000000000000000000000000000000000000';

let api: RestApi;
let escrow: Hex;
beforeAll(async () => {
  // The node does not respond. Only contract wallets and allowances need it, and are unknown in these tests.
  api = await openRestApi({ rpc: { [chainId]: 'http://127.0.0.1:9' } });
  escrow = api.world.registry.chain(chainId)?.escrow ?? '0x';
});

const CHALLENGE = `mutation ($input: RequestPayerLoginInput!) { requestPayerLogin(input: $input) { message expiresAt } }`;
const LOGIN = `mutation ($input: VerifyPayerLoginInput!) { verifyPayerLogin(input: $input) { accessToken expiresIn wallet chainId } }`;
const PAYER = `{ payer { wallet chainId
  payments { id termsHash appName amount cryptoAmount left status disputeUntil reclaimFrom terms dispute { status } }
  consents { id planName appName capPerPeriod isCurrent subscriptionStatus revokedAt }
  allowances { tokenKey amount } } }`;

const challenge = async (wallet: string, chain = chainId) =>
  await api.graphql(CHALLENGE, { input: { wallet, chainId: chain } });
const verify = (message: string, signature: string) => api.graphql(LOGIN, { input: { message, signature } });
const messageFor = async (wallet: string): Promise<string> => (await challenge(wallet)).data.requestPayerLogin.message;

/** Requests the field this many times, and returns the parameters that are refused. */
async function refusedTimes(field: string, times: number, headers: Record<string, string> = {}): Promise<string[]> {
  const aliases = Array.from({ length: times }, (_, index) => `a${index}: ${field}`).join(' ');
  const { errors = [] } = await api.graphql(
    aliases.startsWith('a0: verify') ? `mutation { ${aliases} }` : `{ ${aliases} }`,
    {},
    { headers },
  );
  return errors.flatMap(({ extensions }) => extensions.details ?? []).map(({ param }) => param);
}

async function bearer(account: PrivateKeyAccount): Promise<{ headers: Record<string, string> }> {
  const message = await messageFor(account.address);
  const { data } = await verify(message, await account.signMessage({ message }));
  return { headers: { authorization: `Bearer ${data.verifyPayerLogin.accessToken}` } };
}

/** Writes what the projector would write for a captured payment of ten units. */
async function capturedPayment(payer: PrivateKeyAccount, appId: string) {
  const id = newId();
  const now = Math.floor(Date.now() / 1000);
  const terms: PaymentTerms = {
    intentId: uuidToBytes32(id),
    payer: payer.address,
    merchant: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    token: '0x1000000000000000000000000000000000000001',
    amount: 10n,
    authorizeBy: now + 600,
    captureBy: now + 7200,
    timelock: 1000,
    disputeWindow: 900,
    disputeTimeout: 700_000,
    timeoutPayerBps: 10_000,
    feeBps: 0,
    feeRecipient: ZERO,
    operator: api.world.operator.address,
    arbiter: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
    quoteHash: uuidToBytes32(id),
    captureOnAuthorize: true,
  };
  const hash = termsHash(terms);
  const capturedAt = new Date(now * 1000);
  await api.database.paymentIntent.create({
    data: {
      id,
      appId,
      amount: '10.00',
      currency: 'USD',
      captureMode: 'AUTOMATIC',
      status: 'CAPTURED',
      timelockDuration: 1000,
      disputeStartDuration: 900,
      platformFeeBps: 0,
      acceptedTermsHash: hash,
      leftAmount: '10',
      cryptoAmount: '10',
      authorizationChainId: chainId,
      authorizationWalletAddress: payer.address,
      capturedAt,
      terms: {
        create: {
          termsHash: hash,
          chainId,
          tokenKey: 'USDC-31337',
          method: 'DIRECT',
          terms: termsToJson(terms),
          operatorSignature: '0x',
          exchangeRate: '1',
          authorizeBy: new Date(terms.authorizeBy * 1000),
        },
      },
    },
  });
  return { id, hash, terms, capturedAt };
}

async function signedConsent(payer: PrivateKeyAccount) {
  const { subscription } = await makeTenantRows(api.database, api.merchantA);
  const consent = {
    subscriptionId: uuidToBytes32(subscription),
    payer: payer.address,
    merchant: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    token: '0x1000000000000000000000000000000000000001',
    capPerPeriod: 6n,
    start: 1,
    unit: 1,
    count: 1,
    end: 0,
    feeBps: 0,
    feeRecipient: ZERO,
    operator: api.world.operator.address,
    arbiter: ZERO,
    timelock: 0,
    disputeWindow: 0,
    disputeTimeout: 0,
    timeoutPayerBps: 0,
  } as const;
  const consentId = consentHash(consent);
  await api.database.subscriptionConsent.create({
    data: {
      consentId,
      subscriptionId: subscription,
      quoteId: newId(),
      chainId,
      tokenKey: 'USDC-31337',
      walletAddress: payer.address,
      method: 'PERMIT',
      consent: Object.fromEntries(Object.entries(consent).map(([name, value]) => [name, String(value)])),
      capPerPeriod: '6',
      cryptoAmount: '5',
      exchangeRate: '1',
      quoteExpiresAt: new Date(),
      signedAt: new Date(),
    },
  });
  return consentId;
}

describe('a wallet login', () => {
  it('issues a message for this host, and accepts its signature once', async () => {
    const { data } = await challenge(ada.address.toLowerCase());
    const { message, expiresAt } = data.requestPayerLogin;
    expect(message).toContain(`${new URL(api.world.config.publicUrl).host} wants you to sign in`);
    expect(message).toContain(ada.address);
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now());
    const signature = await ada.signMessage({ message });
    const login = await verify(message, signature);
    expect(login.data.verifyPayerLogin).toMatchObject({ expiresIn: 1800, wallet: ada.address, chainId: null });
    const again = await verify(message, signature);
    expect([again.errors?.[0]?.extensions.code, again.errors?.[0]?.message]).toEqual([
      'AUTHENTICATION_ERROR',
      'The message was already used. Request another one.',
    ]);
  });

  it('refuses another wallet’s signature, and reports if a contract wallet cannot be checked', async () => {
    const message = await messageFor(ada.address);
    const { errors } = await verify(message, await bob.signMessage({ message }));
    // The wallet could be a contract, which cannot be checked without the node.
    expect(errors?.[0]?.extensions.code).toBe('CHAIN_UNAVAILABLE');
  });

  it('refuses messages that are modified, unknown or expired', async () => {
    const message = await messageFor(ada.address);
    const tamper = async (change: (text: string) => string) => {
      const text = change(message);
      expect(text).not.toBe(message);
      const answer = await verify(text, await ada.signMessage({ message: text }));
      return [answer.errors?.[0]?.extensions.code, answer.errors?.[0]?.extensions.param];
    };
    const refused = ['VALIDATION_ERROR', 'message'];
    expect(await tamper((text) => text.replace(ada.address, bob.address))).toEqual(refused);
    expect(
      await tamper((text) => text.replace('localhost', 'evil.example').replace('127.0.0.1', 'evil.example')),
    ).toEqual(refused);
    expect(await tamper((text) => text.replace(/Nonce: .*/, `Nonce: ${'0'.repeat(64)}`))).toEqual(refused);
    expect(await tamper((text) => text.replace(/Issued At: (\d{4})/, 'Issued At: 2099'))).toEqual(refused);
    expect(await tamper(() => 'hello')).toEqual(refused);
    api.clock.advance(301);
    const late = await verify(message, await ada.signMessage({ message }));
    expect(late.errors?.[0]?.message).toContain('was issued more than 300 seconds ago');
    api.clock.advance(-301);
  });

  it('accepts only EVM wallets on configured chains', async () => {
    for (const [wallet, chain, param] of [
      [ada.address, 999_999, 'chainId'],
      ['So11111111111111111111111111111111111111112', chainId, 'wallet'],
      [ada.address.replace(/[a-f]/, (letter) => letter.toUpperCase()), chainId, 'wallet'],
    ] as const) {
      const { errors } = await challenge(wallet, chain);
      expect([errors?.[0]?.extensions.code, errors?.[0]?.extensions.param]).toEqual(['VALIDATION_ERROR', param]);
    }
  });
});

describe('the payer', () => {
  it('can read its own payments and consents with any merchant, and nobody else can', async () => {
    const first = await capturedPayment(ada, api.merchantA.appId);
    const second = await capturedPayment(ada, api.merchantB.appId);
    const consentId = await signedConsent(ada);
    const { data } = await api.graphql(PAYER, {}, await bearer(ada));
    expect(data.payer).toMatchObject({ wallet: ada.address, chainId: null });
    expect(data.payer.payments.map((one: { id: string }) => one.id)).toEqual([second.id, first.id]);
    expect(data.payer.payments[1]).toMatchObject({
      termsHash: first.hash,
      appName: 'Alpha',
      amount: '10.00',
      cryptoAmount: '10',
      left: '10',
      status: 'CAPTURED',
      disputeUntil: new Date(first.capturedAt.getTime() + 900_000).toISOString(),
      reclaimFrom: new Date((first.terms.captureBy + 1) * 1000).toISOString(),
      terms: termsToJson(first.terms),
      dispute: null,
    });
    expect(data.payer.consents).toEqual([
      {
        id: consentId,
        planName: 'P',
        appName: 'Alpha',
        capPerPeriod: '6',
        isCurrent: false,
        subscriptionStatus: 'PENDING',
        revokedAt: null,
      },
    ]);
    // The amount is unknown and not zero, because the node does not respond.
    expect(data.payer.allowances.map((one: { amount: unknown }) => one.amount)).toContain(null);

    const other = await api.graphql(PAYER, {}, await bearer(bob));
    expect(other.data.payer).toMatchObject({ wallet: bob.address, payments: [], consents: [] });
  });

  it('requires a valid token, which gives no access as a merchant', async () => {
    expect((await api.graphql(PAYER)).errors?.[0]?.extensions.code).toBe('AUTHENTICATION_ERROR');
    const key = await api.graphql(PAYER, {}, { key: api.merchantA.secretKey });
    expect(key.errors?.[0]?.extensions.code).toBe('AUTHORIZATION_ERROR');
    const token = await bearer(ada);
    for (const field of ['paymentIntents { nodes { id } }', 'apps { id }', 'members { id }']) {
      const answer = await api.graphql(`{ ${field} }`, {}, token);
      expect([field, answer.errors?.[0]?.extensions.code]).toEqual([field, 'AUTHORIZATION_ERROR']);
    }
    api.clock.advance(1806);
    expect((await api.graphql(PAYER, {}, token)).errors?.[0]?.message).toBe('The token has expired.');
    api.clock.advance(-1806);
  });

  it('with a contract wallet can read only one chain', async () => {
    const { issueToken } = await import('../../../src/auth/tokens/issue-token.ts');
    const subject = { audience: 'payer' as const, wallet: ada.address, chainId: 1 };
    const { token } = await issueToken(api.world, { subject });
    const { data } = await api.graphql(PAYER, {}, { headers: { authorization: `Bearer ${token}` } });
    expect(data.payer).toMatchObject({ chainId: 1, payments: [], consents: [], allowances: [] });
  });

  it('disputes by its signature, not by the token alone, and only its own payments', async () => {
    const DISPUTE = `mutation ($id: ID!, $input: DisputePaymentIntentInput!) {
      disputePaymentIntent(id: $id, input: $input) { status transactionId } }`;
    const { id, hash } = await capturedPayment(ada, api.merchantB.appId);
    const reason = 'Never came.';
    const ask = async (who: PrivateKeyAccount, input: object) =>
      api.graphql(DISPUTE, { id, input: { reason, ...input } }, await bearer(who));
    const unsigned = await ask(ada, {});
    expect(unsigned.data.disputePaymentIntent).toEqual({ status: 'SIGNATURE_REQUIRED', transactionId: null });
    expect(await api.database.disputeRequest.count({ where: { paymentIntentId: id } })).toBe(0);
    const other = await ask(bob, {});
    const missing = await api.graphql(DISPUTE, { id: newId(), input: { reason } }, await bearer(bob));
    expect(other.errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    expect(other.errors?.[0]?.message).toBe(missing.errors?.[0]?.message);
    const typed = disputeTypedData({ chainId, escrow, id: hash });
    const signature = await ada.sign({ hash: hashTypedData(typed) });
    const signed = await ask(ada, { signature });
    expect(signed.data.disputePaymentIntent.status).toBe('PENDING');
  });
});

it('limits expensive fields for nodes and the database, so that aliases do not multiply them', async () => {
  const verify = 'verifyPayerLogin(input: { message: "m", signature: "0x00" }) { accessToken }';
  expect(await refusedTimes(verify, 1)).not.toContain('complexity');
  expect(await refusedTimes(verify, 3)).toContain('complexity');
  const offer = 'linkOffer(slug: "none") { merchantName }';
  expect(await refusedTimes(offer, 2)).not.toContain('complexity');
  expect(await refusedTimes(offer, 21)).toContain('complexity');
  const { headers } = await bearer(privateKeyToAccount(generatePrivateKey()));
  const allowances = 'payer { allowances { amount } }';
  expect(await refusedTimes(allowances, 2, headers)).not.toContain('complexity');
  expect(await refusedTimes(allowances, 11, headers)).toContain('complexity');
});

it('accepts the query of the payer page', async () => {
  const { headers } = await bearer(privateKeyToAccount(generatePrivateKey()));
  const documents: string[] = JSON.parse(
    readFileSync(new URL('../../../generated/web/documents.json', import.meta.url), 'utf8'),
  );
  const holdings = documents.find((text) => text.startsWith('query PayerHoldings')) ?? '';
  expect(holdings).not.toBe('');
  const answer = await api.graphql(holdings, {}, { headers });
  expect(answer.errors?.flatMap(({ extensions }) => extensions.details ?? [])).toBeUndefined();
});
