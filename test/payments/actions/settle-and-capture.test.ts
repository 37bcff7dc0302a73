/** Settling, capturing, voiding and reclaiming, from the verb to the money on chain. */
import { beforeAll, describe, expect, it } from 'vitest';
import { settleCall, voidCall } from '../../../src/escrow/calldata.ts';
import { cancelPaymentIntent } from '../../../src/payments/actions/cancel-payment-intent.ts';
import { capturePaymentIntent } from '../../../src/payments/actions/capture-payment-intent.ts';
import { sweepPayments } from '../../../src/payments/actions/sweep-payments.ts';
import { type Gateway, openGateway } from '../../setup/gateway/gateway.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await openGateway();
});

const manual = { captureOnAuthorize: false };
const request = (id: string) => ({ scope: gateway.scope, id });

describe('an automatic payment', () => {
  it('is settled by the gateway when its timelock is over, and not before', async () => {
    const { id, signed } = await gateway.pay();
    expect(await gateway.read(id)).toMatchObject({ status: 'CAPTURED', captureAttempts: 1 });
    await gateway.passTime(50);
    await gateway.settleDown();
    expect(await gateway.status(id)).toBe('CAPTURED');
    const money = await gateway.gained(async () => {
      await gateway.passTime(60);
      await gateway.settleDown();
    });
    expect(await gateway.status(id)).toBe('SETTLED');
    expect(money).toEqual({ payer: 0n, merchant: 9_900_000n, fee: 100_000n, escrow: -10_000_000n });
    expect(await gateway.remainingAmount(id, signed)).toBe(0n);
    expect(await gateway.steps(id)).toEqual(['AUTHORIZE CONFIRMED', 'CAPTURE CONFIRMED', 'SETTLE CONFIRMED']);
  });

  it('is not settled again when somebody else has settled it', async () => {
    const { id, signed } = await gateway.pay();
    await gateway.passTime(110);
    await gateway.send(gateway.evm.payers[1], settleCall({ escrow: gateway.evm.escrow, terms: signed.terms }));
    await gateway.settleDown();
    expect(await gateway.status(id)).toBe('SETTLED');
    expect((await gateway.steps(id)).filter((step) => step === 'SETTLE CONFIRMED')).toHaveLength(1);
  });

  it('is enqueued by the sweep when no job did it', async () => {
    const { id } = await gateway.pay();
    await gateway.database.$executeRaw`DELETE FROM graphile_worker._private_jobs`;
    await gateway.passTime(110);
    await gateway.settleDown();
    expect(await gateway.status(id)).toBe('CAPTURED');
    expect(await sweepPayments(gateway.action)).toBeGreaterThan(0);
    await gateway.settleDown();
    expect(await gateway.status(id)).toBe('SETTLED');
  });
});

describe('a manual payment', () => {
  it('is captured in part, and the rest returns in the same transaction', async () => {
    const { id, signed } = await gateway.pay(manual);
    expect(await gateway.status(id)).toBe('AUTHORIZED');
    const money = await gateway.gained(async () => {
      const answer = await capturePaymentIntent(gateway.action, { ...request(id), amount: '4000000' });
      expect(answer).toMatchObject({ status: 'AUTHORIZED', captureAttempts: 1 });
      expect(await gateway.steps(id)).toEqual(['AUTHORIZE CONFIRMED', 'CAPTURE PENDING']);
      await gateway.settleDown();
    });
    expect(money).toMatchObject({ payer: 6_000_000n, escrow: -6_000_000n });
    expect(await gateway.status(id)).toBe('CAPTURED');
    expect(await gateway.remainingAmount(id, signed)).toBe(4_000_000n);
    const captured = await gateway.database.transaction.findFirstOrThrow({
      where: { paymentIntentId: id, type: 'CAPTURE' },
    });
    expect(captured.amount?.toFixed()).toBe('4000000');
    expect((await gateway.read(id)).cryptoAmount?.toFixed()).toBe('10000000');
  });

  it('is returned once by cancel, however often it is requested', async () => {
    const { id, signed } = await gateway.pay(manual);
    const money = await gateway.gained(async () => {
      await cancelPaymentIntent(gateway.action, request(id));
      expect((await cancelPaymentIntent(gateway.action, request(id))).status).toBe('AUTHORIZED');
      await expect(capturePaymentIntent(gateway.action, request(id))).rejects.toMatchObject({ code: 'INVALID_STATE' });
      await gateway.settleDown();
    });
    expect(money.payer).toBe(10_000_000n);
    expect(await gateway.status(id)).toBe('CANCELLED');
    expect(await gateway.steps(id)).toEqual(['AUTHORIZE CONFIRMED', 'VOID CONFIRMED']);
    expect(await gateway.remainingAmount(id, signed)).toBe(0n);
  });

  it('is returned to the payer after its capture deadline', async () => {
    const { id } = await gateway.pay(manual);
    const money = await gateway.gained(async () => {
      await gateway.passTime(7300);
      await expect(capturePaymentIntent(gateway.action, request(id))).rejects.toMatchObject({ code: 'INVALID_STATE' });
      await gateway.settleDown();
    });
    expect(money.payer).toBe(10_000_000n);
    expect(await gateway.status(id)).toBe('CANCELLED');
    expect(await gateway.steps(id)).toContain('RECLAIM CONFIRMED');
  });

  it('keeps what the chain decided when its capture comes too late', async () => {
    const { id, signed } = await gateway.pay(manual);
    await capturePaymentIntent(gateway.action, request(id));
    await gateway.send(gateway.evm.merchant, voidCall({ escrow: gateway.evm.escrow, terms: signed.terms }));
    for (let attempt = 0; attempt < 5; attempt++) {
      await gateway.settleDown();
      await gateway.passTime(61);
    }
    expect(await gateway.status(id)).toBe('CANCELLED');
    const steps = await gateway.steps(id);
    expect(steps).toContain('CAPTURE FAILED');
    expect(steps.filter((step) => step.startsWith('VOID'))).toEqual(['VOID CONFIRMED']);
    const failed = await gateway.database.transaction.findFirstOrThrow({
      where: { paymentIntentId: id, status: 'FAILED' },
    });
    expect(failed.error).toMatch(/^WrongStatus\(/);
  });

  it('is FAILED, and its hold voided, when its captures are spent', async () => {
    const { id } = await gateway.pay(manual);
    const money = await gateway.gained(async () => {
      await capturePaymentIntent(gateway.action, request(id));
      // A call that can never work stands for whatever keeps the chain from taking it.
      for (let attempt = 0; attempt < 14; attempt++) {
        await gateway.database.outgoingTransaction.updateMany({
          where: { status: 'QUEUED', purpose: { startsWith: 'capture:' } },
          data: { data: '0xdeadbeef' },
        });
        await gateway.turnPumps();
        await gateway.passTime(61);
      }
      await gateway.settleDown();
    });
    expect(await gateway.read(id)).toMatchObject({ status: 'FAILED', captureAttempts: 3 });
    expect(money.payer).toBe(10_000_000n);
    const steps = await gateway.steps(id);
    expect(steps.filter((step) => step === 'CAPTURE FAILED')).toHaveLength(3);
    expect(steps).toContain('VOID CONFIRMED');
    expect(await gateway.events(id)).toContain('failed');
  });
});

describe('a capture', () => {
  it('that is more than is held, or of a captured payment, is refused', async () => {
    const held = await gateway.pay(manual);
    await expect(
      capturePaymentIntent(gateway.action, { ...request(held.id), amount: '10000001' }),
    ).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const { id } = await gateway.pay();
    await expect(capturePaymentIntent(gateway.action, request(id))).rejects.toMatchObject({ code: 'INVALID_STATE' });
  });

  it('races the payer’s reclaim: one wins and the books add up', async () => {
    // Holds of earlier tests go back first, so that only this one's money moves.
    await gateway.passTime(8000);
    await gateway.settleDown();
    const { id, signed } = await gateway.pay(manual);
    await gateway.passTime(7190);
    const money = await gateway.gained(async () => {
      await capturePaymentIntent(gateway.action, request(id));
      await gateway.passTime(60);
      for (let attempt = 0; attempt < 4; attempt++) {
        await gateway.settleDown();
        await gateway.passTime(61);
      }
      await sweepPayments(gateway.action);
      await gateway.settleDown();
    });
    expect(money.payer).toBe(10_000_000n);
    expect(await gateway.remainingAmount(id, signed)).toBe(0n);
    expect(['CANCELLED', 'FAILED']).toContain(await gateway.status(id));
  });
});
