/** Facts of blocks that a reorganization removed are deleted once they cannot return and nothing is left to revert. */
import { beforeEach, expect, it } from 'vitest';
import type { Database, FactStatus } from '../../prisma/client.ts';
import { purgeOrphans } from '../../src/facts/store.ts';
import { freshDatabase } from '../setup/database/database.ts';

const [CHAIN, HALTED] = [31337, 31338];
const before = new Date('2026-03-01T00:00:00Z');
const [old, young] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-03-02T00:00:00Z')];

let database: Database;

beforeEach(async () => {
  ({ database } = await freshDatabase());
  await database.chainCursor.create({ data: { chainId: CHAIN, finalizedNumber: 100n } });
  await database.chainCursor.create({ data: { chainId: HALTED, finalizedNumber: 100n, haltedAt: old } });
});

async function put(
  blockHash: string,
  fact: { status?: FactStatus; seenAt?: Date; appliedAt?: Date; blockNumber?: bigint; chainId?: number } = {},
): Promise<void> {
  await database.chainFact.create({
    data: {
      chainId: CHAIN,
      blockHash,
      logIndex: 0,
      blockNumber: 99n,
      blockTimestamp: 0n,
      txHash: '0x',
      address: '0x',
      kind: 'Approval',
      args: {},
      status: 'ORPHANED',
      seenAt: old,
      ...fact,
    },
  });
}

it('deletes only facts that are orphaned, old, below the finalized block and without effect', async () => {
  await put('gone');
  await put('young', { seenAt: young });
  await put('not final yet', { blockNumber: 100n });
  await put('to be reverted', { appliedAt: old });
  await put('of a halted chain', { chainId: HALTED });
  await put('final', { status: 'FINAL', appliedAt: old });
  expect(await purgeOrphans(database, { before, isDryRun: true })).toBe(1);
  expect(await database.chainFact.count()).toBe(6);
  expect(await purgeOrphans(database, { before, isDryRun: false })).toBe(1);
  const remaining = await database.chainFact.findMany({ select: { blockHash: true } });
  expect(remaining.map(({ blockHash }) => blockHash).sort()).toEqual(
    ['final', 'not final yet', 'of a halted chain', 'to be reverted', 'young'].sort(),
  );
});
