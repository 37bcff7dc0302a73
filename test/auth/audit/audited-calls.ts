/** A call of every mutation that the audit log records, each with rows of its own. */
import type { Database } from '../../../prisma/client.ts';
import { createPlatformCredential } from '../../../src/auth/create-platform-credential.ts';
import { issueToken } from '../../../src/auth/tokens/issue-token.ts';
import { consentToJson } from '../../../src/escrow/consent.ts';
import { uuidToBytes32 } from '../../../src/escrow/terms.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { consentPeriod } from '../../../src/subscriptions/billing-period.ts';
import { newTestApp, type TestApi, type TestApp } from '../../setup/api/api.ts';
import { paymentIn } from '../../setup/chains/payment-in.ts';
import { makeTenantRows, type TenantRows } from '../../setup/database/tenant-rows.ts';

type Ground = Pick<TestApi, 'database' | 'world'>;
type Rows = TenantRows & { merchant: string; held: string; paid: string; disputed: string; other: string };
type Actor = 'key' | 'owner' | 'operator' | 'arbiter';

type Call = {
  by?: Actor;
  /** In parentheses, as in the document. */
  given?: (rows: Rows) => string;
  selection?: string;
  before?: (database: Database, rows: Rows) => Promise<unknown>;
  /** The actions of the entries that it leaves. By default one entry, with the first action in the table. */
  leaves?: string[];
};

const WALLET = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const DAY_MS = 86_400_000;
const ofId = (kind: keyof Rows, rest = '') => ({ given: (rows: Rows) => `(id: "${rows[kind]}"${rest})` });
const given = (text: (rows: Rows) => string) => ({ given: text });
const subscriptionIs = (status: 'ACTIVE' | 'PAUSED') => (database: Database, rows: Rows) =>
  database.subscription.update({
    where: { id: rows.subscription },
    data: { status, currentPeriodStart: new Date(), currentPeriodEnd: new Date(Date.now() + 30 * DAY_MS) },
  });
const invoiceIsOpen = (database: Database, { invoice }: Rows) =>
  database.invoice.update({ where: { id: invoice }, data: { status: 'OPEN', invoiceNumber: `INV-${invoice}` } });

export const auditedCalls: Readonly<Record<string, Call>> = {
  advanceTestClock: given(() => '(input: { seconds: 60, waitSeconds: 0 })'),
  applySubscriptionCoupon: {
    ...given((rows) => `(id: "${rows.subscription}", input: { couponId: "${rows.coupon}" })`),
    before: subscriptionIs('ACTIVE'),
  },
  archiveCoupon: ofId('coupon'),
  archiveTaxRate: ofId('taxRate'),
  cancelPaymentIntent: ofId('held'),
  cancelSubscription: { ...ofId('subscription'), before: subscriptionIs('ACTIVE') },
  capturePaymentIntent: ofId('held', ', input: { amount: "4" }'),
  changeSubscriptionPlan: {
    ...given((rows) => `(id: "${rows.subscription}", input: { productPlanPriceId: "${rows.other}" })`),
    before: subscribe,
  },
  concedeDispute: ofId('disputed'),
  createApiKey: { ...given((rows) => `(input: { appId: "${rows.app}", kind: SECRET })`), selection: '{ secret }' },
  createApp: { by: 'owner', ...given(() => '(input: { name: "Another", mode: TEST })') },
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
  createCoupon: given(() => '(input: { name: "Spring", percentOffBps: 1000 })'),
  createTaxRate: given(() => '(input: { displayName: "VAT", percentage: 20 })'),
  createWebhookEndpoint: {
    ...given(() => '(input: { url: "https://example.com/new", events: ["*"] })'),
    selection: '{ secret }',
  },
  deletePaymentLink: ofId('link'),
  deleteProductPlanPrice: ofId('other'),
  deleteWebhookEndpoint: ofId('endpoint'),
  drainInstallation: { by: 'operator', before: (database) => resume(database) },
  expireCheckoutSession: ofId('session'),
  inviteMember: {
    by: 'owner',
    ...given((rows) => `(input: { email: "new-${rows.app}@example.com", role: VIEWER })`),
    leaves: ['member.invited'],
  },
  logout: { by: 'owner' },
  openInvoice: ofId('invoice'),
  pauseChain: { by: 'operator', ...given(() => '(chainId: 31338)'), before: (database) => resume(database) },
  pauseSubscription: { ...ofId('subscription'), before: subscriptionIs('ACTIVE') },
  refundPaymentIntent: ofId('paid', ', input: { reason: "Broken", amount: "3" }'),
  removeMember: { by: 'owner', ...ofId('other'), before: addMember },
  removeSubscriptionCoupon: {
    ...ofId('subscription'),
    before: (database, { subscription, coupon }) =>
      database.subscription.update({ where: { id: subscription }, data: { status: 'ACTIVE', couponId: coupon } }),
  },
  resolveDispute: { by: 'arbiter', ...ofId('disputed', ', input: { payerBps: 5000 }') },
  resumeChain: { by: 'operator', ...given(() => '(chainId: 31338)'), before: (database) => pause(database) },
  resumeSubscription: { ...ofId('subscription'), before: subscriptionIs('PAUSED') },
  revokeApiKey: ofId('apiKey'),
  rotateApiKey: { ...ofId('apiKey'), selection: '{ secret }' },
  rotateWebhookSecret: { ...ofId('endpoint'), selection: '{ secret }' },
  updateApp: {
    by: 'owner',
    ...given(
      (rows) =>
        `(id: "${rows.app}", input: { name: "Renamed", intentExpiry: 3600, payoutAddresses: [{ family: EVM, address: "${WALLET}" }] })`,
    ),
    leaves: ['app.updated', 'payout_address.set'],
  },
  updateMailSettings: given((rows) => `(appId: "${rows.app}", input: { kinds: [RECEIPT] })`),
  updatePaymentLink: ofId('link', ', input: { amount: "7", name: "L" }'),
  updateProductPlan: ofId('plan', ', input: { name: "Renamed" }'),
  updateProductPlanPrice: ofId('price', ', input: { nickname: "Renamed" }'),
  updateCoupon: ofId('coupon', ', input: { name: "Renamed" }'),
  updateTaxRate: ofId('taxRate', ', input: { percentage: 21 }'),
  updateWebhookEndpoint: ofId('endpoint', ', input: { active: false }'),
  voidInvoice: { ...ofId('invoice'), before: invoiceIsOpen },
};

export type PreparedCall = {
  owner: TestApp;
  rows: Rows;
  headers: Record<string, string>;
  document: string;
  leaves: string[] | undefined;
  actor: { actorKind: string; actorId: string; actorName: string };
};

/** Prepares the call with an app, rows and an actor of its own. */
export async function prepareCall(ground: Ground, name: string): Promise<PreparedCall> {
  const call = auditedCalls[name];
  if (!call) throw new Error(`${name} is missing in test/auth/audit/audited-calls.ts.`);
  const owner = await newTestApp(ground.world, { name, mode: 'TEST' });
  const rows = await makeRows(ground, owner);
  await call.before?.(ground.database, rows);
  const { headers, ...actor } = await actorOf(ground, { by: call.by ?? 'key', owner });
  const scalar = /^(logout|delete)/.test(name);
  const selection = call.selection ?? (scalar ? '' : '{ __typename }');
  const document = `mutation { ${name}${call.given?.(rows) ?? ''} ${selection} }`;
  return { owner, rows, headers, document, leaves: call.leaves, actor };
}

async function makeRows(ground: Ground, owner: TestApp): Promise<Rows> {
  const { database } = ground;
  const tenant = await makeTenantRows(database, owner);
  const [held, paid, disputed] = [
    await paymentIn(ground, { appId: owner.appId, status: 'AUTHORIZED' }),
    await paymentIn(ground, { appId: owner.appId, status: 'CAPTURED' }),
    await paymentIn(ground, { appId: owner.appId, status: 'CAPTURED' }),
  ];
  const deadline = new Date(Date.now() + DAY_MS);
  const dispute = await database.dispute.create({ data: { id: newId(), paymentIntentId: disputed.id, deadline } });
  const other = newId();
  await database.productPlanPrice.create({
    data: { id: other, productPlanId: tenant.plan, amount: '6', billingInterval: 'MONTH' },
  });
  return { ...tenant, merchant: owner.merchantId, held: held.id, paid: paid.id, disputed: dispute.id, other };
}

async function actorOf(
  ground: Ground,
  { by, owner }: { by: Actor; owner: TestApp },
): Promise<{ headers: Record<string, string>; actorKind: string; actorId: string; actorName: string }> {
  const { database, world } = ground;
  if (by === 'key') {
    const where = { appId: owner.appId, kind: 'SECRET', prefix: { not: 'sk_test_x' } } as const;
    const key = await database.apiKey.findFirstOrThrow({ where });
    return {
      headers: { 'x-api-key': owner.secretKey },
      actorKind: 'API_KEY',
      actorId: key.id,
      actorName: owner.secretKey.slice(0, 14),
    };
  }
  if (by === 'owner') {
    const [id, sessionId] = [newId(), newId()];
    const email = `${id}@example.com`;
    await database.member.create({ data: { id, merchantId: owner.merchantId, email, role: 'OWNER' } });
    const expiresAt = new Date(world.clock.now().getTime() + 3_600_000);
    await database.memberSession.create({
      data: { id: sessionId, memberId: id, expiresAt, createdAt: world.clock.now() },
    });
    const { token } = await issueToken(world, { subject: { audience: 'dashboard', memberId: id, sessionId } });
    return { headers: { authorization: `Bearer ${token}` }, actorKind: 'MEMBER', actorId: id, actorName: email };
  }
  const role = by === 'operator' ? 'OPERATOR' : 'ARBITER';
  const { credential, secret } = await createPlatformCredential(world, { role, name: `The ${by}` });
  return { headers: { 'x-api-key': secret }, actorKind: role, actorId: credential.id, actorName: `The ${by}` };
}

async function addMember(database: Database, rows: Rows): Promise<void> {
  const email = `${rows.other}@example.com`;
  await database.member.create({ data: { id: rows.other, merchantId: rows.merchant, email, role: 'VIEWER' } });
}

async function pause(database: Database): Promise<void> {
  const pausedAt = new Date();
  const where = { chainId: 31338 };
  await database.chainCursor.upsert({ where, create: { ...where, pausedAt }, update: { pausedAt } });
}

async function resume(database: Database): Promise<void> {
  await database.chainCursor.updateMany({ data: { pausedAt: null } });
}

/** An ACTIVE subscription with a paid month from now on, by a consent up to 12.5 USDC a month. */
async function subscribe(database: Database, rows: Rows): Promise<void> {
  await subscriptionIs('ACTIVE')(database, rows);
  const consentId = uuidToBytes32(rows.subscription);
  const now = new Date();
  await database.subscriptionConsent.create({
    data: {
      consentId,
      subscriptionId: rows.subscription,
      quoteId: newId(),
      chainId: 31337,
      tokenKey: 'USDC-31337',
      walletAddress: WALLET,
      method: 'APPROVAL',
      consent: consentToJson({
        ...{ subscriptionId: consentId, payer: WALLET, merchant: WALLET, feeRecipient: WALLET, operator: WALLET },
        token: '0x1000000000000000000000000000000000000001',
        capPerPeriod: 12_500_000n,
        start: Math.floor(now.getTime() / 1000),
        ...consentPeriod('MONTH', 1),
        ...{ end: 0, feeBps: 100, timelock: 100, disputeWindow: 0, disputeTimeout: 0, timeoutPayerBps: 0 },
        arbiter: '0x0000000000000000000000000000000000000000',
      }),
      capPerPeriod: '12500000',
      cryptoAmount: '5000000',
      exchangeRate: '1',
      quoteExpiresAt: now,
      acceptedAt: now,
      lastChargedPeriod: 0,
    },
  });
  await database.subscription.update({
    where: { id: rows.subscription },
    data: { authorizationChainId: 31337, consentId, billingCycleAnchor: now },
  });
}
