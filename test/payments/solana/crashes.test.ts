import { base58 } from '@scure/base';
import { Keypair } from '@solana/web3.js';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SolanaNodes } from '../../../src/chains/solana/open-solana-nodes.ts';
import { refundPaymentIntent } from '../../../src/payments/actions/refund-payment-intent.ts';
import { type Crash, crashing, runUntilCrash } from '../../setup/gateway/crashing.ts';
import { openSolanaGateway, type SolanaGateway } from '../../setup/gateway/solana-gateway.ts';

let gateway: SolanaGateway;
beforeAll(async () => {
  gateway = await openSolanaGateway();
}, 60_000);

afterEach(async () => {
  await gateway.settleDown();
  const { chain, books } = await gateway.books();
  expect(books).toEqual(chain);
});

function crashingSolanaNodes(nodes: SolanaNodes, crash: Crash): SolanaNodes {
  return {
    connection: (chainId) => nodes.connection(chainId),
    asking: (chainId, work) => nodes.asking(chainId, (connection) => work(crashing(connection, crash))),
  };
}

/** Every death takes a payment of its own; in strides, so that all of it takes seconds and still meets each kind of step. */
const STRIDE = 9;

/** The quotes before it are over, so that they are asked after no more; what was paid stays in its vault. */
async function newQuote() {
  gateway.passTime(1_500);
  await gateway.settleDown();
  return await gateway.quote(null, gateway.solana.usdc, { timelock: 10_000_000 });
}

/** A watcher and a pump that crash. */
function crashingTurns(crash: Crash) {
  const { database, world } = gateway;
  return gateway.turns({
    database: crashing(database, crash),
    solanaNodes: crashingSolanaNodes(world.solanaNodes, crash),
  });
}

describe('a watcher that is killed', () => {
  it('at any of its steps loses no payment and counts none twice', async () => {
    for (let crashesAt = 1; ; crashesAt += STRIDE) {
      const quoted = await newQuote();
      await gateway.pay(quoted, { amount: quoted.terms.amount + 1n });
      gateway.solana.advance();
      const { crashed } = await runUntilCrash(crashesAt, (crash) => crashingTurns(crash).observe());
      await gateway.settleDown();
      expect(await gateway.steps(quoted.intent.id), `killed at step ${crashesAt}`).toEqual([
        'AUTHORIZE CONFIRMED',
        'CAPTURE CONFIRMED',
        'AUTHORIZE CONFIRMED',
        'CAPTURE CONFIRMED',
        'REFUND CONFIRMED',
      ]);
      const { chain, books } = await gateway.books();
      expect(books).toEqual(chain);
      if (!crashed) return;
    }
  }, 240_000);
});

describe('a sender that is killed', () => {
  it('at any of its steps pays a refund once', async () => {
    const { solana } = gateway;
    for (let crashesAt = 1; ; crashesAt += STRIDE) {
      const quoted = await newQuote();
      await gateway.pay(quoted);
      await gateway.settleDown();
      const before = await solana.tokenBalance(solana.usdc, quoted.terms.payer);
      await refundPaymentIntent(gateway.world, { scope: gateway.scope, id: quoted.intent.id, reason: 'No' });
      const { crashed } = await runUntilCrash(crashesAt, (crash) => crashingTurns(crash).pump());
      await gateway.settleDown();
      const { status } = await gateway.read(quoted.intent.id);
      expect(status, `killed at step ${crashesAt}`).toBe('REFUNDED');
      expect((await solana.tokenBalance(solana.usdc, quoted.terms.payer)) - before).toBe(quoted.terms.amount);
      if (!crashed) return;
    }
  }, 240_000);
});

describe('a node', () => {
  it('that refuses with 429 and errors ends a turn, and the next one goes on', async () => {
    const { node } = gateway.solana;
    const quoted = await gateway.quote();
    await gateway.pay(quoted);
    gateway.solana.advance();
    // The only node of a chain is asked again at once, so that one failure would not be noticed.
    for (const method of ['getSlot', 'getSignaturesForAddress', 'getTransaction', 'getBlock']) {
      node.failNext({ status: 429 }, { method, times: 100 });
      await expect(gateway.observe(), method).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
      node.recover();
    }
    node.failNext('break', { method: 'getTransaction', times: 100 });
    await expect(gateway.observe()).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
    node.recover();
    await gateway.settleDown();
    expect((await gateway.read(quoted.intent.id)).status).toBe('CAPTURED');
  });

  it('that lists a transaction and cannot show it yet holds the vault where it was, and the chain’s time with it', async () => {
    const { node } = gateway.solana;
    const quoted = await gateway.quote();
    await gateway.settleDown();
    const cursor = () => gateway.database.chainCursor.findUniqueOrThrow({ where: { chainId: gateway.solana.chainId } });
    const before = await cursor();
    const signature = await gateway.pay(quoted);
    node.hide(signature);
    gateway.solana.advance(200);
    expect(await gateway.observe()).toMatchObject({ waiting: 1 });
    expect((await cursor()).appliedNumber).toBe(before.appliedNumber);
    expect(await gateway.events(quoted.intent.id)).toEqual([]);
    node.show(signature);
    await gateway.observe();
    expect((await gateway.read(quoted.intent.id)).status).toBe('CAPTURED');
    expect((await cursor()).appliedNumber).toBeGreaterThan(before.appliedNumber);
  });
});

describe('a payout', () => {
  it('that never arrived is signed anew when its blockhash is past, and not before', async () => {
    const { node, connection } = gateway.solana;
    const quoted = await gateway.quote();
    await gateway.pay(quoted);
    await gateway.settleDown();
    await refundPaymentIntent(gateway.world, { scope: gateway.scope, id: quoted.intent.id, reason: 'No' });
    const attempts = () =>
      gateway.database.outgoingAttempt.count({
        where: { outgoing: { purpose: { startsWith: 'refund:' }, toAddress: quoted.terms.vault } },
      });
    for (let turn = 0; turn < 3; turn += 1) {
      node.failNext({ code: -32_603, message: 'no leader' }, { method: 'sendTransaction' });
      await gateway.pump();
      gateway.solana.advance(40);
    }
    expect(await attempts()).toBe(1);
    node.failNext({ code: -32_603, message: 'no leader' }, { method: 'sendTransaction' });
    gateway.solana.advance(160);
    await gateway.pump();
    await gateway.settleDown();
    expect(await attempts()).toBe(2);
    expect((await gateway.read(quoted.intent.id)).status).toBe('REFUNDED');
    expect(await connection.getSlot()).toBeGreaterThan(200);
  });

  it('waits, and is not given up, while the operator’s key is out of SOL', async () => {
    const { keys, database } = gateway;
    const quoted = await gateway.quote();
    await gateway.pay(quoted);
    await gateway.settleDown();
    await refundPaymentIntent(gateway.world, { scope: gateway.scope, id: quoted.intent.id, reason: 'No' });
    const funded = keys.operatorKey;
    keys.operatorKey = base58.encode(Keypair.generate().secretKey);
    await gateway.pump();
    const row = await database.outgoingTransaction.findFirst({ where: { toAddress: quoted.terms.vault } });
    expect(row).toMatchObject({ status: 'QUEUED', failures: 0, error: expect.stringContaining('holds 0 lamports') });
    keys.operatorKey = funded;
    gateway.passTime(20);
    await gateway.settleDown();
    expect((await gateway.read(quoted.intent.id)).status).toBe('REFUNDED');
  });

  it('waits while the vault holds something that the books do not know', async () => {
    const quoted = await gateway.quote();
    await gateway.pay(quoted);
    await gateway.settleDown();
    await refundPaymentIntent(gateway.world, { scope: gateway.scope, id: quoted.intent.id, reason: 'No' });
    await gateway.pay(quoted, { amount: 5n });
    gateway.solana.advance();
    await gateway.pump();
    const [row] = await gateway.database.outgoingTransaction.findMany({
      where: { toAddress: quoted.terms.vault },
      orderBy: { id: 'desc' },
    });
    expect(row).toMatchObject({ status: 'QUEUED', error: expect.stringContaining('The vault holds 10000005') });
    gateway.passTime(5);
    await gateway.settleDown();
    expect((await gateway.read(quoted.intent.id)).status).toBe('REFUNDED');
  });
});
