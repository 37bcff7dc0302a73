/** What the pump reads does not grow with the transactions that its key has ever sent. */
import { beforeAll, describe, expect, it } from 'vitest';
import { RELAY_SENDER } from '../../src/operator/relay.ts';
import { claimRelayed, minedTransactions, queuedTransactions, unminedTransactions } from '../../src/operator/store.ts';
import { type SentStatement, sentStatements } from '../setup/database/count-statements.ts';
import { freshDatabase } from '../setup/database/database.ts';
import { rowsRead } from '../setup/database/rows-read.ts';

const SENT_BEFORE = 5_000;
const key = { chainId: 31337, sender: '0x00000000000000000000000000000000000000aa' };

const { database, url } = await freshDatabase();

beforeAll(async () => {
  await database.$executeRaw`
    INSERT INTO outgoing_transaction (id, chain_id, sender, to_address, data, purpose, status, nonce, block_number, confirmed_at, updated_at)
    SELECT gen_random_uuid(), ${key.chainId}, ${key.sender}, ${key.sender}, '0x', 'test:' || number,
      (CASE WHEN number <= ${SENT_BEFORE} THEN 'FINAL' WHEN number % 2 = 0 THEN 'MINED' ELSE 'SENT' END)::outgoing_status,
      number, CASE WHEN number <= ${SENT_BEFORE} OR number % 2 = 0 THEN number END, now(), now()
    FROM generate_series(1, ${SENT_BEFORE + 10}) number`;
  for (const sender of [key.sender, RELAY_SENDER]) {
    await database.$executeRaw`
      INSERT INTO outgoing_transaction (id, chain_id, sender, to_address, data, purpose, status, relayed, updated_at)
      SELECT gen_random_uuid(), ${key.chainId}, ${sender}, ${key.sender}, '0x', ${sender} || number, 'QUEUED', true, now()
      FROM generate_series(1, 5) number`;
  }
  await database.$executeRaw`ANALYZE outgoing_transaction`;
});

describe('a turn of the pump reads only what is open', () => {
  it('of unmined transactions, in the order of their nonces', async () => {
    let nonces: (bigint | null)[] = [];
    const statements = await sentStatements(async () => {
      nonces = (await unminedTransactions(database, key)).map(({ nonce }) => nonce);
    });
    expect(nonces).toEqual([5001n, 5003n, 5005n, 5007n, 5009n]);
    expect(await readBy(statements)).toBeLessThanOrEqual(10);
  });

  it('of mined transactions, in the order of their blocks', async () => {
    let blocks: (bigint | null)[] = [];
    const statements = await sentStatements(async () => {
      const mined = await minedTransactions(database, { ...key, upTo: 5_006n, unusedFrom: 5_008n });
      blocks = mined.map(({ blockNumber }) => blockNumber);
    });
    expect(blocks).toEqual([5002n, 5004n, 5006n, 5008n, 5010n]);
    expect(await readBy(statements)).toBeLessThanOrEqual(20);
  });

  it('of queued transactions, oldest first', async () => {
    const statements = await sentStatements(async () => {
      expect(await queuedTransactions(database, { ...key, now: new Date(), limit: 400 })).toHaveLength(5);
    });
    expect(await readBy(statements)).toBeLessThanOrEqual(10);
  });

  it('of relayed transactions that it takes', async () => {
    const statements = await sentStatements(() => claimRelayed(database, { ...key, now: new Date(), limit: 0 }));
    expect(await readBy(statements)).toBeLessThanOrEqual(10);
  });
});

async function readBy(statements: readonly SentStatement[]): Promise<number> {
  expect(statements.length).toBeGreaterThan(0);
  const counts = await Promise.all(statements.map((statement) => rowsRead(url, statement, 'outgoing_transaction')));
  return counts.reduce((sum, count) => sum + count, 0);
}
