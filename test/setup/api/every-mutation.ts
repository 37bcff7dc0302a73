/** One call of every mutation, on separate rows, by a credential that is allowed to make it. */
import { type GraphQLSchema, getNamedType, isCompositeType } from 'graphql';
import type { Database } from '../../../prisma/client.ts';
import type { World } from '../../../src/api/graphql/server/world.ts';
import { hashClientSecret, newClientSecret } from '../../../src/auth/client-secret.ts';
import { createPlatformCredential } from '../../../src/auth/create-platform-credential.ts';
import { issueToken, type TokenWorld } from '../../../src/auth/tokens/issue-token.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { makeTenantRows, type TenantRows } from '../database/tenant-rows.ts';
import { newTestApp, type TestApp } from './api.ts';

export type Caller =
  | 'secret key'
  | 'owner'
  | 'operator'
  | 'arbiter'
  | 'client secret'
  | 'access token'
  | 'session token'
  | 'onetime token';

/** The ids that a call may name. `credential` is the id of the credential's own row, and `spare` an id that is still unused. */
export type CallerRows = TenantRows & Record<'user' | 'onetime' | 'member' | 'spare' | 'credential', string>;

type Call = {
  by?: Caller;
  /** The arguments in parentheses, as in the document. */
  given?: (rows: CallerRows) => string;
  /** Brings the rows into the state that the call requires. */
  before?: (database: Database, rows: CallerRows) => Promise<unknown>;
  /** The call is rejected even with a valid credential, because it requires a chain, a mail, or a completed payment. */
  needsMore?: true;
};

const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const ACCOUNT = `eip155:31337:${ADDRESS}`;
const ORIGIN = 'https://shop.example';
const WALLET = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';

const ofId = (kind: keyof CallerRows, rest = '') => ({
  given: (rows: CallerRows) => `(id: "${rows[kind]}"${rest})`,
});
const given = (text: (rows: CallerRows) => string) => ({ given: text });
const subscriptionIs =
  (status: 'ACTIVE' | 'PAUSED') =>
  (database: Database, { subscription }: CallerRows) =>
    database.subscription.update({
      where: { id: subscription },
      data: { status, currentPeriodStart: new Date(), currentPeriodEnd: new Date(Date.now() + 86_400_000) },
    });
const invoiceIsOpen = (database: Database, { invoice }: CallerRows) =>
  database.invoice.update({ where: { id: invoice }, data: { status: 'OPEN', invoiceNumber: `INV-${invoice}` } });
const link = (database: Database, { user }: CallerRows) =>
  database.linkedAccount.create({
    data: { id: newId(), userId: user, clientOrigin: ORIGIN, account: ACCOUNT, linkedAt: new Date() },
  });

const x402Payment = '(input: { x402Version: 2, paymentPayload: {}, paymentRequirements: {} })';

export const everyMutation: Record<string, Call> = {
  addCustomerWallet: given(
    (rows) => `(customerId: "${rows.customer}", input: { chainId: 31337, walletAddress: "${WALLET}" })`,
  ),
  advanceTestClock: { ...given(() => '(input: { seconds: 60 })'), needsMore: true },
  applySubscriptionCoupon: {
    ...given((rows) => `(id: "${rows.subscription}", input: { couponId: "${rows.coupon}" })`),
    before: subscriptionIs('ACTIVE'),
  },
  archiveCoupon: ofId('coupon'),
  archiveTaxRate: ofId('taxRate'),
  cancelPaymentIntent: ofId('intent'),
  cancelSubscription: { ...ofId('subscription'), before: subscriptionIs('ACTIVE') },
  capturePaymentIntent: { ...ofId('intent'), needsMore: true },
  deliverPayouts: { ...ofId('intent'), needsMore: true },
  changeSubscriptionPlan: {
    ...given((rows) => `(id: "${rows.subscription}", input: { productPlanPriceId: "${rows.price}" })`),
    before: subscriptionIs('ACTIVE'),
    needsMore: true,
  },
  concedeDispute: { ...ofId('dispute'), needsMore: true },
  confirmCheckout: { by: 'client secret', ...ofId('session'), needsMore: true },
  confirmOnetimeRequest: { by: 'onetime token', ...ofId('onetime', ', input: { decision: REJECT }') },
  connectSession: { by: 'access token', ...given(() => `(input: { clientOrigin: "${ORIGIN}" })`) },
  createApiKey: given((rows) => `(input: { appId: "${rows.app}", kind: SECRET })`),
  createApp: { by: 'owner', ...given(() => '(input: { name: "Another", mode: TEST })') },
  createCheckoutCode: {
    by: 'client secret',
    ...ofId('session'),
    before: async (database, { session, intent }) => {
      // Tests move their clocks, and only a session that can still be paid has codes.
      const data = { expiresAt: new Date(Date.now() + 365 * 86_400_000) };
      await database.checkoutSession.update({ where: { id: session }, data });
      await database.paymentIntent.update({ where: { id: intent }, data });
    },
  },
  createCheckoutSession: given(() => '(input: { items: [{ name: "Tea", amount: "3" }] })'),
  createCoupon: given(() => '(input: { name: "Spring", percentOffBps: 1000 })'),
  createCustomer: given((rows) => `(input: { appId: "${rows.app}", name: "N" })`),
  createInvoice: given(
    (rows) => `(input: { customerAccountId: "${rows.customer}", items: [{ description: "Tea", amount: "3" }] })`,
  ),
  createPaymentIntent: given(() => '(input: { amount: "3" })'),
  createPaymentLink: given(
    (rows) => `(input: { appId: "${rows.app}", name: "L", slug: "new-${rows.link}", amount: "3" })`,
  ),
  createProductPlan: given(() => '(input: { name: "P", prices: [{ amount: "3" }] })'),
  createProductPlanPrice: given(
    (rows) => `(productPlanId: "${rows.plan}", input: { amount: "3", billingInterval: MONTH })`,
  ),
  createSubscription: given(
    (rows) =>
      `(input: { appId: "${rows.app}", customerAccountId: "${rows.customer}", productPlanId: "${rows.plan}", productPlanPriceId: "${rows.price}" })`,
  ),
  createSubscriptionCheckout: ofId('subscription'),
  createTaxRate: given(() => '(input: { displayName: "VAT", percentage: 20 })'),
  createX402Requirements: {
    ...given(() => `(input: { price: "1.00", resource: { url: "${ORIGIN}" } })`),
    needsMore: true,
  },
  createWebhookEndpoint: given(() => '(input: { url: "https://example.com/new", events: ["*"] })'),
  deletePaymentLink: ofId('link'),
  deleteProductPlanPrice: {
    ...given((rows) => `(priceId: "${rows.spare}", productPlanId: "${rows.plan}")`),
    before: (database, rows) =>
      database.productPlanPrice.create({
        data: { id: rows.spare, productPlanId: rows.plan, amount: '6', billingInterval: 'MONTH' },
      }),
  },
  deleteWebhookEndpoint: ofId('endpoint'),
  disputePaymentIntent: { ...ofId('intent', ', input: { reason: "broken" }'), needsMore: true },
  drainInstallation: { by: 'operator', needsMore: true },
  exchangeCheckoutCode: {
    ...given(({ session }) => `(id: "${session}", input: { code: "${'x'.repeat(43)}" })`),
    needsMore: true,
  },
  expireCheckoutSession: ofId('session'),
  inviteMember: {
    by: 'owner',
    ...given((rows) => `(input: { email: "new-${rows.app}@example.com", role: VIEWER })`),
  },
  logout: { by: 'owner' },
  openDispute: { ...ofId('intent', ', input: { reason: "broken" }'), needsMore: true },
  openInvoice: ofId('invoice'),
  pauseChain: { by: 'operator', ...given(() => '(chainId: 31338)') },
  pauseSubscription: { ...ofId('subscription'), before: subscriptionIs('ACTIVE') },
  // The endpoint's address is never called.
  pingWebhookEndpoint: {
    ...ofId('endpoint'),
    before: (database, { endpoint }) =>
      database.webhookEndpoint.update({ where: { id: endpoint }, data: { url: 'http://127.0.0.1:9/' } }),
    needsMore: true,
  },
  prepareCheckout: {
    by: 'client secret',
    ...ofId(
      'session',
      `, input: { chainId: 31337, tokenKey: "USDC-31337", walletAddress: "${WALLET}", method: DIRECT }`,
    ),
    needsMore: true,
  },
  redeliverWebhook: given((rows) => `(deliveryId: "${rows.delivery}")`),
  redeliverWebhooks: given((rows) => `(input: { endpointId: "${rows.endpoint}", from: 1000000, to: 1000000 })`),
  settleX402Payment: { ...given(() => x402Payment), needsMore: true },
  verifyX402Payment: { ...given(() => x402Payment), needsMore: true },
  recordUsage: given(
    (rows) =>
      `(input: { events: [{ eventId: "${rows.spare}", subscriptionId: "${rows.subscription}", quantity: "1" }] })`,
  ),
  refundPaymentIntent: { ...ofId('intent', ', input: { reason: "back" }'), needsMore: true },
  removeCustomerWallet: given((rows) => `(customerId: "${rows.customer}", walletId: "${rows.wallet}")`),
  removeMember: { by: 'owner', ...ofId('member') },
  removeSubscriptionCoupon: { ...ofId('subscription'), before: subscriptionIs('ACTIVE') },
  requestLogin: given((rows) => `(input: { email: "login-${rows.app}@example.com" })`),
  requestOtp: given((rows) => `(input: { email: "otp-${rows.app}@example.com" })`),
  requestPayerLogin: { ...given(() => `(input: { chainId: 31337, wallet: "${WALLET}" })`), needsMore: true },
  resolveDispute: { by: 'arbiter', ...ofId('dispute', ', input: { payerBps: 5000 }'), needsMore: true },
  resumeChain: { by: 'operator', ...given(() => '(chainId: 31338)') },
  resumeSubscription: { ...ofId('subscription'), before: subscriptionIs('PAUSED') },
  revokeApiKey: ofId('apiKey'),
  revokeSession: {
    by: 'access token',
    ...ofId('spare'),
    before: (database, rows) =>
      database.cardSession.create({
        data: {
          id: rows.spare,
          userId: rows.user,
          clientOrigin: ORIGIN,
          expiresAt: new Date(Date.now() + 3_600_000),
          createdAt: new Date(),
        },
      }),
  },
  rotateApiKey: ofId('apiKey'),
  rotateWebhookSecret: ofId('endpoint'),
  sendInvoice: { ...ofId('invoice'), before: invoiceIsOpen },
  startLinkCheckout: given((rows) => `(slug: "l-${rows.link}")`),
  startOnetimeRequest: {
    by: 'session token',
    ...given(
      () =>
        `(input: { account: "${ACCOUNT}", chainId: "eip155:31337", clientOrigin: "${ORIGIN}", method: "personal_sign", params: ["Hello", "${ADDRESS}"] })`,
    ),
    before: link,
  },
  submitDisputeEvidence: ofId('dispute', ', input: { text: "Delivered" }'),
  unlinkAccount: { by: 'session token', ...given(() => `(input: { account: "${ACCOUNT}" })`), before: link },
  updateApp: given(
    (rows) =>
      `(id: "${rows.app}", input: { name: "Renamed", payoutAddresses: [{ family: EVM, address: "${WALLET}" }] })`,
  ),
  updateCustomer: ofId('customer', ', input: { name: "Renamed" }'),
  updateCoupon: ofId('coupon', ', input: { name: "Renamed" }'),
  updateMailSettings: given((rows) => `(appId: "${rows.app}", input: { kinds: [RECEIPT] })`),
  updateNotificationSettings: { by: 'owner', ...given(() => '(input: { kinds: [PAYMENT] })') },
  updatePaymentLink: ofId('link', ', input: { name: "Renamed" }'),
  updateProductPlan: ofId('plan', ', input: { name: "Renamed" }'),
  updateProductPlanPrice: given((rows) => `(priceId: "${rows.price}", input: { nickname: "Renamed" })`),
  updateTaxRate: ofId('taxRate', ', input: { displayName: "Renamed" }'),
  updateWalletProfile: { by: 'access token', ...given(() => '(input: { displayName: "Renamed" })') },
  updateWebhookEndpoint: ofId('endpoint', ', input: { events: ["customer.created"] }'),
  verifyLogin: { ...given(() => `(input: { code: "123456", requestId: "${newId()}" })`), needsMore: true },
  verifyOtp: { ...given(() => `(input: { code: "123456", requestId: "${newId()}" })`), needsMore: true },
  verifyPayerLogin: { ...given(() => '(input: { message: "Hello", signature: "0x00" })'), needsMore: true },
  voidInvoice: { ...ofId('invoice'), before: invoiceIsOpen },
};

export type MadeCall = { by: Caller; rows: CallerRows; headers: Record<string, string>; document: string };

/** The call, with its own rows and credential. */
export async function makeCall(world: World, schema: GraphQLSchema, name: string): Promise<MadeCall> {
  const call = everyMutation[name];
  const type = schema.getMutationType()?.getFields()[name]?.type;
  if (!call || !type) throw new Error(`${name} is missing in test/setup/api/every-mutation.ts.`);
  const by = call.by ?? 'secret key';
  const owner = await newTestApp(world, { name, mode: 'TEST' });
  const tenant = await makeTenantRows(world.database, owner);
  const { rows, headers } = await makeCredential(world, { by, owner, tenant });
  await call.before?.(world.database, rows);
  const selection = isCompositeType(getNamedType(type)) ? ' { __typename }' : '';
  return { by, rows, headers, document: `mutation { ${name}${call.given?.(rows) ?? ''}${selection} }` };
}

async function makeCredential(
  world: World,
  { by, owner, tenant }: { by: Caller; owner: TestApp; tenant: TenantRows },
): Promise<{ rows: CallerRows; headers: Record<string, string> }> {
  const { database } = world;
  const now = world.clock.now();
  const times = { expiresAt: new Date(now.getTime() + 7_200_000), createdAt: now };
  const [user, onetime, member, owning, login, session] = [newId(), newId(), newId(), newId(), newId(), newId()];
  const { merchantId } = owner;
  const rows = (credential: string): CallerRows => ({
    ...tenant,
    ...{ user, onetime, member, credential, spare: newId() },
  });
  const bearer = async (subject: Parameters<typeof issueToken>[1]['subject']) => ({
    authorization: `Bearer ${(await issueToken(world satisfies TokenWorld, { subject })).token}`,
  });
  await database.cardUser.create({ data: { id: user, email: `${user}@example.com`, createdAt: now } });
  await database.onetimeRequest.create({
    data: {
      ...{ id: onetime, userId: user, clientOrigin: ORIGIN, chainId: 'eip155:31337', account: ACCOUNT },
      ...{ method: 'personal_sign', params: ['Hello', ADDRESS], display: {} },
      createdAt: now,
      expiresAt: new Date(now.getTime() + 86_400_000),
    },
  });
  switch (by) {
    case 'secret key': {
      const key = await database.apiKey.findFirstOrThrow({
        where: { appId: owner.appId, kind: 'SECRET', id: { not: tenant.apiKey } },
      });
      return { rows: rows(key.id), headers: { 'x-api-key': owner.secretKey } };
    }
    case 'owner': {
      const [email, other] = [`${owning}@example.com`, `${member}@example.com`];
      await database.member.create({ data: { id: owning, merchantId, email, role: 'OWNER' } });
      await database.member.create({ data: { id: member, merchantId, email: other, role: 'VIEWER' } });
      await database.memberSession.create({ data: { id: login, memberId: owning, ...times } });
      return {
        rows: rows(login),
        headers: await bearer({ audience: 'dashboard', memberId: owning, sessionId: login }),
      };
    }
    case 'operator':
    case 'arbiter': {
      const role = by === 'operator' ? 'OPERATOR' : 'ARBITER';
      const made = await createPlatformCredential(world, { role, name: role });
      return { rows: rows(made.credential.id), headers: { 'x-api-key': made.secret } };
    }
    case 'client secret': {
      const secret = newClientSecret(tenant.session);
      const clientSecretHash = hashClientSecret(secret);
      await database.checkoutSession.update({ where: { id: tenant.session }, data: { clientSecretHash } });
      return { rows: rows(tenant.session), headers: { 'x-client-secret': secret } };
    }
    case 'access token':
      return { rows: rows(user), headers: await bearer({ audience: 'card', userId: user }) };
    case 'session token': {
      await database.cardSession.create({ data: { id: session, userId: user, clientOrigin: ORIGIN, ...times } });
      const subject = { audience: 'session-connect' as const, userId: user, sessionId: session };
      return { rows: rows(session), headers: await bearer(subject) };
    }
    case 'onetime token': {
      const subject = { audience: 'onetime-connect' as const, userId: user, requestId: onetime };
      return { rows: rows(onetime), headers: await bearer(subject) };
    }
    default:
      return by satisfies never;
  }
}
