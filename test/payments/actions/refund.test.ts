/** Refunds, from the verb to the money on chain, and the races that they must not win twice. */
import { beforeAll, describe, expect, it } from 'vitest';
import { refundCall, settleCall } from '../../../src/escrow/calldata.ts';
import { refundPaymentIntent } from '../../../src/payments/actions/refund-payment-intent.ts';
import { type Gateway, openGateway } from '../../setup/gateway/gateway.ts';

let gateway: Gateway;
/** A payment that nothing changes. */
let paidOnce: ReturnType<Gateway['pay']> | undefined;

beforeAll(async () => {
  gateway = await openGateway();
});

const request = (id: string) => ({ scope: gateway.scope, id });

describe('a refund', () => {
  it('returns the whole remainder without a fee', async () => {
    const { id, signed } = await gateway.pay();
    const money = await gateway.gained(async () => {
      const answer = await refundPaymentIntent(gateway.action, { ...request(id), reason: 'Out of stock' });
      expect(answer).toMatchObject({
        paymentIntentId: id,
        txHash: null,
        status: 'PENDING',
        amount: '10000000',
        leftoverAfter: '0',
        tokenKey: gateway.evm.usdc.key,
        reason: 'Out of stock',
      });
      expect(await gateway.status(id)).toBe('REFUND_PENDING');
      await gateway.settleDown();
    });
    expect(money).toEqual({ payer: 10_000_000n, merchant: 0n, fee: 0n, escrow: -10_000_000n });
    expect(await gateway.read(id)).toMatchObject({ status: 'REFUNDED', refundReason: 'Out of stock' });
    expect(await gateway.remainingAmount(id, signed)).toBe(0n);
    expect(await gateway.events(id)).toEqual(expect.arrayContaining(['refund_pending', 'refunded']));
  });

  it('in parts, by amount and by a floored percentage, leaves the rest to be settled', async () => {
    const { id, signed } = await gateway.pay({ amount: 10_000_001n });
    await refundPaymentIntent(gateway.action, { ...request(id), reason: 'One of three', amount: '3000000' });
    await gateway.settleDown();
    expect(await gateway.status(id)).toBe('CAPTURED');
    const half = await refundPaymentIntent(gateway.action, { ...request(id), reason: 'Half of the rest', percent: 50 });
    expect(half).toMatchObject({ amount: '3500000', leftoverAfter: '3500001' });
    await gateway.settleDown();
    expect(await gateway.remainingAmount(id, signed)).toBe(3_500_001n);
    const money = await gateway.gained(async () => {
      await gateway.passTime(110);
      await gateway.settleDown();
    });
    expect(money).toEqual({ payer: 0n, merchant: 3_465_001n, fee: 35_000n, escrow: -3_500_001n });
    expect(await gateway.status(id)).toBe('SETTLED');
  });

  it('has failed when it was reorganized away and its resend failed for good before the next check', async () => {
    const { id, signed } = await gateway.pay();
    await refundPaymentIntent(gateway.action, { ...request(id), reason: 'Asked for', amount: '3000000' });
    await gateway.settleDown();
    const { transactionId } = await gateway.database.refund.findFirstOrThrow({ where: { paymentIntentId: id } });
    await gateway.evm.reorg(1);
    expect((await gateway.state(signed.id)).left).toBe(10_000_000n);
    const { escrow, merchant } = gateway.evm;
    await gateway.send(merchant, refundCall({ escrow, ...signed, amount: 1_000_000n, expectedLeft: 10_000_000n }));
    const sent = () => gateway.database.outgoingTransaction.findUniqueOrThrow({ where: { transactionId } });
    await expect
      .poll(
        async () => {
          await gateway.turnPumps();
          return (await sent()).status;
        },
        { timeout: 60_000 },
      )
      .toBe('CANCELLED');
    await gateway.settleDown();
    expect(await gateway.database.refund.findUniqueOrThrow({ where: { transactionId } })).toMatchObject({
      status: 'FAILED',
      error: (await sent()).error,
    });
    expect(await gateway.status(id)).toBe('CAPTURED');
    expect(await gateway.remainingAmount(id, signed)).toBe(9_000_000n);
  });

  it('of a payment that a reorganization removed does not delay the payment accepted instead', async () => {
    const { id } = await gateway.pay();
    const other = await gateway.sign({ id }, { timelock: 10_000 });
    await refundPaymentIntent(gateway.action, { ...request(id), reason: 'Of the first' });
    await gateway.evm.reorg(1);
    await gateway.observe();
    expect(await gateway.status(id)).toBe('CREATED');
    await gateway.authorize(other);
    await gateway.observe();
    expect(await gateway.status(id)).toBe('CAPTURED');
    // The refund waits for five minutes for the payment to be mined again.
    for (let attempt = 0; attempt < 24; attempt++) {
      await gateway.settleDown();
      await gateway.passTime(17);
    }
    expect(await gateway.database.refund.findFirstOrThrow({ where: { paymentIntentId: id } })).toMatchObject({
      status: 'FAILED',
    });
    expect(await gateway.read(id)).toMatchObject({ status: 'CAPTURED', acceptedTermsHash: other.id });
    expect(await gateway.remainingAmount(id, other)).toBe(10_000_000n);
  });

  it('is one of two that race, and the other is refused', async () => {
    const { id } = await gateway.pay();
    const money = await gateway.gained(async () => {
      const both = await Promise.allSettled(
        ['First', 'Second'].map((reason) =>
          refundPaymentIntent(gateway.action, { ...request(id), reason, amount: '6000000' }),
        ),
      );
      expect(both.map((one) => one.status).toSorted()).toEqual(['fulfilled', 'rejected']);
      const refused = both.find((one) => one.status === 'rejected');
      expect(refused?.reason).toMatchObject({ code: 'INVALID_STATE' });
      await gateway.settleDown();
    });
    expect(money.payer).toBe(6_000_000n);
    expect(await gateway.database.refund.count({ where: { paymentIntentId: id } })).toBe(1);
  });

  it('is FAILED if a settlement was mined first, and the payment is SETTLED', async () => {
    const { id, signed } = await gateway.pay();
    await gateway.passTime(110);
    await refundPaymentIntent(gateway.action, { ...request(id), reason: 'Too late' });
    await gateway.send(gateway.evm.payers[1], settleCall({ escrow: gateway.evm.escrow, terms: signed.terms }));
    for (let attempt = 0; attempt < 6; attempt++) {
      await gateway.settleDown();
      await gateway.passTime(61);
    }
    expect(await gateway.status(id)).toBe('SETTLED');
    expect(await gateway.database.refund.findFirst({ where: { paymentIntentId: id } })).toMatchObject({
      status: 'FAILED',
    });
    expect(await gateway.remainingAmount(id, signed)).toBe(0n);
  });

  it('that somebody outran on chain fails and takes the payment back to CAPTURED', async () => {
    const { id, signed } = await gateway.pay();
    await refundPaymentIntent(gateway.action, { ...request(id), reason: 'Ours', amount: '6000000' });
    const theirs = refundCall({
      escrow: gateway.evm.escrow,
      terms: signed.terms,
      amount: 1n,
      expectedLeft: 10_000_000n,
    });
    await gateway.send(gateway.evm.merchant, theirs);
    for (let attempt = 0; attempt < 6; attempt++) {
      await gateway.settleDown();
      await gateway.passTime(17);
    }
    const refund = await gateway.database.refund.findFirstOrThrow({ where: { paymentIntentId: id } });
    expect(refund).toMatchObject({ status: 'FAILED' });
    expect(refund.error).toBe('WrongLeft(9999999, 10000000)');
    const events = await gateway.events(id);
    expect(events).toContain('refund_pending');
    expect(events).toContain('refund_failed');
    expect(events.filter((type) => type === 'captured')).toHaveLength(1);
    expect(['CAPTURED', 'SETTLED']).toContain(await gateway.status(id));
  });

  it.each([
    ['both sizes', { amount: '1', percent: 1 }],
    ['nothing', { amount: '0' }],
    ['more than is left', { amount: '10000001' }],
    ['a broken number', { amount: '1.5' }],
    ['a percentage above 100', { percent: 101 }],
    ['no reason', { reason: '' }],
  ])('with %s is refused', async (_, fields) => {
    paidOnce ??= gateway.pay();
    const { id } = await paidOnce;
    await expect(
      refundPaymentIntent(gateway.action, { ...request(id), reason: 'A reason', ...fields }),
    ).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it("of another merchant's payment does not exist", async () => {
    paidOnce ??= gateway.pay();
    const { id } = await paidOnce;
    const scope = { merchantId: '019a0000-0000-7000-8000-000000000000', appId: null };
    await expect(refundPaymentIntent(gateway.action, { scope, id, reason: 'Not mine' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});
