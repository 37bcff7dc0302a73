/** Reorganisations at every state and depth, on a real chain. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type Call, disputeCall, refundCall, resolveCall, settleCall, voidCall } from '../../src/escrow/calldata.ts';
import type { PaymentTerms } from '../../src/escrow/terms.ts';
import { resyncChain } from '../../src/facts/resync-chain.ts';
import { type Ground, openGround, type Signed } from '../payments/ground.ts';

let ground: Ground;

beforeAll(async () => {
  ground = await openGround({ finalityBlocks: 24 });
});

type Stage = {
  name: string;
  fields?: Partial<PaymentTerms>;
  act?: (signed: Signed) => Promise<unknown>;
  /** Status before and after the act. */
  before: string;
  after: string;
  events: string[];
};

const call = (
  signed: Signed,
  from: { privateKey: `0x${string}` },
  make: (of: Signed & { escrow: `0x${string}` }) => Call,
) => ground.send(from, make({ escrow: ground.evm.escrow, ...signed }));

const stages: Stage[] = [
  { name: 'captured', before: 'CREATED', after: 'CAPTURED', events: ['authorized', 'captured'] },
  {
    name: 'authorized',
    fields: { captureOnAuthorize: false },
    before: 'CREATED',
    after: 'AUTHORIZED',
    events: ['authorized'],
  },
  {
    name: 'voided',
    fields: { captureOnAuthorize: false },
    act: (signed) => call(signed, ground.evm.merchant, voidCall),
    before: 'AUTHORIZED',
    after: 'CANCELLED',
    events: ['cancelled'],
  },
  {
    name: 'refunded',
    act: (signed) =>
      call(signed, ground.evm.merchant, (of) => refundCall({ ...of, amount: 10_000_000n, expectedLeft: 10_000_000n })),
    before: 'CAPTURED',
    after: 'REFUNDED',
    events: ['refunded'],
  },
  {
    name: 'settled',
    fields: { timelock: 0, disputeWindow: 0, arbiter: '0x0000000000000000000000000000000000000000' },
    act: (signed) => call(signed, ground.evm.payers[2], settleCall),
    before: 'CAPTURED',
    after: 'SETTLED',
    events: ['settled'],
  },
  {
    name: 'resolved',
    act: async (signed) => {
      await call(signed, ground.evm.payers[0], disputeCall);
      await call(signed, ground.evm.arbiter, (of) => resolveCall({ ...of, payerBps: 0 }));
    },
    before: 'CAPTURED',
    after: 'SETTLED',
    events: ['settled'],
  },
];

/** Blocks since, and the payment as contract, books and intent have it. */
async function expectTrue(intentId: string, signed: Signed) {
  const [contract, held, intent] = await Promise.all([
    ground.state(signed.id),
    ground.held(signed.id),
    ground.read(intentId),
  ]);
  expect(held).toBe(contract.left);
  if (intent.leftAmount !== null) expect(intent.leftAmount.toFixed()).toBe(String(contract.left));
  else expect(contract.status).toBe('NONE');
  return intent;
}

describe.each(stages)('a reorganization after the payment was $name', (stage) => {
  it.each([0, 4])('reverts the state, %i blocks below the head', async (depth) => {
    const intent = await ground.intent();
    const signed = await ground.sign(intent, stage.fields ?? {});
    let from = await ground.evm.publicClient.getBlockNumber();
    if (stage.act) {
      await ground.authorize(signed);
      await ground.observe();
      from = await ground.evm.publicClient.getBlockNumber();
      await stage.act(signed);
    } else {
      await ground.authorize(signed);
    }
    if (depth > 0) await ground.evm.mine(depth);
    await ground.observe();
    expect((await expectTrue(intent.id, signed)).status).toBe(stage.after);
    const events = await ground.events(intent.id);
    expect(events.slice(-stage.events.length)).toEqual(stage.events);

    await ground.evm.reorg(Number((await ground.evm.publicClient.getBlockNumber()) - from));
    await ground.observe();
    expect((await expectTrue(intent.id, signed)).status).toBe(stage.before);
    expect(await ground.events(intent.id)).toEqual([...events, 'reverted']);
    const reorged = await ground.database.transaction.count({
      where: { paymentIntentId: intent.id, status: 'REORGED' },
    });
    expect(reorged).toBeGreaterThan(0);

    if (stage.act) await stage.act(signed);
    else await ground.authorize(signed);
    await ground.observe();
    expect((await expectTrue(intent.id, signed)).status).toBe(stage.after);
    expect((await ground.events(intent.id)).slice(-stage.events.length)).toEqual(stage.events);
  });
});

describe('a reorganization after the payment was disputed', () => {
  it.each([0, 4])('reverts the dispute, %i blocks below the head', async (depth) => {
    const intent = await ground.intent();
    const signed = await ground.sign(intent);
    await ground.authorize(signed);
    const from = await ground.evm.publicClient.getBlockNumber();
    const disputes = () =>
      ground.database.dispute.findMany({ where: { paymentIntentId: intent.id }, select: { status: true } });
    await call(signed, ground.evm.payers[0], disputeCall);
    if (depth > 0) await ground.evm.mine(depth);
    await ground.observe();
    expect(await disputes()).toEqual([{ status: 'OPEN' }]);

    await ground.evm.reorg(Number((await ground.evm.publicClient.getBlockNumber()) - from));
    await ground.observe();
    expect((await expectTrue(intent.id, signed)).status).toBe('CAPTURED');
    expect((await ground.state(signed.id)).disputedAt).toBe(0);
    expect(await disputes()).toEqual([]);
    expect(await ground.events(intent.id)).toEqual(['authorized', 'captured', 'reverted']);

    await call(signed, ground.evm.payers[0], disputeCall);
    await ground.observe();
    expect(await disputes()).toEqual([{ status: 'OPEN' }]);
  });
});

describe('a transaction that is mined again in another block', () => {
  it('is applied once, at its new position', async () => {
    const intent = await ground.intent();
    const signed = await ground.sign(intent);
    const hash = await ground.authorize(signed);
    await ground.observe();
    const raw = await ground.evm.publicClient.request({ method: 'eth_getRawTransactionByHash', params: [hash] });
    await ground.evm.reorg(1);
    if (raw === null) throw new Error('The node has forgotten the transaction.');
    const again = await ground.evm.publicClient.sendRawTransaction({ serializedTransaction: raw });
    expect(again).toBe(hash);
    const receipt = await ground.evm.publicClient.waitForTransactionReceipt({ hash });
    await ground.observe();
    await expectTrue(intent.id, signed);
    expect((await ground.read(intent.id)).status).toBe('CAPTURED');
    expect(await ground.events(intent.id)).toEqual(['authorized', 'captured']);
    const rows = await ground.database.transaction.findMany({ where: { paymentIntentId: intent.id } });
    expect(rows.map((row) => [row.status, row.blockHash])).toEqual([
      ['CONFIRMED', receipt.blockHash],
      ['CONFIRMED', receipt.blockHash],
    ]);
  });
});

describe('facts that are not confirmed yet', () => {
  it('are reported as pending once, and reverted if they disappear', async () => {
    const deep = await openGround({ confirmations: 3, finalityBlocks: 24 });
    const intent = await deep.intent();
    const signed = await deep.sign(intent);
    await deep.authorize(signed);
    await deep.observe();
    await deep.observe();
    expect(await deep.events(intent.id)).toEqual(['pending']);
    const [pending] = await deep.database.event.findMany({ where: { resourceId: intent.id } });
    expect(pending?.finality).toEqual({ confirmations: 1, required: 3, isFinal: false });
    expect((await deep.read(intent.id)).status).toBe('CREATED');
    await deep.evm.reorg(1);
    await deep.observe();
    expect(await deep.events(intent.id)).toEqual(['pending', 'reverted']);
    await deep.authorize(signed);
    await deep.evm.mine(1);
    await deep.observe();
    expect((await deep.read(intent.id)).status).toBe('CREATED');
    await deep.evm.mine(1);
    await deep.observe();
    expect(await deep.events(intent.id)).toEqual(['pending', 'reverted', 'pending', 'authorized', 'captured']);
  });
});

describe('a reorganization below the final block', () => {
  it('halts the chain until an operator resyncs it, and then applies the state of the chain', async () => {
    const shallow = await openGround({ finalityBlocks: 4 });
    const intent = await shallow.intent();
    const signed = await shallow.sign(intent);
    await shallow.authorize(signed);
    await shallow.observe();
    await shallow.evm.mine(6);
    await shallow.observe();
    await shallow.observe();
    expect(await shallow.database.chainFact.count({ where: { ref: signed.id, status: 'FINAL' } })).toBe(2);
    await shallow.evm.reorg(7);
    expect((await shallow.observe()).halted).toBe(true);
    await shallow.evm.mine(3);
    expect((await shallow.observe()).halted).toBe(true);
    expect((await shallow.read(intent.id)).status).toBe('CAPTURED');
    const cursor = await shallow.database.chainCursor.findUniqueOrThrow({ where: { chainId: shallow.evm.chainId } });
    expect(cursor.haltReason).toMatch(/^3 final facts are gone/);
    await resyncChain({ database: shallow.database }, { chainId: shallow.evm.chainId });
    await shallow.observe();
    expect((await shallow.observe()).halted).toBe(false);
    expect(await shallow.read(intent.id)).toMatchObject({
      status: 'CREATED',
      acceptedTermsHash: null,
      leftAmount: null,
    });
    expect(await shallow.held(signed.id)).toBe(0n);
    expect(await shallow.events(intent.id)).toEqual(['authorized', 'captured', 'reverted']);
  });
});
