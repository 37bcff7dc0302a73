/** The ERC-3009 authorization of a payment is in no source's rows: it stands and falls with the payment's own event. */
import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { Database } from '../../prisma/client.ts';
import type { ChainLog } from '../../src/facts/chain-fact.ts';
import { evaluateFacts } from '../../src/facts/evaluate-facts.ts';
import { newProjectorMemory } from '../../src/facts/observe-chain.ts';
import { putFacts } from '../../src/facts/store.ts';
import { silentLog } from '../../src/platform/log.ts';
import { freshDatabase } from '../setup/database/database.ts';

let database: Database;
beforeAll(async () => {
  ({ database } = await freshDatabase());
});
beforeEach(() => database.chainFact.deleteMany());

const hash = (digit: string) => `0x${digit.repeat(64)}`;
const place = { chainId: 31337, blockNumber: 10n, blockHash: hash('a'), blockTimestamp: 1n, txHash: hash('7') };
const log = (kind: string, logIndex: number, ref = hash('e')): ChainLog => {
  return { ...place, kind, logIndex, ref, address: hash('5'), args: {} };
};
const payment = log('Authorized', 2);
const used = log('AuthorizationUsed', 1);
const statuses = async () => {
  const facts = await database.chainFact.findMany({ orderBy: { logIndex: 'asc' } });
  return facts.map(({ kind, status }) => `${kind} ${status}`);
};

/** A node whose block at that height is `blockHash`, and a source that still has these rows. */
async function evaluate(blockHash: string, logs: ChainLog[]): Promise<void> {
  const block = (number: bigint) => ({ number, hash: blockHash, timestamp: 1n });
  const view = { chainId: 31337, required: 1, head: block(12n), confirmed: block(11n), finalized: block(0n) };
  const source = { read: async () => ({ logs, through: { number: 12n, hash: null } }), close: async () => undefined };
  const world = { database, handlers: new Map(), source, log: silentLog, memory: newProjectorMemory() };
  await evaluateFacts(world, { view: { ...view, blockAt: async (number) => block(number) } });
}

test('keeps both facts while the source has the payment, even if the node has another block', async () => {
  await putFacts(database, [used, payment]);
  await evaluate(hash('b'), [payment]);
  expect(await statuses()).toEqual(['AuthorizationUsed SEEN', 'Authorized SEEN']);
  await evaluate(hash('a'), [payment]);
  expect(await statuses()).toEqual(['AuthorizationUsed CONFIRMED', 'Authorized CONFIRMED']);
});

test('reverts both facts with their block, and restores both with it', async () => {
  await putFacts(database, [used, payment]);
  await evaluate(hash('b'), []);
  expect(await statuses()).toEqual(['AuthorizationUsed ORPHANED', 'Authorized ORPHANED']);
  await putFacts(database, [log('Authorized', 3, hash('d'))]);
  expect((await statuses())[0]).toBe('AuthorizationUsed ORPHANED');
  await putFacts(database, [payment]);
  expect(await statuses()).toEqual(['AuthorizationUsed SEEN', 'Authorized SEEN', 'Authorized SEEN']);
});
