/** The age limit of the record, the contents of escrowEvents, and the limits of one operation, with tables like the indexer's. */
import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { FactStatus, PaymentIntentStatus } from '../../prisma/client.ts';
import { createPlatformCredential } from '../../src/auth/create-platform-credential.ts';
import { printPlace, readPlace } from '../../src/gateway/chain-record/event-place.ts';
import { newId } from '../../src/platform/identifier.ts';
import { type GraphqlAnswer, openApi, type TestApi } from '../setup/api/api.ts';

const [INDEXED, DEAD, RETIRED, SOLANA] = [31337, 31338, 1, 103] as const;
let api: TestApi;
let operator: string;
beforeAll(async () => {
  const node = 'http://127.0.0.1:1';
  api = await openApi({ rpc: { [INDEXED]: node, [DEAD]: node, [SOLANA]: node } });
  operator = (await createPlatformCredential(api.world, { role: 'OPERATOR', name: 'o' })).secret;
  await api.database.$executeRawUnsafe('CREATE SCHEMA ponder');
  await api.database.$executeRawUnsafe(`CREATE TABLE ponder.chain_event (chain_id int, id text, block_number numeric(78),
    block_hash text, block_timestamp numeric(78), tx_hash text, log_index int, address text, kind text, ref text, intent text,
    holder text, args json, PRIMARY KEY (chain_id, id))`);
  await api.database.$executeRawUnsafe(
    'CREATE TABLE ponder.chain_progress (chain_id int PRIMARY KEY, number numeric(78), hash text)',
  );
});

const cursor = async (chainId: number, { ageSeconds = 0, read = 1000n }) => {
  const row = { readNumber: read, headNumber: read, observedAt: new Date(Date.now() - ageSeconds * 1000) };
  await api.database.chainCursor.upsert({ where: { chainId }, create: { chainId, ...row }, update: row });
};
const progress = (chainId: number, number: number) => api.database
  .$executeRaw`INSERT INTO ponder.chain_progress VALUES (${chainId}, ${number}, '0x')
    ON CONFLICT (chain_id) DO UPDATE SET number = excluded.number`;
beforeEach(async () => {
  await api.database.chainFact.deleteMany();
  await cursor(INDEXED, {});
  await progress(INDEXED, 1000);
  await cursor(DEAD, { ageSeconds: 3600 });
  await progress(DEAD, 1000);
});

const hashOf = (digits: string) => `0x${digits.repeat(64).slice(0, 64)}`;
let next = 0;
async function fact(fields: { chainId?: number; status?: FactStatus; kind?: string; ref?: string; txHash?: string }) {
  next += 1;
  const { chainId = INDEXED, status = 'ORPHANED', kind = 'Authorized', ref = null, txHash = hashOf('7') } = fields;
  const place = { blockHash: hashOf('5'), logIndex: next, blockNumber: 10n, blockTimestamp: 1_700_000_000n };
  const data = { ...place, chainId, status, kind, ref, txHash, address: '0x', args: {}, appliedAt: new Date() };
  await api.database.chainFact.create({ data });
}
async function intentWith(chainIds: readonly number[], ref: string, status: PaymentIntentStatus = 'CREATED') {
  const made = await api.graphql('mutation { createPaymentIntent(input: { amount: "1" }) { id } }', {}, merchant());
  const { id } = made.data.createPaymentIntent;
  const accepted = status === 'CREATED' ? {} : { authorizationChainId: INDEXED, acceptedTermsHash: ref };
  await api.database.paymentTerms.createMany({
    data: chainIds.map((chainId) => ({
      ...{ chainId, termsHash: ref, paymentIntentId: id, tokenKey: `USDC-${chainId}`, method: 'DIRECT' as const },
      ...{ operatorSignature: '0x1', terms: {}, exchangeRate: '1', authorizeBy: new Date() },
    })),
  });
  await api.database.paymentIntent.update({ where: { id }, data: { status, ...accepted } });
  return id;
}
const merchant = () => ({ key: api.merchantA.secretKey });
const faultsOf = ({ errors = [] }: GraphqlAnswer) => errors.map(({ extensions: { code, param } }) => [code, param]);
const eventsOf = async (id: string) => {
  const document = 'query ($id: ID!) { paymentIntent(id: $id) { chainEvents { totalCount } } }';
  const answer = await api.graphql(document, { id }, merchant());
  return answer.data.paymentIntent.chainEvents?.totalCount ?? answer.errors?.[0]?.message;
};
const askOperator = (args: string, fields = 'totalCount nodes { name chainId }') =>
  api.graphql(`{ escrowEvents${args} { ${fields} } }`, {}, { key: operator });

test('a cursor accepts every possible log index, including those on Solana', () => {
  const place = { blockTimestamp: 1n, chainId: 2_147_483_647, blockNumber: 3n, blockHash: hashOf('a') };
  for (const logIndex of [0, 999_999_999, 2_147_483_647]) {
    expect(readPlace(printPlace({ ...place, logIndex }))).toEqual({ ...place, logIndex });
  }
  expect(() => readPlace(printPlace({ ...place, logIndex: 2_147_483_648 }))).toThrow(/cursor/);
});

test('a stale chain hides events only while they can change the payment', async () => {
  const stale = expect.stringMatching(/^Chain 31338 was last read \d+ s ago/);
  const open = await intentWith([INDEXED, DEAD], hashOf('a1'));
  expect(await eventsOf(open)).toEqual(stale);
  expect(await eventsOf(await intentWith([INDEXED, RETIRED], hashOf('a2')))).toBe(0);
  const ref = hashOf('a3');
  const paid = await intentWith([INDEXED, DEAD], ref, 'CAPTURED');
  await fact({ status: 'CONFIRMED', ref });
  expect(await eventsOf(paid)).toBe(1);
  await fact({ chainId: DEAD, status: 'CONFIRMED', ref });
  expect(await eventsOf(paid)).toEqual(stale);
  await api.database.chainFact.updateMany({ where: { chainId: DEAD }, data: { status: 'FINAL' } });
  expect(await eventsOf(paid)).toBe(2);
  await cursor(INDEXED, { ageSeconds: 61 });
  expect(await eventsOf(paid)).toMatch(/^Chain 31337 was last read/);
  await api.database.paymentIntent.update({ where: { id: paid }, data: { status: 'SETTLED' } });
  await api.database.chainFact.updateMany({ data: { status: 'FINAL' } });
  expect(await eventsOf(paid)).toBe(2);
});

test('an indexer that has stopped returns neither escrowEvents nor allowances', async () => {
  await cursor(DEAD, {});
  const { id: customerAccountId } = await api.database.customerAccount.create({
    data: { id: newId(), appId: api.merchantA.appId },
  });
  await api.database.customerWallet.createMany({
    data: [INDEXED, RETIRED, SOLANA].map((chainId) => ({
      ...{ id: newId(), customerAccountId, chainId },
      walletAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    })),
  });
  const wallets = async () => {
    const document = 'query ($id: ID!) { customer(id: $id) { wallets { chainId recordedAllowances { amount } } } }';
    const { data, errors } = await api.graphql(document, { id: customerAccountId }, merchant());
    const found = data.customer.wallets as { chainId: number; recordedAllowances: unknown }[];
    return [Object.fromEntries(found.map((one) => [one.chainId, one.recordedAllowances])), errors?.length ?? 0];
  };
  expect(faultsOf(await askOperator(''))).toEqual([]);
  expect(await wallets()).toEqual([{ [INDEXED]: [], [RETIRED]: [], [SOLANA]: [] }, 0]);
  await progress(INDEXED, 980);
  expect(faultsOf(await askOperator(''))).toEqual([]);
  await progress(INDEXED, 979);
  const behind = await askOperator('');
  expect(behind.errors?.[0]).toMatchObject({
    message: 'The indexer is 21 blocks behind what was read of chain 31337.',
    extensions: { code: 'CHAIN_UNAVAILABLE' },
  });
  expect(faultsOf(await askOperator(`(filter: { chainId: ${DEAD} })`))).toEqual([]);
  expect(await wallets()).toEqual([{ [INDEXED]: null, [RETIRED]: [], [SOLANA]: [] }, 1]);
});

test('escrowEvents includes orphaned events of chains and events that the indexer reads', async () => {
  await cursor(DEAD, {});
  await fact({});
  await fact({ status: 'FINAL' });
  await fact({ kind: 'AuthorizationUsed' });
  await fact({ chainId: SOLANA });
  await fact({ chainId: DEAD, kind: 'Captured' });
  const names = async (args: string) => {
    const { totalCount, nodes } = (await askOperator(args)).data.escrowEvents;
    return [totalCount, nodes.map(({ name, chainId }: { name: string; chainId: number }) => `${name} ${chainId}`)];
  };
  expect(await names('')).toEqual([2, ['Captured 31338', 'Authorized 31337']]);
  expect(await names(`(filter: { chainId: ${INDEXED} })`)).toEqual([1, ['Authorized 31337']]);
  expect(await names(`(filter: { txHash: "${hashOf('7')}", names: ["Captured"] })`)).toEqual([1, ['Captured 31338']]);
  expect(await names(`(filter: { txHash: "${'5'.repeat(87)}" })`)).toEqual([0, []]);
  const refused = { txHash: '"x\\u0000"', termsHash: '"0x12"', names: '["a\\u0000"]' };
  for (const [field, value] of Object.entries(refused)) {
    const answer = await askOperator(`(filter: { ${field}: ${value} })`);
    expect(faultsOf(answer)).toEqual([['VALIDATION_ERROR', `filter.${field}`]]);
  }
});

test('one operation reads chain events with at most ten different arguments', async () => {
  await cursor(DEAD, {});
  const id = await intentWith([INDEXED], hashOf('b1'));
  const ask = async (count: number, more = '') => {
    const pages = Array.from(
      { length: count },
      (_, index) => `a${index}: chainEvents(first: ${index + 1}) { totalCount }`,
    );
    return await api.graphql(
      `query ($id: ID!) { paymentIntent(id: $id) { ${pages.join(' ')} ${more} } }`,
      { id },
      merchant(),
    );
  };
  expect(faultsOf(await ask(10, 'again: chainEvents(first: 1) { totalCount }'))).toEqual([]);
  const beyond = await ask(11);
  expect(faultsOf(beyond)).toEqual([['VALIDATION_ERROR', 'chainEvents']]);
  expect(beyond.data.paymentIntent).toMatchObject({ a9: { totalCount: 0 }, a10: null });
  const lists = Array.from({ length: 12 }, (_, index) => `a${index}: escrowEvents(first: 1) { totalCount }`);
  const operators = await api.graphql(`{ ${lists.join(' ')} }`, {}, { key: operator });
  expect(faultsOf(operators).map(([code]) => code)).toEqual(['VALIDATION_ERROR', 'VALIDATION_ERROR']);
});

test('events of a transaction on Solana do not need the views', async () => {
  await cursor(SOLANA, {});
  const termsHash = hashOf('c1');
  const id = await intentWith([SOLANA, INDEXED], termsHash);
  const txHash = '5'.repeat(87);
  await fact({ chainId: SOLANA, status: 'FINAL', ref: termsHash, txHash });
  const row = { paymentIntentId: id, type: 'AUTHORIZE' as const, termsHash, txHash };
  await api.database.transaction.create({ data: { id: newId(), chainId: SOLANA, ...row } });
  await api.database.$executeRawUnsafe('DROP SCHEMA ponder CASCADE');
  const document = `query ($id: ID!) { paymentIntent(id: $id) {
    chainEvents { totalCount } transactions { chainEvents { totalCount nodes { name indexed finality } } } } }`;
  const answer = await api.graphql(document, { id }, merchant());
  expect(faultsOf(answer)).toEqual([['CHAIN_UNAVAILABLE', undefined]]);
  expect(answer.data.paymentIntent.transactions).toEqual([
    { chainEvents: { totalCount: 1, nodes: [{ name: 'Authorized', indexed: false, finality: 'FINAL' }] } },
  ]);
});
