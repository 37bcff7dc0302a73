/** The GraphQL API for operators, and for members who are named as operators. */
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { expect, it } from 'vitest';
import { createPlatformCredential } from '../../../src/auth/create-platform-credential.ts';
import { nameOperator } from '../../../src/auth/members/name-operator.ts';
import { removeMember } from '../../../src/auth/members/remove-member.ts';
import { issueToken } from '../../../src/auth/tokens/issue-token.ts';
import { pauseChain } from '../../../src/operations/pause-chain.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { followSse } from '../../setup/api/live.ts';
import { openRestApi } from '../../setup/api/rest.ts';
import { openEvm } from '../../setup/chains/evm.ts';
import { countStatements } from '../../setup/database/count-statements.ts';

const node = await openEvm();
/** A sender key that has never sent anything, and has no gas. */
const senderKey = generatePrivateKey();
const environment = { SENDER_PRIVATE_KEYS: senderKey };
const api = await openRestApi({ rpc: { 31337: node.rpcUrl }, environment });
const { world, database, merchantA } = api;

const LOOK = `{ installation {
  faults chains { chainId nodeBlock headBlock paused haltReason } senders { chainId address left decimals isLow daysLeft }
  work { jobsReady intentsOverdue } books { chainId state } outgoing { id purpose status } stuck(minutes: 5) { kind id state since action }
  alarms { alarm at what }
} }`;

async function logIn(email: string) {
  const memberId = newId();
  const { merchantId } = merchantA;
  await database.member.create({ data: { id: memberId, merchantId, email, role: 'VIEWER' } });
  const sessionId = newId();
  const createdAt = world.clock.now();
  const expiresAt = new Date(createdAt.getTime() + 3_600_000);
  await database.memberSession.create({ data: { id: sessionId, memberId, expiresAt, createdAt } });
  const { token } = await issueToken(world, { subject: { audience: 'dashboard', memberId, sessionId } });
  return { memberId, headers: { authorization: `Bearer ${token}` } };
}

const codeOf = (answer: { errors: { extensions: { code: string } }[] | undefined }) =>
  answer.errors?.[0]?.extensions.code;

it('returns chains, senders, work and books to an operator', async () => {
  const { secret } = await createPlatformCredential(world, { role: 'OPERATOR', name: 'night shift' });
  const { data, errors } = await api.graphql(LOOK, {}, { key: secret });
  expect(errors).toBeUndefined();
  expect(data.installation.chains).toEqual([
    { chainId: 31337, nodeBlock: expect.stringMatching(/^\d+$/), headBlock: null, paused: false, haltReason: null },
  ]);
  const sender = privateKeyToAddress(senderKey).toLowerCase();
  expect(data.installation.faults).toEqual([
    expect.stringMatching(/^Chain 31337 .*has not been observed yet\.$/),
    `Key ${sender} has 0 left for gas on chain 31337.`,
  ]);
  expect(data.installation.senders).toEqual([
    {
      chainId: 31337,
      address: world.operator.address.toLowerCase(),
      left: expect.any(String),
      decimals: 18,
      isLow: false,
      daysLeft: null,
    },
    { chainId: 31337, address: sender, left: '0', decimals: 18, isLow: true, daysLeft: null },
  ]);
  expect(data.installation.work).toEqual({ jobsReady: expect.any(Number), intentsOverdue: 0 });
  expect(data.installation.stuck).toEqual([]);
  expect(data.installation.alarms).toEqual([]);
});

it('compares the books once for all operators', async () => {
  const { secret } = await createPlatformCredential(world, { role: 'OPERATOR', name: 'auditor' });
  const books = async () => {
    const { data } = await api.graphql('{ installation { books { chainId state } } }', {}, { key: secret });
    return data.installation.books;
  };
  await expect
    .poll(books, { timeout: 30_000 })
    .toEqual([{ chainId: 31337, state: expect.stringMatching(/^(MATCH|UNKNOWN)$/) }]);
  const statements = await countStatements(books);
  const again = await countStatements(books);
  expect([statements.length, again.length].every((count) => count < 40)).toBe(true);
  const reads = (texts: readonly unknown[]) =>
    texts.filter((one) => /ledger_entry/.test(String(one)) && !/outgoing_transaction/.test(String(one))).length;
  expect(reads(again), 'the books are not read again').toBe(0);
});

it('reports how long a sender’s balance lasts, stuck work with advice, and the latest alarms', async () => {
  const { secret } = await createPlatformCredential(world, { role: 'OPERATOR', name: 'day shift' });
  const chainId = 31337;
  const spender = world.operator.address.toLowerCase();
  const { id: paymentIntentId } = await database.paymentIntent.create({
    data: {
      id: newId(),
      appId: merchantA.appId,
      amount: '1',
      currency: 'USD',
      captureMode: 'AUTOMATIC',
      timelockDuration: 5,
      disputeStartDuration: 5,
      platformFeeBps: 0,
    },
  });
  const balance = await node.publicClient.getBalance({ address: world.operator.address });
  const now = world.realClock.now().getTime();
  // Four transactions in the last two days cost an eighth of the balance, which lasts 16 days. An older one is ignored.
  const ages = [100, 40, 30, 20, 48];
  for (const [nonce, hours] of ages.entries()) {
    const transactionId = newId();
    const shared = { chainId, createdAt: new Date(now - (nonce === 0 ? 24 * 30 : hours) * 3_600_000) };
    await database.transaction.create({
      data: {
        ...shared,
        id: transactionId,
        paymentIntentId,
        type: 'REFUND',
        status: 'CONFIRMED',
        termsHash: `0x${'0a'.repeat(32)}`,
        gasCostWei: String(balance / 32n),
      },
    });
    const row = { ...shared, id: newId(), sender: spender, toAddress: spender, data: '0x', transactionId };
    await database.outgoingTransaction.create({
      data: { ...row, nonce: BigInt(nonce), purpose: `spent ${nonce}`, status: 'FINAL' },
    });
  }
  await database.operatorNonce.create({ data: { chainId, address: spender, nextNonce: 5n } });
  const failed = { id: newId(), chainId, sender: spender, toAddress: spender, data: '0x', status: 'FAILED' } as const;
  await database.outgoingTransaction.create({ data: { ...failed, purpose: 'a payout', error: 'It reverted.' } });
  const waiting = { ...failed, id: newId(), status: 'QUEUED', createdAt: new Date(now - 3_600_000) } as const;
  await database.outgoingTransaction.create({ data: { ...waiting, purpose: 'a refund' } });
  const { data, errors } = await api.graphql(LOOK, {}, { key: secret });
  expect(errors).toBeUndefined();
  expect(data.installation.senders[0]).toMatchObject({ address: spender, daysLeft: 16 });
  expect(data.installation.stuck).toEqual([
    expect.objectContaining({
      kind: 'transaction',
      id: waiting.id,
      action: expect.stringMatching(/^Check that a worker runs/),
    }),
  ]);
  expect(data.installation.alarms).toEqual([
    { alarm: 'SluiceTransactionsFailed', at: expect.any(String), what: 'Chain 31337, a payout: It reverted.' },
  ]);
  const statements = await countStatements(() => api.graphql(LOOK, {}, { key: secret }));
  expect(statements.length, 'whatever the number of rows').toBeLessThan(40);
  await database.outgoingTransaction.deleteMany({ where: { sender: spender } });
});

it('is accessible to a member while named as an operator, whatever the role', async () => {
  const { memberId, headers } = await logIn('ops@example.com');
  const { merchantId } = merchantA;
  const look = async () => codeOf(await api.graphql('{ installation { faults } }', {}, { headers }));
  expect(await look()).toBe('AUTHORIZATION_ERROR');
  const name = (isOperator: boolean) =>
    nameOperator({ database }, { merchantId, email: 'OPS@example.com', isOperator });
  await name(true);
  expect(await look()).toBeUndefined();
  const viewer = await api.graphql('{ viewer { member { isOperator role } } }', {}, { headers });
  expect(viewer.data.viewer.member).toEqual({ isOperator: true, role: 'VIEWER' });
  await name(false);
  expect(await look()).toBe('AUTHORIZATION_ERROR');
  await name(true);
  await removeMember(world, { merchantId, id: memberId });
  expect(await look()).toBe('AUTHENTICATION_ERROR');
  expect((await database.member.findUniqueOrThrow({ where: { id: memberId } })).isOperator).toBe(false);
  await expect(nameOperator({ database }, { merchantId, email: 'ops@example.com', isOperator: true })).rejects.toThrow(
    /member/,
  );
});

it('is refused to every other caller', async () => {
  expect(codeOf(await api.graphql(LOOK))).toBe('AUTHENTICATION_ERROR');
  expect(codeOf(await api.graphql(LOOK, {}, { key: merchantA.secretKey }))).toBe('AUTHORIZATION_ERROR');
  for (const change of ['pauseChain(chainId: 31337)', 'resumeChain(chainId: 31337)', 'drainInstallation']) {
    const answer = await api.graphql(`mutation { ${change} { __typename } }`, {}, { key: merchantA.secretKey });
    expect([change, codeOf(answer)]).toEqual([change, 'AUTHORIZATION_ERROR']);
  }
});

it('pauses a chain once for repeated requests, drains, and accepts payments again', async () => {
  const { headers } = await logIn('pause@example.com');
  await nameOperator({ database }, { merchantId: merchantA.merchantId, email: 'pause@example.com', isOperator: true });
  const ask = (text: string) => api.graphql(`mutation { ${text} }`, {}, { headers });
  const isPaused = async () => (await database.chainCursor.findUnique({ where: { chainId: 31337 } }))?.pausedAt != null;
  for (const _ of [1, 2]) {
    const paused = await ask('pauseChain(chainId: 31337) { chainId paused }');
    expect(paused.data.pauseChain).toEqual({ chainId: 31337, paused: true });
    expect(await isPaused()).toBe(true);
  }
  expect((await ask('resumeChain(chainId: 31337) { paused }')).data.resumeChain).toEqual({ paused: false });
  expect(await isPaused()).toBe(false);
  const drained = await ask('drainInstallation { chains isDrained openQuotes quotesUntil transactions jobs facts }');
  expect(drained.data.drainInstallation).toMatchObject({ chains: [31337], openQuotes: 0, transactions: 0, facts: 0 });
  expect(await isPaused()).toBe(true);
  expect((await ask('resumeChain(chainId: 31337) { paused }')).data.resumeChain).toEqual({ paused: false });
});

it('ends a member’s subscriptions when the member is no longer an operator', async () => {
  const { headers } = await logIn('live@example.com');
  const request = { merchantId: merchantA.merchantId, email: 'live@example.com' };
  await nameOperator({ database }, { ...request, isOperator: true });
  const live = await followSse(api.url, 'subscription { chainStatus { chainId } }', {}, headers);
  await live.next();
  await nameOperator({ database }, { ...request, isOperator: false });
  let last = await live.next();
  // Updates of the chain may be received before the end.
  while (last !== 'end' && last.errors === undefined) last = await live.next();
  expect(last === 'end' ? last : last.errors?.[0]?.extensions.code).toBe('AUTHENTICATION_ERROR');
});

it('keeps the time when the chain was last read and the time of its first pause', async () => {
  const cursor = () => database.chainCursor.findUniqueOrThrow({ where: { chainId: 31337 } });
  await pauseChain(world, { chainId: 31337, pausedAt: null });
  const { updatedAt } = await cursor();
  const first = new Date('2026-01-01T00:00:00.000Z');
  await pauseChain(world, { chainId: 31337, pausedAt: first });
  await pauseChain(world, { chainId: 31337, pausedAt: new Date('2026-02-01T00:00:00.000Z') });
  expect(await cursor()).toMatchObject({ pausedAt: first, updatedAt });
  await pauseChain(world, { chainId: 31337, pausedAt: null });
  expect(await cursor()).toMatchObject({ pausedAt: null, updatedAt });
});

it('names arguments that exceed their limits', async () => {
  const { secret } = await createPlatformCredential(world, { role: 'OPERATOR', name: 'careless' });
  const details = async (text: string) =>
    (await api.graphql(text, {}, { key: secret })).errors?.[0]?.extensions.details?.map((fault) => fault.param);
  expect(await details('mutation { pauseChain(chainId: 999999) { paused } }')).toEqual(['chainId']);
  expect(await details('mutation { drainInstallation(waitSeconds: 21) { isDrained } }')).toEqual(['waitSeconds']);
  expect(await details('{ installation { stuck(minutes: -1) { id } } }')).toEqual(['minutes']);
});

it('finds an app’s events by request, newest first', async () => {
  const requestId = 'req-log-1';
  const make = (name: string, id: string) =>
    api.graphql(
      'mutation Make($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }',
      { input: { appId: merchantA.appId, name, email: `${name}@example.com` } },
      { key: merchantA.secretKey, headers: { 'x-request-id': id } },
    );
  const made = await make('ann', requestId);
  expect(made.errors).toBeUndefined();
  await make('bob', 'req-log-2');
  const log = async (args: string, key = merchantA.secretKey) =>
    (await api.graphql(`{ eventLog${args} { hasMore items { sequence type requestId resourceId } } }`, {}, { key }))
      .data.eventLog;
  const all = await log('');
  expect(all.items.map((event: { sequence: number }) => event.sequence)).toEqual([2, 1]);
  expect((await log('(limit: 1)')).hasMore).toBe(true);
  expect((await log('(before: 2)')).items.map((event: { sequence: number }) => event.sequence)).toEqual([1]);
  const own = { sequence: 1, type: 'customer.created', requestId, resourceId: made.data.createCustomer.id };
  expect((await log(`(requestId: "${requestId}")`)).items).toEqual([own]);
  expect((await log(`(resourceId: "${made.data.createCustomer.id}")`)).items).toEqual([own]);
  expect((await log('(types: ["customer.updated"])')).items).toEqual([]);
  expect((await log(`(requestId: "${requestId}")`, api.merchantB.secretKey)).items).toEqual([]);
  const wrong = await api.graphql('{ eventLog(limit: 101, before: 0) { hasMore } }', {}, { key: merchantA.secretKey });
  expect(wrong.errors?.[0]?.extensions.details?.map((fault) => fault.param).sort()).toEqual(['before', 'limit']);
});
