/** Reorganizations and processes that die, while authorizations are settled. */
import { describe, expect, it } from 'vitest';
import { runUntilCrash } from '../../setup/gateway/crashing.ts';
import { crashingGateway } from '../../setup/gateway/crashing-gateway.ts';
import { openExactGround } from './exact-ground.ts';

const limit = { timeout: 300_000 };

describe('a reorganization', () => {
  it('withdraws a confirmed settlement and sends the authorization again', limit, async () => {
    const ground = await openExactGround();
    const { gateway } = ground;
    const signed = await ground.sign({ validBefore: (await ground.chainTime()) + 3_600n });
    const { paymentIntentId } = await ground.settle(signed);
    const id = paymentIntentId ?? '';
    await gateway.settleDown();
    expect(await ground.settle(signed)).toMatchObject({ success: true, replayed: false });
    await gateway.evm.reorg(3);
    await gateway.evm.mine(1);
    await gateway.observe();
    await gateway.turnPumps();
    await gateway.settleDown();
    expect(await gateway.events(id)).toEqual(['created', 'pending', 'settled', 'reverted', 'pending', 'settled']);
    expect(await ground.books(id)).toEqual([
      'PAYER TRANSFER -10000',
      'MERCHANT TRANSFER 10000',
      'PAYER REVERSE_TRANSFER 10000',
      'MERCHANT REVERSE_TRANSFER -10000',
      'PAYER TRANSFER -10000',
      'MERCHANT TRANSFER 10000',
    ]);
    expect(await ground.settle(signed)).toMatchObject({ success: true, replayed: true });
    expect(await gateway.steps(id)).toEqual(['SETTLE CONFIRMED']);
  });

  it('removes a front-run transfer, and ours is sent in its place', limit, async () => {
    const ground = await openExactGround();
    const { gateway } = ground;
    const signed = await ground.sign({ validBefore: (await ground.chainTime()) + 3_600n });
    const { paymentIntentId } = await ground.settle(signed);
    const foreign = await ground.frontRun(signed);
    await gateway.observe();
    await gateway.settleDown();
    expect(await ground.settle(signed)).toMatchObject({ success: true, transaction: foreign });
    await gateway.evm.reorg(2);
    await gateway.evm.mine(1);
    await gateway.settleDown();
    const again = await ground.settle(signed);
    expect(again).toMatchObject({ success: true, replayed: true });
    expect(again.transaction).not.toBe(foreign);
    expect(await ground.queue(signed)).toEqual(['CANCELLED', 'MINED']);
    expect(await gateway.events(paymentIntentId ?? '')).toEqual([
      ...['created', 'pending', 'settled'],
      ...['reverted', 'pending', 'settled'],
    ]);
  });

  it('removes a transfer after the authorization has expired: the intent fails', limit, async () => {
    const ground = await openExactGround();
    const { gateway } = ground;
    const signed = await ground.sign({ validBefore: (await ground.chainTime()) + 60n });
    const { paymentIntentId } = await ground.settle(signed);
    const id = paymentIntentId ?? '';
    await gateway.settleDown();
    await gateway.evm.testClient.increaseTime({ seconds: 100 });
    await gateway.evm.reorg(2);
    await gateway.passTime(100);
    await gateway.settleDown();
    expect(await gateway.status(id)).toBe('FAILED');
    expect(await gateway.events(id)).toEqual(['created', 'pending', 'settled', 'reverted', 'failed']);
    expect(await ground.settle(signed)).toMatchObject({
      success: false,
      reason: 'invalid_exact_evm_payload_authorization_valid_before',
    });
    const books = await gateway.database.ledgerEntry.groupBy({ by: ['account'], _sum: { amount: true } });
    expect(books.every(({ _sum }) => _sum.amount?.isZero())).toBe(true);
  });

  it('removes a transfer that was not confirmed yet', limit, async () => {
    const ground = await openExactGround({ confirmations: 3 });
    const { gateway } = ground;
    const signed = await ground.sign({ validBefore: (await ground.chainTime()) + 3_600n });
    const { paymentIntentId } = await ground.settle(signed);
    const id = paymentIntentId ?? '';
    await gateway.turnPumps();
    await gateway.observe();
    expect(await ground.settle(signed)).toMatchObject({
      reason: 'settlement_pending',
      transaction: expect.stringMatching(/^0x/),
    });
    await gateway.evm.reorg(1);
    await gateway.observe();
    expect(await gateway.events(id)).toEqual(['created', 'pending', 'reverted']);
    // What is not in a block is sent again after a while.
    await gateway.passTime(20);
    await gateway.turnPumps();
    await gateway.evm.mine(4);
    await gateway.observe();
    await gateway.evm.mine(1);
    await gateway.settleDown();
    expect(await ground.settle(signed)).toMatchObject({ success: true });
    expect((await gateway.events(id)).slice(-2)).toEqual(['pending', 'settled']);
  });
});

describe('a gateway that is killed', () => {
  it('charges each authorization once, whichever step it is killed at', limit, async () => {
    const ground = await openExactGround();
    const { gateway } = ground;
    let crashesAt = 1;
    for (;;) {
      const signed = await ground.sign();
      const money = await gateway.gained(async () => {
        const asked = await runUntilCrash(crashesAt, (crash) =>
          ground.settle(signed, {}, crashingGateway(gateway, crash).world),
        );
        if (asked.crashed) await ground.settle(signed);
        const sent = await runUntilCrash(crashesAt, async (crash) => {
          const { pump } = crashingGateway(gateway, crash);
          for (let turn = 0; turn < 3; turn += 1) await pump();
        });
        const seen = await runUntilCrash(crashesAt, async (crash) => {
          const { observe } = crashingGateway(gateway, crash);
          for (let turn = 0; turn < 3; turn += 1) await observe();
        });
        await gateway.settleDown();
        crashesAt = asked.crashed || sent.crashed || seen.crashed ? crashesAt + (asked.crashed ? 1 : 4) : -crashesAt;
      });
      expect({ crashesAt, ...money }).toMatchObject({ payer: -10_000n, merchant: 10_000n, escrow: 0n });
      const outcome = await ground.settle(signed);
      expect(outcome).toMatchObject({ success: true, replayed: false });
      const id = outcome.paymentIntentId ?? '';
      expect(await gateway.events(id)).toEqual(['created', 'pending', 'settled']);
      expect(await ground.books(id)).toHaveLength(2);
      expect(await gateway.steps(id)).toEqual(['SETTLE CONFIRMED']);
      if (crashesAt < 0) break;
    }
    expect(-crashesAt).toBeGreaterThan(20);
  });
});
