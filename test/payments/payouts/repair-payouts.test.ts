/** Rows of payouts that were damaged: an operator's replay puts them right, and nothing is told twice. */
import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { Prisma } from '../../../prisma/client.ts';
import { claimForCall, settleCall } from '../../../src/escrow/calldata.ts';
import type { FactSource } from '../../../src/facts/fact-source.ts';
import { observeChain } from '../../../src/facts/observe-chain.ts';
import { operate } from '../../../src/operations/operate.ts';
import { openPayoutsGround, type PayoutsGround } from './payouts-ground.ts';

const HOUR = 3_600;
const undelivered = ['authorized', 'captured', 'settled', 'payout_undelivered'];
const delivered = [...undelivered, 'payout_delivered'];

let ground: PayoutsGround;
let merchant: PayoutsGround['evm']['merchant'];

beforeAll(async () => {
  ground = await openPayoutsGround();
  ({ merchant } = ground.evm);
});

beforeEach(async () => {
  await ground.unblock(merchant.address);
  await ground.passTime(6 * HOUR + 60);
  await ground.settleDown();
});

async function ops(...args: string[]): Promise<Record<string, unknown>[]> {
  const { database, clock, registry, nodes, evm } = ground;
  let printed = '';
  const code = await operate(
    {
      database,
      clock,
      registry,
      nodes,
      config: { rpc: [evm.rpcSettings] },
      keys: [],
      print: (text) => {
        printed += text;
      },
      complain: (text) => {
        throw new Error(text);
      },
    },
    [...args, '--json'],
  );
  expect(code).toBe(0);
  return JSON.parse(printed);
}

/** Settled by a stranger while the merchant was blocked. */
async function credited(): Promise<string> {
  const { id, signed } = await ground.pay();
  await ground.block(merchant.address);
  await ground.passTime(110);
  await ground.send(ground.stranger, settleCall({ escrow: ground.evm.escrow, terms: signed.terms }));
  await ground.observe();
  return id;
}

async function claim(): Promise<string> {
  const { escrow, usdc } = ground.evm;
  await ground.unblock(merchant.address);
  return await ground.send(ground.stranger, claimForCall({ escrow, recipient: merchant.address, token: usdc.address }));
}

const damage = (id: string, data: Prisma.CreditedPayoutUpdateManyMutationInput) =>
  ground.database.creditedPayout.updateMany({ where: { paymentIntentId: id }, data });

/** Apart from when it is tried next. */
async function rows(id: string) {
  return (await ground.payouts(id)).map(({ nextTryAt: _, ...row }) => row);
}

const nothing = {
  deliveredTo: null,
  deliveredTxHash: null,
  deliveredBlockNumber: null,
  deliveredBlockHash: null,
  deliveredLogIndex: null,
  deliveredAt: null,
};
const claimed = {
  deliveredTo: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  deliveredTxHash: `0x${'12'.repeat(32)}`,
  deliveredBlockNumber: 1n,
  deliveredBlockHash: `0x${'34'.repeat(32)}`,
  deliveredLogIndex: 1,
  deliveredAt: new Date(0),
};

/** A chain that stands still is not looked at again at once. */
async function fold() {
  await ground.evm.mine(1);
  await ground.observe();
}

it.each([
  ['whole', claimed],
  ['in part', { deliveredAt: new Date(0), deliveredBlockNumber: 1n }],
])('puts right a payout that is delivered in its row, %s, and not on the chain', async (_, lie) => {
  const id = await credited();
  const before = await rows(id);
  for (const repair of [
    ['replay', id],
    ['chain', 'resync', String(ground.evm.chainId)],
  ]) {
    await damage(id, lie);
    expect(await ops(...repair)).toMatchObject([{ payoutsRepaired: 1 }]);
    await fold();
    expect(await rows(id)).toEqual(before);
    expect(await ground.events(id)).toEqual(undelivered);
    expect(await ground.books(id)).toMatchObject({ MERCHANT: 0n, UNDELIVERED: 9_900_000n });
    expect(await ground.verify(id)).toMatchObject({ verdict: 'MATCH' });
  }
  // It is delivered as if nothing had been.
  await ground.unblock(merchant.address);
  await ground.passTime(400);
  await ground.settleDown();
  expect(await ground.events(id)).toEqual(delivered);
  expect(await ground.books(id)).toMatchObject({ MERCHANT: 9_900_000n, UNDELIVERED: 0n });
});

it.each([
  ['whole', nothing],
  ['in part', { deliveredAt: null }],
])('puts right a payout that is delivered on the chain, and not in its row, %s', async (_, lie) => {
  const id = await credited();
  await claim();
  await ground.observe();
  const before = await rows(id);
  expect(await ground.events(id)).toEqual(delivered);
  for (const repair of [
    ['replay', id],
    ['chain', 'resync', String(ground.evm.chainId)],
  ]) {
    await damage(id, lie);
    expect(await ops(...repair)).toMatchObject([{ payoutsRepaired: 1 }]);
    await fold();
    expect(await rows(id)).toEqual(before);
    expect(await ground.events(id)).toEqual(delivered);
    expect(await ground.books(id)).toMatchObject({ MERCHANT: 9_900_000n, UNDELIVERED: 0n });
    expect(await ground.verify(id)).toMatchObject({ verdict: 'MATCH' });
  }
  expect(await ops('replay', id)).toMatchObject([{ payoutsRepaired: 0 }]);
});

it('reads a claim that no log reported, and reports it once', async () => {
  const id = await credited();
  const hash = await claim();
  const source: FactSource = {
    ...ground.source,
    async read(request) {
      const { logs, through } = await ground.source.read(request);
      return { logs: logs.filter(({ kind }) => kind !== 'Claimed'), through };
    },
  };
  await observeChain({ ...ground.projector, source }, { chainId: ground.evm.chainId });
  expect(await ground.payouts(id)).toMatchObject([{ deliveredAt: null }]);
  expect(await ops('replay', id)).toMatchObject([{ factsMissed: 1 }]);
  await fold();
  expect(await ground.payouts(id)).toMatchObject([{ deliveredTxHash: hash }]);
  await ops('replay', id);
  await fold();
  expect(await ground.events(id)).toEqual(delivered);
  expect(await ground.books(id)).toMatchObject({ MERCHANT: 9_900_000n, UNDELIVERED: 0n });
});

it('a payout whose events are archived is not damaged by a repair, and is not reported again', async () => {
  const id = await credited();
  await claim();
  await fold();
  const before = await rows(id);
  expect(before).toMatchObject([{ deliveredAt: expect.any(Date) }]);
  await ground.database.event.deleteMany({ where: { resourceId: id } });
  await ground.database.eventCursor.updateMany({ data: { archivedUntil: before[0]?.deliveredAt ?? null } });
  await ops('replay', id);
  await fold();
  expect(await rows(id)).toEqual(before);
  expect((await ground.database.event.findMany({ where: { resourceId: id } })).map(({ type }) => type)).toEqual([]);
});
