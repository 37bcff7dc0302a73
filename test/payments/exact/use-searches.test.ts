/** The search for the logs of used authorizations: where it begins, and what a turn reads at most. */
import { expect, it } from 'vitest';
import type { ExactAuthorization } from '../../../prisma/client.ts';
import type { EvmClient } from '../../../src/chains/evm/nodes.ts';
import type { ChainView } from '../../../src/facts/chain-view.ts';
import { findUses, type UseSearches } from '../../../src/payments/x402/exact/find-uses.ts';

type Range = { from: number; to: number };

/** A node without logs, which records the ranges that it is asked for. */
function emptyNode() {
  const ranges: Range[] = [];
  const request = async ({ params: [filter] }: { params: [{ fromBlock: string; toBlock: string }] }) => {
    ranges.push({ from: Number(filter.fromBlock), to: Number(filter.toBlock) });
    return [];
  };
  return { ranges, client: { request } as unknown as EvmClient };
}

const usedFrom = (fromNumber: bigint, id = String(fromNumber)) =>
  ({ id, fromNumber, token: '0x01', payer: '0x02', nonce: '0x03' }) as ExactAuthorization;
const headAt = (number: bigint) => ({ head: { number } }) as ChainView;
const at = (ms: number) => new Date(1_700_000_000_000 + ms);

it('begins 256 blocks below the block at which the nonce was unused', async () => {
  const { ranges, client } = emptyNode();
  const search = { searches: new Map(), now: at(0) };
  await findUses(client, { ...search, authorizations: [usedFrom(1_000n)], view: headAt(1_500n) });
  await findUses(client, { ...search, authorizations: [usedFrom(100n)], view: headAt(120n) });
  expect(ranges).toEqual([
    { from: 744, to: 1_500 },
    { from: 0, to: 120 },
  ]);
});

it('reads a long range in several turns, then pauses and begins again', async () => {
  const { ranges, client } = emptyNode();
  const searches: UseSearches = new Map();
  const authorizations = [usedFrom(256n)];
  const view = headAt(49_999n);
  const turn = async (ms: number) => {
    ranges.length = 0;
    const { missing } = await findUses(client, { authorizations, view, searches, now: at(ms) });
    const [first, last] = [ranges.at(0), ranges.at(-1)];
    return { requests: ranges.length, from: first?.from, to: last?.to, missing: missing.length };
  };
  const first = { requests: 10, from: 0, to: 19_999, missing: 0 };
  expect(await turn(0)).toEqual(first);
  expect(await turn(1)).toEqual({ requests: 10, from: 20_000, to: 39_999, missing: 0 });
  expect(await turn(2)).toEqual({ requests: 5, from: 40_000, to: 49_999, missing: 1 });
  expect(await turn(1_001)).toMatchObject({ requests: 0, missing: 0 });
  expect(await turn(1_002)).toEqual(first);
});

it('waits longer after each search without a result, at most a minute', async () => {
  const { client } = emptyNode();
  const searches: UseSearches = new Map();
  const authorizations = [usedFrom(1_000n)];
  const pauses: number[] = [];
  let ms = 0;
  for (let round = 0; round < 8; round += 1) {
    const { missing } = await findUses(client, { authorizations, view: headAt(1_100n), searches, now: at(ms) });
    expect(missing).toEqual(authorizations);
    const { dueAt } = searches.get('1000') ?? { dueAt: 0 };
    pauses.push((dueAt - at(ms).getTime()) / 1_000);
    ms = dueAt - at(0).getTime();
  }
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
});

it('finds a new use although an old one is still searched for', async () => {
  const { ranges, client } = emptyNode();
  const authorizations = [usedFrom(256n), usedFrom(999_900n)];
  const view = headAt(1_000_000n);
  await findUses(client, { authorizations, view, searches: new Map(), now: at(0) });
  expect(ranges).toHaveLength(11);
  expect(ranges).toContainEqual({ from: 999_644, to: 1_000_000 });
});
