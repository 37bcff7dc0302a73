/** Events that the indexer saw and that the core accepted, with Ponder itself, reorganizations, and no indexer. */
import { beforeAll, describe, expect, test } from 'vitest';
import { createPlatformCredential } from '../../src/auth/create-platform-credential.ts';
import { newId } from '../../src/platform/identifier.ts';
import type { GraphqlAnswer } from '../setup/api/api.ts';
import { countStatements } from '../setup/database/count-statements.ts';
import { CONFIRMATIONS, eventually, openRecordGround, type RecordGround } from './record-ground.ts';

const TIMEOUT = 900_000;
let ground: RecordGround;
beforeAll(async () => {
  ground = await openRecordGround();
}, TIMEOUT);

type RecordedEvent = { name: string; finality: string; acceptance: string; [field: string]: unknown };

const EVENT = `chainId blockNumber blockHash occurredAt txHash logIndex address name termsHash args
  indexed received finality acceptance reason`;
const OF_PAYMENT = `query ($id: ID!, $first: Int, $after: String) { paymentIntent(id: $id) { id status
  chainEvents(first: $first, after: $after) { totalCount nodes { ${EVENT} } edges { cursor } pageInfo { hasNextPage endCursor } }
  transactions { type txHash logs { name } chainEvents { totalCount nodes { ${EVENT} } } } } }`;

const eventsOf = async (id: string): Promise<RecordedEvent[]> =>
  (await ground.graphql(OF_PAYMENT, { id })).data?.paymentIntent?.chainEvents?.nodes ?? [];
/** Each as `name finality acceptance`. */
const summaryOf = (events: readonly RecordedEvent[]) =>
  events.map(({ name, finality, acceptance }) => `${name} ${finality} ${acceptance}`);
const untilSummary = async (id: string, expected: string[]) => {
  const isExpected = (events: RecordedEvent[]) => summaryOf(events).join() === expected.join();
  return await eventually(() => eventsOf(id), isExpected);
};
const operatorKey = async () =>
  (await createPlatformCredential(ground.api.world, { role: 'OPERATOR', name: 'o' })).secret;
const codes = ({ errors }: GraphqlAnswer) => errors?.map(({ path, extensions }) => [path?.join('.'), extensions.code]);

describe('chainEvents', () => {
  test('shows when those of a payment are seen, accepted and final, or why not', { timeout: TIMEOUT }, async () => {
    const intent = await ground.intent();
    const signed = await ground.sign(intent);
    const txHash = await ground.authorize(signed);
    const names = ['Authorized', 'Captured', 'Transfer'];
    const all = (rest: string) => names.map((name) => `${name} ${rest}`);
    const seen = await untilSummary(intent.id, all('SEEN WAITING_FOR_CONFIRMATIONS'));
    const block = await ground.evm.publicClient.getBlock({ blockHash: seen[0]?.blockHash as `0x${string}` });
    const terms = { ...signed.terms, intentId: expect.any(String) };
    expect(seen[0]).toMatchObject({
      chainId: 31337,
      blockNumber: String(block.number),
      occurredAt: new Date(Number(block.timestamp) * 1000).toISOString(),
      txHash,
      address: ground.evm.escrow.toLowerCase(),
      termsHash: signed.id,
      indexed: true,
      received: true,
      reason: `Its block has 1 of ${CONFIRMATIONS} confirmations, as the gateway last saw the chain.`,
    });
    expect(seen[0]?.args).toMatchObject({ id: signed.id, left: '10000000', terms: { amount: String(terms.amount) } });
    await ground.evm.mine(CONFIRMATIONS - 1);
    const confirmed = await untilSummary(intent.id, all('CONFIRMED ACCEPTED'));
    expect(confirmed.map(({ reason }) => reason)).toEqual([null, null, null]);
    await ground.evm.mine(40);
    await untilSummary(intent.id, all('FINAL ACCEPTED'));

    const { data } = await ground.graphql(OF_PAYMENT, { id: intent.id });
    expect(data.paymentIntent.status).toBe('CAPTURED');
    for (const transaction of data.paymentIntent.transactions) {
      expect(summaryOf(transaction.chainEvents.nodes)).toEqual(all('FINAL ACCEPTED'));
      expect(transaction.chainEvents.totalCount).toBe(3);
    }
  });

  test('includes the Approval of a permit and the AuthorizationUsed of ERC-3009', { timeout: TIMEOUT }, async () => {
    const [first, second] = [await ground.intent(), await ground.intent()];
    // A permit replaces the allowance from which the other payments are collected.
    const [, signer] = ground.evm.payers;
    const permitted = await ground.payByPermit(await ground.sign(first, { payer: signer.address }));
    const authorized = await ground.payByAuthorization(await ground.sign(second));
    await ground.evm.mine(40);
    const accepted = (names: string[]) => names.map((name) => `${name} FINAL ACCEPTED`);
    const byPermit = await untilSummary(first.id, accepted(['Authorized', 'Captured', 'Approval', 'Transfer']));
    expect(byPermit[2]).toMatchObject({ txHash: permitted, indexed: true, args: { value: '10000000' } });
    const names = ['Authorized', 'Captured', 'AuthorizationUsed', 'Transfer'];
    const [payment, , used] = await untilSummary(second.id, accepted(names));
    expect(used).toMatchObject({
      txHash: authorized,
      indexed: false,
      received: true,
      termsHash: payment?.termsHash,
      args: { authorizer: ground.evm.payers[0].address.toLowerCase(), nonce: payment?.termsHash },
    });
    const { data } = await ground.graphql(OF_PAYMENT, { id: second.id });
    const [transaction] = data.paymentIntent.transactions;
    expect(transaction.chainEvents.nodes.map(({ name }: RecordedEvent) => name)).toEqual(names);
    // The escrow's logs stay what they were.
    expect(transaction.logs.map(({ name }: { name: string }) => name)).toEqual(['Authorized', 'Captured']);
  });

  test('does not count those with terms of other signers, or of a second payment', { timeout: TIMEOUT }, async () => {
    const intent = await ground.intent();
    const forged = await ground.sign(intent, { amount: 1n });
    await ground.database.paymentTerms.delete({
      where: { chainId_termsHash: { chainId: 31337, termsHash: forged.id } },
    });
    await ground.authorize(forged);
    await ground.evm.mine(40);
    const unknown = ['Authorized FINAL UNKNOWN_TERMS', 'Captured FINAL UNKNOWN_TERMS'];
    const [event] = await untilSummary(intent.id, unknown);
    expect(event?.reason).toMatch(/signed no such terms on chain 31337: .* changes nothing/);
    expect((await ground.read(intent.id)).status).toBe('CREATED');

    await ground.authorize(await ground.sign(intent));
    await ground.evm.mine(4);
    await eventually(
      () => ground.read(intent.id),
      ({ status }) => status === 'CAPTURED',
    );
    await ground.authorize(await ground.sign(intent));
    await ground.evm.mine(40);
    const counted = ['Authorized FINAL ACCEPTED', 'Captured FINAL ACCEPTED', 'Transfer FINAL ACCEPTED'];
    const beside = counted.map((words) => words.replace('ACCEPTED', 'NOT_COUNTED'));
    // The fold assigns a token's Transfer to no payment.
    beside[2] = 'Transfer FINAL ACCEPTED';
    await untilSummary(intent.id, [...unknown, ...counted, ...beside]);
  });

  test('marks those of a reorganized block as orphaned', { timeout: TIMEOUT }, async () => {
    const intent = await ground.intent();
    await ground.authorize(await ground.sign(intent));
    await ground.evm.mine(CONFIRMATIONS - 1);
    const names = ['Authorized', 'Captured', 'Transfer'];
    await untilSummary(
      intent.id,
      names.map((name) => `${name} CONFIRMED ACCEPTED`),
    );
    await ground.evm.reorg(CONFIRMATIONS);
    await ground.evm.mine(2);
    const gone = await untilSummary(
      intent.id,
      names.map((name) => `${name} ORPHANED ORPHANED`),
    );
    expect(gone[0]).toMatchObject({ indexed: false, received: true });
    expect(gone[0]?.reason).toMatch(/^Its block is no longer part of the chain/);
    const answer = await ground.api.graphql(
      '{ escrowEvents(first: 3) { nodes { name finality } } }',
      {},
      { key: await operatorKey() },
    );
    expect(answer.data.escrowEvents.nodes).toEqual(names.toReversed().map((name) => ({ name, finality: 'ORPHANED' })));
  });

  test('is paginated, and reads each page with one statement', { timeout: TIMEOUT }, async () => {
    const intents = await ground.database.paymentIntent.findMany({ orderBy: { id: 'asc' } });
    const [paid] = intents;
    const first = await ground.graphql(OF_PAYMENT, { id: paid?.id, first: 1 });
    const page = first.data.paymentIntent.chainEvents;
    expect([page.totalCount, page.nodes.length, page.pageInfo.hasNextPage]).toEqual([3, 1, true]);
    const rest = await ground.graphql(OF_PAYMENT, { id: paid?.id, after: page.pageInfo.endCursor });
    const { nodes, pageInfo, totalCount } = rest.data.paymentIntent.chainEvents;
    expect([totalCount, nodes.length, pageInfo.hasNextPage]).toEqual([3, 2, false]);
    for (const bad of [{ first: 0 }, { first: 101 }, { after: 'x' }, { after: 'Q2hhaW5FdmVudDox' }]) {
      expect((await ground.graphql(OF_PAYMENT, { id: paid?.id, ...bad })).errors?.[0]?.extensions).toMatchObject({
        code: 'VALIDATION_ERROR',
        param: Object.keys(bad)[0],
      });
    }
    while ((await ground.database.paymentIntent.count()) < 20) await ground.intent();
    const ask = (fields: string) => ground.graphql(`{ paymentIntentsPage(pageSize: 20) { items { id ${fields} } } }`);
    let answer: GraphqlAnswer | undefined;
    const statements = await countStatements(async () => {
      answer = await ask('chainEvents { totalCount } transactions { chainEvents { totalCount } }');
    });
    expect(answer?.errors).toBeUndefined();
    expect(answer?.data.paymentIntentsPage.items).toHaveLength(20);
    // One for the payments, one for their transactions; the projector reads the indexer's rows in this process too.
    expect(statements.filter((text) => /AS asked.*chain_event/s.test(text))).toHaveLength(2);
  });
});

test('recordedAllowances returns the last valid approval of each token', { timeout: TIMEOUT }, async () => {
  const [, , payer] = ground.evm.payers;
  const customer = await ground.database.customerAccount.create({ data: { id: newId(), appId: ground.app.id } });
  const wallet = { customerAccountId: customer.id, chainId: 31337 };
  await ground.database.customerWallet.createMany({
    data: [payer.address, ground.evm.arbiter.address].map((walletAddress) => ({
      id: newId(),
      ...wallet,
      walletAddress,
    })),
  });
  await ground.approve(payer, 5n);
  const txHash = await ground.approve(payer, 7n);
  const document = `query ($id: ID!) { customer(id: $id) { wallets { recordedAllowances {
    tokenKey tokenAddress amount approvedAt txHash finality } } } }`;
  const read = async () => (await ground.graphql(document, { id: customer.id })).data.customer.wallets;
  const [approved, without] = await eventually(read, ([first]) => first.recordedAllowances?.[0]?.amount === '7');
  expect(approved.recordedAllowances).toEqual([
    {
      tokenKey: ground.evm.usdc.key,
      tokenAddress: ground.evm.usdc.address.toLowerCase(),
      amount: '7',
      approvedAt: expect.any(String),
      txHash,
      finality: expect.stringMatching(/SEEN|CONFIRMED/),
    },
  ]);
  expect(without.recordedAllowances).toEqual([]);
  const statements = await countStatements(read);
  expect(statements.filter((text) => /AS asked.*chain_event/s.test(text))).toHaveLength(1);
});

describe('for operators', () => {
  test('escrowEvents can be filtered and paginated', { timeout: TIMEOUT }, async () => {
    const call = { key: await operatorKey() };
    const document = `query ($filter: EscrowEventsFilter, $first: Int, $after: String) {
      escrowEvents(filter: $filter, first: $first, after: $after) { totalCount nodes { name chainId txHash logIndex blockNumber }
        pageInfo { hasNextPage endCursor } } }`;
    const ask = async (variables: object) =>
      (await ground.api.graphql(document, { ...variables }, call)).data.escrowEvents;
    const all = await ask({ first: 100 });
    expect(all.totalCount).toBe(all.nodes.length);
    const heights = all.nodes.map(({ blockNumber }: { blockNumber: string }) => Number(blockNumber));
    const walked: unknown[] = [];
    for (let after: string | undefined, more = true; more; ) {
      const page = await ask({ first: 7, ...(after ? { after } : {}) });
      walked.push(...page.nodes);
      ({ hasNextPage: more, endCursor: after } = page.pageInfo);
    }
    expect(walked).toEqual(all.nodes);
    expect(heights.length).toBeGreaterThan(20);
    const [{ txHash }] = all.nodes.filter(({ name }: { name: string }) => name === 'Captured');
    const captured = await ask({ filter: { txHash, names: ['Captured'], chainId: 31337 } });
    expect(captured.nodes.map(({ name, txHash: hash }: { name: string; txHash: string }) => [name, hash])).toEqual([
      ['Captured', txHash],
    ]);
    const elsewhere = await ground.api.graphql(document, { filter: { chainId: 1 } }, call);
    expect(elsewhere.errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_ERROR', param: 'filter.chainId' });
  });

  test('chainRecordDifferences returns none at first, then each kind', { timeout: TIMEOUT }, async () => {
    const call = { key: await operatorKey() };
    const document = `query ($first: Int, $fromBlock: String, $toBlock: String) {
      chainRecordDifferences(chainId: 31337, first: $first, fromBlock: $fromBlock, toBlock: $toBlock) {
        fromBlock toBlock totalCount hasMore differences { kind event { name txHash } } } }`;
    const ask = async (variables: object = {}) =>
      (await ground.api.graphql(document, { ...variables }, call)).data?.chainRecordDifferences;
    await ground.evm.mine(40);
    await eventually(ask, (found) => found?.totalCount === 0 && found.fromBlock === '0');
    const { database } = ground;
    const facts = await database.chainFact.findMany({
      where: { status: 'FINAL', kind: { in: ['Authorized', 'Captured', 'Transfer'] } },
      orderBy: [{ blockNumber: 'asc' }, { logIndex: 'asc' }],
      take: 3,
    });
    const [lost, changed, orphaned] = facts;
    if (!lost || !changed || !orphaned) throw new Error('There are too few facts.');
    const key = ({ chainId, blockHash, logIndex }: typeof lost) => ({
      chainId_blockHash_logIndex: { chainId, blockHash, logIndex },
    });
    await database.chainFact.delete({ where: key(lost) });
    await database.chainFact.update({ where: key(changed), data: { args: { left: '1' } } });
    await database.chainFact.update({ where: key(orphaned), data: { status: 'ORPHANED', appliedAt: null } });
    const { args: _args, ...rest } = lost;
    await database.chainFact.create({ data: { ...rest, args: {}, logIndex: 77 } });
    const found = await ask();
    const kinds = found.differences.map(({ kind }: { kind: string }) => kind);
    expect(kinds.toSorted()).toEqual(['CONTENT', 'NOT_INDEXED', 'NOT_RECEIVED', 'ORPHANED_YET_INDEXED']);
    expect(await ask({ first: 1 })).toMatchObject({ totalCount: 4, hasMore: true, differences: [{}] });
    const before = String(lost.blockNumber - 1n);
    expect(await ask({ fromBlock: '0', toBlock: before })).toMatchObject({ toBlock: before, totalCount: 0 });
    const far = await ground.api.graphql(document, { fromBlock: '0', toBlock: '100000' }, call);
    expect(far.errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_ERROR', param: 'fromBlock' });
  });
});

test('only these fields fail without the indexer', { timeout: TIMEOUT }, async () => {
  const { database, api } = ground;
  const { id } = await database.paymentIntent.findFirstOrThrow({ where: { acceptedTermsHash: { not: null } } });
  const call = { key: await operatorKey() };
  const ask = () =>
    ground.graphql('query ($id: ID!) { paymentIntent(id: $id) { id chainEvents { totalCount } } }', { id });
  const expectAlone = (answer: GraphqlAnswer) => {
    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({ paymentIntent: { id, chainEvents: null } });
    expect(codes(answer)).toEqual([['paymentIntent.chainEvents', 'CHAIN_UNAVAILABLE']]);
    expect(answer.errors?.[0]?.extensions).toMatchObject({ retryable: true, requestId: expect.any(String) });
    expect(JSON.stringify(answer.errors)).not.toMatch(
      /select|relation|ponder\.|chain_event|127\.0\.0\.1|postgres|stack/i,
    );
  };
  await ground.stopIndexer();
  await database.$executeRaw`UPDATE chain_cursor SET observed_at = now() - interval '30 seconds'`;
  expect((await ask()).errors).toBeUndefined();
  await database.$executeRaw`UPDATE chain_cursor SET observed_at = now() - interval '75 seconds'`;
  const stale = await ask();
  expectAlone(stale);
  expect(stale.errors?.[0]?.message).toMatch(/^Chain 31337 was last read 7\d s ago; .* 60 s old at most\.$/);
  const both =
    '{ chainStatus { chainId } escrowEvents { totalCount } chainRecordDifferences(chainId: 31337) { totalCount } }';
  const operators = await api.graphql(both, {}, call);
  expect(operators.data).toEqual({
    chainStatus: [{ chainId: 31337 }],
    escrowEvents: null,
    chainRecordDifferences: null,
  });
  expect(codes(operators)?.map(([, code]) => code)).toEqual(['CHAIN_UNAVAILABLE', 'CHAIN_UNAVAILABLE']);
  const wallets = await ground.graphql(
    '{ customersPage { items { wallets { walletAddress recordedAllowances { amount } } } } }',
  );
  expect(codes(wallets)?.[0]?.[1]).toBe('CHAIN_UNAVAILABLE');

  await database.$executeRaw`UPDATE chain_cursor SET observed_at = now()`;
  await database.$executeRawUnsafe('DROP SCHEMA ponder CASCADE');
  const unreadable = await ask();
  expectAlone(unreadable);
  expect(unreadable.errors?.[0]?.message).toBe("The indexer's record cannot be read now.");
});
