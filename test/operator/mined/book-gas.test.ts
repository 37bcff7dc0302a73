/** What the pump reports of the gas that its key paid for, on a real chain. */
import { Decimal } from 'decimal.js';
import { isHex } from 'viem';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { GasPaid } from '../../../src/operator/mined/gas-cost.ts';
import { pumpTransactions } from '../../../src/operator/pump-transactions.ts';
import type { SendingWorld } from '../../../src/operator/sending-world.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { openSender, openSendingGround } from '../sending-ground.ts';

const to = '0x00000000000000000000000000000000000c0de3';
const acceptingCode = '0x00';
const revertingCode = '0x60006000fd';

describe('the gas that a key paid for', () => {
  let ground: Awaited<ReturnType<typeof openSendingGround>>;
  const mine = (blocks = 1) => ground.admin.mine({ blocks });

  beforeAll(async () => {
    ground = await openSendingGround();
  });
  beforeEach(async () => {
    await ground.admin.setAutomine(false);
    await ground.admin.setCode({ address: to, bytecode: acceptingCode });
    await mine();
  });

  async function openPaying(
    overrides: Partial<SendingWorld> = {},
    options: { confirmations?: number; bearsGas?: (purpose: string) => boolean } = {},
  ) {
    const sender = await openSender(ground, options);
    const paid: GasPaid[] = [];
    const { hooks } = sender.world;
    const world: SendingWorld = {
      ...sender.world,
      coinPrice: async () => ({ priceUsd: new Decimal(2500), decimals: 18 }),
      ...overrides,
      hooks: {
        ...hooks,
        ...(options.bearsGas ? { bearsGas: options.bearsGas } : {}),
        onGasPaid: async (_, costs) => {
          paid.push(...costs);
        },
      },
    };
    // One turn finds the block, and the next one judges it.
    const turn = async () => {
      await pumpTransactions(world);
      await pumpTransactions(world);
    };
    const costOf = async (id: string) => {
      const { txHash } = await sender.row(id);
      if (!isHex(txHash)) throw new Error('It was not sent.');
      const { gasUsed, effectiveGasPrice } = await ground.client.getTransactionReceipt({ hash: txHash });
      return gasUsed * effectiveGasPrice;
    };
    return { ...sender, paid, turn, costOf };
  }

  it('is that of the receipt, in base units and in USD, once the block is deep enough', async () => {
    const { enqueue, turn, paid, costOf, account } = await openPaying({}, { confirmations: 2 });
    const transactionId = newId();
    const before = await ground.client.getBalance({ address: account.address });
    const id = await enqueue({ purpose: 'paid', to, transactionId });
    await turn();
    await mine();
    await turn();
    expect(paid).toEqual([]);
    await mine();
    await turn();
    const wei = await costOf(id);
    expect(before - (await ground.client.getBalance({ address: account.address }))).toBe(wei + 1n);
    expect(paid).toEqual([{ outgoingId: id, purpose: 'paid', transactionId, wei, usd: expect.anything() }]);
    expect(paid[0]?.usd?.toFixed()).toBe(new Decimal(String(wei)).times('2500e-18').toFixed());
  });

  it('is reported for a transaction that reverted', async () => {
    const { enqueue, turn, paid, costOf, reported } = await openPaying();
    const transactionId = newId();
    const id = await enqueue({ purpose: 'reverts', to, valueWei: 0n, transactionId });
    await turn();
    await ground.admin.setCode({ address: to, bytecode: revertingCode });
    await mine();
    await turn();
    expect(reported.map((one) => one.kind)).toEqual(['SIGNED', 'FAILED']);
    const wei = await costOf(id);
    expect(wei).toBeGreaterThan(0n);
    expect(paid).toMatchObject([{ transactionId, wei }]);
  });

  it('has no value while the coin has no price', async () => {
    const { enqueue, turn, paid, reported } = await openPaying({ coinPrice: async () => null });
    await enqueue({ purpose: 'unpriced', to, transactionId: newId() });
    await turn();
    await mine();
    await turn();
    expect(paid).toMatchObject([{ wei: expect.anything(), usd: null }]);
    expect(reported.map((one) => one.kind)).toEqual(['SIGNED', 'MINED']);
  });

  it('is that of the latest block after a reorganization', async () => {
    const { enqueue, turn, paid, costOf } = await openPaying();
    const transactionId = newId();
    const id = await enqueue({ purpose: 'mined twice', to, transactionId });
    await turn();
    await mine();
    await turn();
    await ground.admin.request({ method: 'anvil_reorg', params: [1, []] } as never);
    await ground.admin.setNextBlockBaseFeePerGas({ baseFeePerGas: 1_000_000n });
    await turn();
    await mine();
    await turn();
    expect(paid).toHaveLength(2);
    expect(paid[1]).toMatchObject({ transactionId, wei: await costOf(id) });
    expect(paid[1]?.wei).not.toBe(paid[0]?.wei);
  });

  it('is not reported or priced for a transaction without a payment', async () => {
    const { enqueue, turn, paid, reported } = await openPaying({
      coinPrice: () => Promise.reject(new Error('Nobody asks for a price.')),
    });
    await enqueue({ purpose: 'of no payment', to });
    await turn();
    await mine();
    await turn();
    expect(reported.map((one) => one.kind)).toEqual(['SIGNED', 'MINED']);
    expect(paid).toEqual([]);
  });

  it('is reported for a transaction without a payment whose purpose bears it, and for no other', async () => {
    const { enqueue, turn, paid, costOf } = await openPaying({}, { bearsGas: (purpose) => purpose === 'bearing' });
    const id = await enqueue({ purpose: 'bearing', to });
    await enqueue({ purpose: 'another', to });
    await turn();
    await mine();
    await turn();
    expect(paid).toMatchObject([{ outgoingId: id, purpose: 'bearing', transactionId: null, wei: await costOf(id) }]);
  });
});
