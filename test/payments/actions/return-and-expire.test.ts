/** Payments that do not count are returned, and unpaid intents expire. */
import { beforeAll, describe, expect, it } from 'vitest';
import { transaction } from '../../../prisma/client.ts';
import { lockPaymentIntent } from '../../../src/checkout/store.ts';
import { cancelPaymentIntent } from '../../../src/payments/actions/cancel-payment-intent.ts';
import { expirePaymentIntent } from '../../../src/payments/actions/expire-payment-intent.ts';
import { sweepPayments } from '../../../src/payments/actions/sweep-payments.ts';
import { type Gateway, openGateway } from '../../setup/gateway/gateway.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await openGateway();
});

const manual = { captureOnAuthorize: false };
const request = (id: string) => ({ scope: gateway.scope, id });

describe('an authorization that does not count', () => {
  it.each([
    ['held', manual, 'VOID CONFIRMED'],
    ['captured', {}, 'REFUND CONFIRMED'],
  ])('is returned when it is the second one and %s', async (_, fields, step) => {
    const { id, signed } = await gateway.pay(fields);
    const second = await gateway.sign({ id }, { ...fields, amount: 7_000_000n });
    const money = await gateway.gained(async () => {
      await gateway.authorize(second);
      await gateway.settleDown();
    });
    expect(money).toEqual({ payer: 0n, merchant: 0n, fee: 0n, escrow: 0n });
    expect(await gateway.events(id)).toContain('overpaid');
    const stray = await gateway.database.strayPayment.findMany({ where: { paymentIntentId: id } });
    expect(stray.map(({ kind }) => kind)).toEqual(['MISPAID']);
    expect(await gateway.steps(id)).toContain(step);
    expect((await gateway.read(id)).acceptedTermsHash).toBe(signed.id);
    expect(await gateway.remainingAmount(id, signed)).toBe(10_000_000n);
  });

  it('is returned by a later attempt if the first one fails for good', async () => {
    const { id } = await gateway.pay(manual);
    const second = await gateway.sign({ id }, { ...manual, amount: 7_000_000n });
    await gateway.authorize(second);
    await gateway.observe();
    await gateway.runDueJobs();
    // A call that can never work stands for whatever keeps the chain from taking it.
    await gateway.database.outgoingTransaction.updateMany({
      where: { status: 'QUEUED', purpose: { startsWith: 'void:' } },
      data: { data: '0xdeadbeef', maxFailures: 1 },
    });
    await gateway.settleDown();
    expect(await gateway.steps(id)).toContain('VOID FAILED');
    const money = await gateway.gained(async () => {
      await gateway.passTime(61);
      await gateway.settleDown();
    });
    expect(money.payer).toBe(7_000_000n);
    expect(await gateway.steps(id)).toContain('VOID CONFIRMED');
  });

  it('is returned when the intent was cancelled before', async () => {
    const intent = await gateway.intent();
    const signed = await gateway.sign(intent);
    expect((await cancelPaymentIntent(gateway.action, request(intent.id))).status).toBe('CANCELLED');
    const money = await gateway.gained(async () => {
      await gateway.authorize(signed);
      await gateway.settleDown();
    });
    expect(money.payer).toBe(0n);
    expect(await gateway.status(intent.id)).toBe('CANCELLED');
    expect(await gateway.events(intent.id)).toContain('overpaid');
    const stray = await gateway.database.strayPayment.findMany({ where: { paymentIntentId: intent.id } });
    expect(stray.map(({ kind }) => kind)).toEqual(['LATE']);
  });
});

describe('an unpaid intent', () => {
  it('is cancelled at its expiry when nothing was issued for it', async () => {
    const intent = await gateway.intent();
    await gateway.database.paymentIntent.update({ where: { id: intent.id }, data: { expiresAt: gateway.clock.now() } });
    await sweepPayments(gateway.action);
    await gateway.settleDown();
    expect(await gateway.status(intent.id)).toBe('CANCELLED');
  });

  it('does not expire until the final block time has passed every issued deadline', async () => {
    const intent = await gateway.intent();
    await gateway.sign(intent);
    await gateway.database.paymentIntent.update({ where: { id: intent.id }, data: { expiresAt: gateway.clock.now() } });
    await sweepPayments(gateway.action);
    await gateway.settleDown();
    expect(await gateway.status(intent.id)).toBe('CREATED');
    await gateway.passTime(3700);
    await gateway.evm.mine(30);
    await gateway.observe();
    await gateway.settleDown();
    expect(await gateway.status(intent.id)).toBe('CANCELLED');
    expect(await gateway.events(intent.id)).toEqual(['cancelled']);
  });

  it('goes on where a checkout gives it more time at the moment at which it ends', async () => {
    const { database, clock } = gateway;
    const intent = await gateway.intent();
    await database.paymentIntent.update({ where: { id: intent.id }, data: { expiresAt: clock.now() } });
    const waiting = async () => {
      const [row] = await database.$queryRaw<{ count: bigint }[]>`
        SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return Number(row?.count ?? 0n);
    };
    const ending = await transaction(database, async (tx) => {
      await lockPaymentIntent(tx, intent.id);
      const expiring = expirePaymentIntent(gateway.action, { paymentIntentId: intent.id });
      await expect.poll(waiting, { timeout: 15_000 }).toBeGreaterThan(0);
      await tx.paymentIntent.update({
        where: { id: intent.id },
        data: { expiresAt: new Date(clock.now().getTime() + 600_000) },
      });
      return { expiring };
    });
    await ending.expiring;
    expect(await gateway.status(intent.id)).toBe('CREATED');
    expect(await gateway.events(intent.id)).toEqual([]);
  });

  it('cannot be cancelled while its authorization is seen and not final', async () => {
    const intent = await gateway.intent();
    const signed = await gateway.sign(intent);
    const hash = await gateway.authorize(signed);
    const receipt = await gateway.evm.publicClient.getTransactionReceipt({ hash });
    await gateway.database.chainFact.create({
      data: {
        chainId: gateway.evm.chainId,
        blockHash: receipt.blockHash,
        logIndex: 0,
        blockNumber: receipt.blockNumber,
        blockTimestamp: 0n,
        txHash: hash,
        address: gateway.evm.escrow,
        kind: 'Authorized',
        ref: signed.id,
        args: {},
      },
    });
    await expect(cancelPaymentIntent(gateway.action, request(intent.id))).rejects.toMatchObject({
      code: 'INVALID_STATE',
    });
    await gateway.database.chainFact.deleteMany({ where: { ref: signed.id } });
    await gateway.settleDown();
    expect(await gateway.status(intent.id)).toBe('CAPTURED');
  });
});
