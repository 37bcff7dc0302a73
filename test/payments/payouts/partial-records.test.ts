/** Payouts of which the source tells too little or too much, and a claim of very many of them. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { transaction } from '../../../prisma/client.ts';
import { claimForCall, settleCall } from '../../../src/escrow/calldata.ts';
import type { FactSource } from '../../../src/facts/fact-source.ts';
import { observeChain } from '../../../src/facts/observe-chain.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { openPayoutsGround, type PayoutsGround } from './payouts-ground.ts';

const DAY = 86_400;
/** Besides the one that is on the chain. */
const COPIES = 249;

let ground: PayoutsGround;
let escrow: PayoutsGround['evm']['escrow'];
let merchant: PayoutsGround['evm']['merchant'];
let usdc: PayoutsGround['evm']['usdc'];

beforeAll(async () => {
  ground = await openPayoutsGround();
  ({ escrow, merchant, usdc } = ground.evm);
});

beforeEach(async () => {
  await ground.unblock(merchant.address);
  await ground.passTime(DAY);
  await ground.settleDown();
});

/** Settled by a stranger while the merchant was blocked; the inbox has not been told. */
async function settledUnobserved() {
  const paid = await ground.pay();
  await ground.block(merchant.address);
  await ground.passTime(110);
  await ground.send(ground.stranger, settleCall({ escrow, terms: paid.signed.terms }));
  return paid;
}

async function claim() {
  await ground.unblock(merchant.address);
  return await ground.send(ground.stranger, claimForCall({ escrow, recipient: merchant.address, token: usdc.address }));
}

/** A `Claimed` of the merchant's USDC in a block that stands, which no node has. */
async function putPhantomClaim(address: string) {
  const { number, hash, timestamp } = await ground.evm.publicClient.getBlock();
  const [recipient, token] = [merchant.address.toLowerCase(), usdc.address.toLowerCase()];
  await ground.database.chainFact.create({
    data: {
      chainId: ground.evm.chainId,
      blockNumber: number,
      blockHash: hash,
      blockTimestamp: timestamp,
      txHash: `0x${'ab'.repeat(32)}`,
      logIndex: 900,
      address: address.toLowerCase(),
      kind: 'Claimed',
      ref: null,
      args: { recipient, token, to: recipient, amount: '9900000' },
      status: 'CONFIRMED',
      appliedAt: new Date(),
    },
  });
}

function without(kind: string): FactSource {
  return {
    ...ground.source,
    async read(request) {
      const { logs, through } = await ground.source.read(request);
      return { logs: logs.filter((log) => log.kind !== kind), through };
    },
  };
}

describe('a credit', () => {
  it('is not taken for delivered by a claim that no node has', async () => {
    const { id } = await settledUnobserved();
    await ground.evm.mine(1);
    await putPhantomClaim(escrow);
    await ground.observe();
    expect(await ground.status(id)).toBe('SETTLED');
    expect(await ground.payouts(id)).toMatchObject([{ role: 'MERCHANT', deliveredAt: null }]);
    expect(await ground.books(id)).toMatchObject({ UNDELIVERED: 9_900_000n });
    const hash = await claim();
    await ground.observe();
    expect(await ground.payouts(id)).toMatchObject([{ deliveredTxHash: hash }]);
    expect(await ground.books(id)).toMatchObject({ UNDELIVERED: 0n, MERCHANT: 9_900_000n });
    expect((await ground.events(id)).slice(-2)).toEqual(['payout_undelivered', 'payout_delivered']);
  });

  it('has nothing to do with credits and claims of another contract', async () => {
    const { id, signed } = await settledUnobserved();
    await ground.evm.mine(1);
    await putPhantomClaim(usdc.address);
    await ground.observe();
    expect(await ground.payouts(id)).toMatchObject([{ deliveredAt: null }]);
    const own = { chainId: ground.evm.chainId, ref: signed.id, kind: 'Credited' };
    const { blockHash, ...fact } = await ground.database.chainFact.findFirstOrThrow({ where: own });
    const { args } = fact;
    const foreign = { address: usdc.address.toLowerCase(), ref: `0x${'cd'.repeat(32)}`, logIndex: 901 };
    await ground.database.chainFact.create({ data: { ...fact, blockHash, args: args ?? {}, ...foreign } });
    const [chain] = await ground.verifyAll();
    expect(chain?.credits).toEqual([]);
  });

  it('that the source leaves out is found in the receipt of the step that could not pay', async () => {
    const { id } = await settledUnobserved();
    const { chainId } = ground.evm;
    const projector = { ...ground.projector, source: without('Credited') };
    await observeChain(projector, { chainId });
    await ground.evm.mine(1);
    await observeChain(projector, { chainId });
    expect(await ground.status(id)).toBe('SETTLED');
    expect(await ground.payouts(id)).toMatchObject([{ role: 'MERCHANT', deliveredAt: null }]);
    expect((await ground.events(id)).slice(-2)).toEqual(['settled', 'payout_undelivered']);
    expect(await ground.verify(id)).toMatchObject({ verdict: 'MATCH' });
  });
});

describe('a claim of very many payments', () => {
  it('is written in pieces, and goes on where it was interrupted', async () => {
    const { id } = await settledUnobserved();
    await ground.observe();
    const last = await copyPayment(id);
    await claim();
    const before = (await ground.sequences()).length;
    const undelivered = () => ground.database.creditedPayout.count({ where: { deliveredAt: null } });
    // Somebody holds the last of them.
    await transaction(ground.database, async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM payment_intent WHERE id = ${last}::uuid FOR UPDATE`;
      await ground.observe();
    });
    expect(await undelivered()).toBe(50);
    expect(await ground.payouts(last)).toMatchObject([{ deliveredAt: null }]);
    await ground.evm.mine(1);
    await ground.observe();
    expect(await undelivered()).toBe(0);
    const [largest] = await ground.database.$queryRaw<{ payouts: number }[]>`
      SELECT count(*)::int AS payouts FROM credited_payout GROUP BY xmin ORDER BY 1 DESC LIMIT 1`;
    expect(largest?.payouts).toBeLessThanOrEqual(100);
    for (const one of [id, last]) expect(await ground.books(one)).toMatchObject({ UNDELIVERED: 0n });
    const after = await ground.sequences();
    expect(after).toEqual(after.map((_, index) => index + 1));
    expect(after.length - before).toBe(COPIES + 1);
  });
});

/** Makes many credited payments like this one, as if each had been credited in the same block; answers the last. */
async function copyPayment(id: string): Promise<string> {
  const { database, evm } = ground;
  const intent = await database.paymentIntent.findUniqueOrThrow({ where: { id } });
  const terms = await database.paymentTerms.findFirstOrThrow({ where: { paymentIntentId: id } });
  const of = { chainId: evm.chainId, ref: terms.termsHash, kind: 'Credited' };
  const fact = await database.chainFact.findFirstOrThrow({ where: of });
  const [payout] = await ground.payouts(id);
  if (!payout) throw new Error(`Payment ${id} has no payout.`);
  const copies = Array.from({ length: COPIES }, (_, index) => ({
    intent: { id: newId(), idempotencyKey: null },
    terms: { termsHash: `0x${String(index).padStart(64, '0')}` },
    logIndex: 1_000 + index,
  }));
  const json = { allowedChains: 'ALL', allowedTokens: 'ALL', metadata: {} };
  await database.paymentIntent.createMany({ data: copies.map((copy) => ({ ...intent, ...json, ...copy.intent })) });
  await database.paymentTerms.createMany({
    data: copies.map((copy) => ({ ...terms, terms: {}, ...copy.terms, paymentIntentId: copy.intent.id })),
  });
  await database.chainFact.createMany({
    data: copies.map((copy) => ({
      ...fact,
      args: { ...Object(fact.args), id: copy.terms.termsHash },
      ref: copy.terms.termsHash,
      logIndex: copy.logIndex,
    })),
  });
  await database.creditedPayout.createMany({
    data: copies.map((copy) => ({
      ...payout,
      ...copy.terms,
      id: newId(),
      paymentIntentId: copy.intent.id,
      transactionId: null,
      logIndex: copy.logIndex,
    })),
  });
  return copies.at(-1)?.intent.id ?? id;
}
