/** How long a reading of Ponder's rows waits for the commit of the node's head. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { openPonderSource } from '../../src/facts/ponder/ponder-source.ts';
import { handListener } from '../setup/api/hand-listener.ts';
import { emptyDatabase } from '../setup/database/database.ts';
import { onTeardown } from '../setup/teardown.ts';

const CHANNEL = 'ponder_live_query';
const chainId = 31337;
const hand = handListener();
let client: pg.Client;
let source: ReturnType<typeof openPonderSource>;

beforeAll(async () => {
  const { url } = await emptyDatabase();
  client = new pg.Client({ connectionString: url });
  await client.connect();
  onTeardown(() => client.end());
  await client.query(`CREATE SCHEMA ponder;
    CREATE TABLE ponder.chain_progress (chain_id integer PRIMARY KEY, number numeric NOT NULL, hash text NOT NULL);
    CREATE TABLE ponder.chain_event (chain_id integer, block_number numeric, block_hash text, block_timestamp numeric, tx_hash text,
      log_index integer, address text, kind text, ref text, args jsonb)`);
  source = openPonderSource({ url, viewsSchema: 'ponder', listener: hand.listener });
  onTeardown(() => source.close());
});

beforeEach(async () => {
  hand.up();
  await client.query('TRUNCATE ponder.chain_progress, ponder.chain_event');
  await commit(9);
});

const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`;

/** Writes a block with one event as Ponder does, in one transaction. */
async function commit(number: number, chain = chainId) {
  await client.query('BEGIN');
  await client.query(
    `INSERT INTO ponder.chain_event VALUES ($1, $2, $3, 1, $3, 0, '0x1', 'Captured', NULL, '{"id": "0x1"}')`,
    [chain, number, hashOf(number)],
  );
  await client.query(
    `INSERT INTO ponder.chain_progress VALUES ($1, $2, $3)
      ON CONFLICT (chain_id) DO UPDATE SET number = excluded.number, hash = excluded.hash`,
    [chain, number, hashOf(number)],
  );
  await client.query('COMMIT');
}

const readTo = (to: number, headHash: string | undefined = hashOf(to)) =>
  source.read({ chainId, from: 0n, to: BigInt(to), ...(headHash === '' ? {} : { headHash }) });

/** The block up to which a reading is complete that begins before `commits` are made and announced. */
async function readDuring(reading: ReturnType<typeof readTo>, commits: () => Promise<void>) {
  await delay(20);
  await commits();
  hand.notify(CHANNEL, '[]');
  const { logs, through } = await reading;
  expect(logs.at(-1)?.blockNumber).toBe(through?.number);
  return through?.number;
}

it('returns events in the order of the chain, and reports where an incomplete page ends', async () => {
  const many = `INSERT INTO ponder.chain_event
    SELECT $1, 100 + number / 20, $2, 1, $2, number % 20, '0x1', 'Captured', NULL, '{}' FROM generate_series(0, 2999) AS number`;
  await client.query(many, [chainId, hashOf(1)]);
  await commit(99);
  await commit(1000);
  const { logs, through } = await readTo(1000);
  const numbers = logs.map(({ blockNumber, logIndex }) => Number(blockNumber) * 1000 + logIndex);
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  expect(numbers.slice(0, 3)).toEqual([9_000, 99_000, 100_000]);
  expect(logs).toHaveLength(2_000);
  expect(through?.number).toBe(198n);
});

it('returns the rows of the head that are committed while it waits', async () => {
  expect(await readDuring(readTo(10), () => commit(10))).toBe(10n);
});

it('keeps waiting when another block was committed', async () => {
  const reading = readTo(11);
  const number = readDuring(reading, async () => {
    await commit(5, 1);
    hand.notify(CHANNEL, '[]');
    await delay(10);
    await commit(10);
    hand.notify(CHANNEL, '[]');
    await delay(10);
    await commit(11);
  });
  expect(await number).toBe(11n);
});

it('returns the available rows when nothing is announced', async () => {
  const { logs, through } = await readTo(10);
  expect(through?.number).toBe(9n);
  expect(logs).toHaveLength(1);
});

it.each([
  ['that Ponder has reached', () => readTo(9)],
  ['that Ponder is far from', () => readTo(13)],
  ['that is not the head', () => readTo(10, '')],
])('does not wait for a block %s', async (_name, read) => {
  expect(await readDuring(read(), () => commit(10))).toBe(9n);
});

it('does not wait while announcements may be lost, and stops waiting when they may be', async () => {
  hand.down();
  expect(await readDuring(readTo(10), () => commit(10))).toBe(9n);
  hand.up();
  const reading = readTo(11);
  await delay(20);
  hand.down();
  await delay(20);
  await commit(11);
  hand.up();
  hand.notify(CHANNEL, '[]');
  expect((await reading).through?.number).toBe(10n);
});
