/** One object of every type that `node` finds, requested by every kind of caller. */
import { beforeAll, expect, test } from 'vitest';
import { schema } from '../../../src/api/graphql/schema.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { openApi, type TestApi } from '../../setup/api/api.ts';
import {
  type Caller,
  keyOf,
  makeCardUser,
  makeInstallationNodes,
  makeMerchantNodes,
  memberOf,
  payerOf,
  platformOf,
  restrictedKeyOf,
} from '../../setup/database/node-rows.ts';

const WALLET = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const OTHER_WALLET = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';

const merchants = [
  ...[
    'App',
    'ApiKey',
    'AuditEntry',
    'CheckoutItem',
    'CheckoutSession',
    'Coupon',
    'CustomerAccount',
    'CustomerWallet',
    'Dispute',
    'DisputeEvidence',
    'DisputeFile',
  ],
  ...[
    'Event',
    'FacilitatedPayment',
    'Invoice',
    'InvoiceItem',
    'LedgerEntry',
    'Member',
    'Merchant',
    'PaymentIntent',
    'PaymentLink',
  ],
  ...['PaymentRefund', 'ProductPlan', 'ProductPlanPrice', 'Quote', 'RenewalAttempt', 'Subscription', 'TaxRate'],
  ...['Transaction', 'UndeliveredPayout', 'WebhookAttempt', 'WebhookDelivery', 'WebhookEndpoint'],
];
const but = (...names: string[]) => merchants.filter((name) => !names.includes(name));

/** The names of the types of all objects that each caller may read. */
const seen: Record<string, string[]> = {
  owner: merchants,
  developer: merchants,
  viewer: but('AuditEntry'),
  'secret key': but('Member', 'Merchant'),
  'key with READ': but('Member', 'Merchant', 'AuditEntry'),
  'key with READ and AUDIT_LOG': but('Member', 'Merchant'),
  'key of another app': ['TaxRate'],
  'client secret': [
    ...['CheckoutItem', 'CheckoutSession', 'CheckoutSubscription', 'PaymentIntent', 'Quote', 'Transaction'],
    ...['Dispute', 'DisputeEvidence', 'DisputeFile', 'UndeliveredPayout'],
  ],
  payer: ['Dispute', 'DisputeEvidence', 'DisputeFile', 'PayerPayment', 'UndeliveredPayout'],
  'payer on this chain': ['Dispute', 'DisputeEvidence', 'DisputeFile', 'PayerPayment', 'UndeliveredPayout'],
  'payer on another chain': [],
  'another wallet': [],
  operator: ['AuditEntry', 'OutgoingTransaction'],
  'viewer who operates': [...but('AuditEntry'), 'AuditEntry', 'OutgoingTransaction'],
  'owner who operates': [...merchants, 'AuditEntry', 'OutgoingTransaction'],
  'access token': ['CardSession', 'CardUser', 'OnetimeRequest', 'OnetimeRequest'],
  'session token': ['CardUser', 'OnetimeRequest'],
  'onetime token': ['OnetimeRequest'],
  "another user's access token": [],
  "another user's session token": [],
  "another user's onetime token": [],
  "another merchant's owner": [],
  "another merchant's key": [],
  "another merchant's client secret": [],
};

let api: TestApi;
let ids: string[];
let nodes: Awaited<ReturnType<typeof makeMerchantNodes>>['nodes'];
let callers: Record<string, Caller>;
beforeAll(async () => {
  api = await openApi();
  const { database, merchantA, merchantB, liveApp } = api;
  const ours = await makeMerchantNodes(database, merchantA, WALLET);
  const theirs = await makeMerchantNodes(database, merchantB, OTHER_WALLET);
  const [user, stranger] = [await makeCardUser(api), await makeCardUser(api)];
  const installation = await makeInstallationNodes(database);
  nodes = ours.nodes;
  ids = [...[nodes, user.nodes, installation].flatMap((each) => Object.values(each)), user.elsewhere];
  const { merchantId } = merchantA;
  callers = {
    owner: await memberOf(api, merchantId, 'OWNER'),
    developer: await memberOf(api, merchantId, 'DEVELOPER'),
    viewer: await memberOf(api, merchantId, 'VIEWER'),
    'secret key': keyOf(merchantA.secretKey),
    'key with READ': await restrictedKeyOf(api, merchantA, ['READ']),
    'key with READ and AUDIT_LOG': await restrictedKeyOf(api, merchantA, ['READ', 'AUDIT_LOG']),
    'key of another app': keyOf(liveApp.secretKey),
    'client secret': ours.payer,
    payer: await payerOf(api, WALLET),
    'payer on this chain': await payerOf(api, WALLET, 31337),
    'payer on another chain': await payerOf(api, WALLET, 1),
    'another wallet': await payerOf(api, OTHER_WALLET),
    operator: await platformOf(api, 'OPERATOR'),
    'viewer who operates': await memberOf(api, merchantId, 'VIEWER', true),
    'owner who operates': await memberOf(api, merchantId, 'OWNER', true),
    'access token': user.card,
    'session token': user.cardSession,
    'onetime token': user.onetime,
    "another user's access token": stranger.card,
    "another user's session token": stranger.cardSession,
    "another user's onetime token": stranger.onetime,
    "another merchant's owner": await memberOf(api, merchantB.merchantId, 'OWNER'),
    "another merchant's key": keyOf(merchantB.secretKey),
    "another merchant's client secret": theirs.payer,
  };
});

const NODE = 'query ($id: ID!) { node(id: $id) { id __typename } }';
const NODES = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id __typename } }';
const callerOf = (name: string): Caller => callers[name] ?? { headers: {} };

test('every type that implements Node has an object in this test', () => {
  const node = schema.getType('Node');
  const implementors = Object.values(schema.getTypeMap())
    .filter((type) => 'getInterfaces' in type && type.getInterfaces().some((each) => each === node))
    .map(({ name }) => name);
  expect([...new Set(Object.values(seen).flat())].sort()).toEqual(implementors.sort());
});

test.each(merchants)('returns %s to its owner, and the same response as for a missing one to others', async (name) => {
  const id = nodes[name as keyof typeof nodes];
  const own = await api.graphql(NODE, { id }, callerOf('owner'));
  expect([own.data, own.errors]).toEqual([{ node: { id, __typename: name } }, undefined]);
  const foreign = await api.graphql(NODE, { id }, callerOf("another merchant's owner"));
  const missing = await api.graphql(NODE, { id: newId() }, callerOf("another merchant's owner"));
  expect([foreign.status, foreign.data, foreign.errors]).toEqual([200, { node: null }, undefined]);
  expect([missing.status, missing.data, missing.errors]).toEqual([200, { node: null }, undefined]);
  const nobody = await api.graphql(NODE, { id });
  expect([nobody.status, nobody.errors?.[0]?.extensions.code]).toEqual([401, 'AUTHENTICATION_ERROR']);
});

test('refuses a credential without read access, whatever it requests', async () => {
  for (const [options, status, code] of [
    [{}, 401, 'AUTHENTICATION_ERROR'],
    [{ key: api.merchantA.publishableKey }, 403, 'AUTHORIZATION_ERROR'],
    [await restrictedKeyOf(api, api.merchantA, ['AUDIT_LOG']), 403, 'AUTHORIZATION_ERROR'],
    [await platformOf(api, 'ARBITER'), 403, 'AUTHORIZATION_ERROR'],
  ] as const) {
    const one = await api.graphql(NODE, { id: nodes.AuditEntry }, options);
    const many = await api.graphql(NODES, { ids }, options);
    expect([one.status, one.errors?.[0]?.extensions.code]).toEqual([status, code]);
    expect([many.status, many.errors?.[0]?.extensions.code]).toEqual([status, code]);
  }
});

test.each(Object.keys(seen))('returns to %s exactly the objects that this caller may read', async (who) => {
  const { data, errors } = await api.graphql(NODES, { ids }, callerOf(who));
  expect(errors).toBeUndefined();
  expect(data.nodes).toHaveLength(ids.length);
  const found: { id: string; __typename: string }[] = data.nodes.filter((node: unknown) => node !== null);
  expect(found.map(({ __typename }) => __typename).sort()).toEqual(seen[who]?.toSorted());
  // In the order of their IDs.
  expect(data.nodes.map((node: { id: string } | null, place: number) => node?.id ?? ids[place])).toEqual(ids);
});

test('does not return a removed member or a delivered payout', async () => {
  const { database, merchantA } = api;
  const removed = await memberOf(api, merchantA.merchantId, 'VIEWER');
  const payout = await database.creditedPayout.findUniqueOrThrow({ where: { id: nodes.UndeliveredPayout } });
  const delivered = newId();
  await database.creditedPayout.create({
    data: { ...payout, id: delivered, logIndex: 7, deliveredAt: new Date(), deliveredTo: payout.recipient },
  });
  const ask = async () =>
    (await api.graphql(NODES, { ids: [removed.memberId, delivered] }, callerOf('owner'))).data.nodes;
  expect(await ask()).toEqual([{ id: removed.memberId, __typename: 'Member' }, null]);
  await database.member.update({ where: { id: removed.memberId }, data: { removedAt: new Date() } });
  expect(await ask()).toEqual([null, null]);
});

test('returns only what its page shows of a payment to a client secret, and nothing of another attempt', async () => {
  const { database } = api;
  const payout = await database.creditedPayout.findUniqueOrThrow({ where: { id: nodes.UndeliveredPayout } });
  const [otherTry, merchants, refund] = [newId(), newId(), newId()];
  await database.creditedPayout.createMany({
    data: [
      { ...payout, id: otherTry, logIndex: 8, termsHash: `0x${'9'.repeat(64)}` },
      { ...payout, id: merchants, logIndex: 9, role: 'MERCHANT' },
    ],
  });
  await database.transaction.create({
    data: { id: refund, paymentIntentId: nodes.PaymentIntent, chainId: 31337, type: 'REFUND' },
  });
  const asked = { ids: [otherTry, merchants, refund] };
  expect((await api.graphql(NODES, asked, callerOf('client secret'))).data.nodes).toEqual([null, null, null]);
  const own = (await api.graphql(NODES, asked, callerOf('owner'))).data.nodes;
  expect(own.map(({ __typename }: { __typename: string }) => __typename)).toEqual([
    'UndeliveredPayout',
    'UndeliveredPayout',
    'Transaction',
  ]);
  const document = `query ($id: ID!) { node(id: $id) { ... on PaymentIntent { id metadata refunds { id } } } }`;
  const { errors } = await api.graphql(document, { id: nodes.PaymentIntent }, callerOf('client secret'));
  expect(errors?.[0]?.extensions.code).toBe('AUTHORIZATION_ERROR');
});
