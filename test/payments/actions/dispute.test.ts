/** Disputes, from the payer's signature to the split on chain. */
import { beforeAll, describe, expect, it } from 'vitest';
import { disputeCall } from '../../../src/escrow/calldata.ts';
import { disputeTypedData } from '../../../src/escrow/dispute-request.ts';
import { openDispute } from '../../../src/payments/actions/open-dispute.ts';
import { refundPaymentIntent } from '../../../src/payments/actions/refund-payment-intent.ts';
import { resolveDispute } from '../../../src/payments/actions/resolve-dispute.ts';
import { sweepPayments } from '../../../src/payments/actions/sweep-payments.ts';
import { type Gateway, openGateway } from '../../setup/gateway/gateway.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await openGateway();
});

const request = (id: string) => ({ scope: gateway.scope, id });

describe('a dispute', () => {
  const sign = async (signed: { id: `0x${string}` }) => {
    const typed = disputeTypedData({ chainId: gateway.evm.chainId, escrow: gateway.evm.escrow, id: signed.id });
    return await gateway.evm.walletFor(gateway.evm.payers[0].privateKey).signTypedData(typed);
  };
  const disputed = async () => {
    const { id, signed } = await gateway.pay();
    const words = { reason: 'Never arrived', evidence: 'Tracking 123' };
    const asked = await openDispute(gateway.action, { ...request(id), ...words });
    expect(asked).toMatchObject({ status: 'SIGNATURE_REQUIRED', typedData: { primaryType: 'Dispute' } });
    const sent = await openDispute(gateway.action, { ...request(id), ...words, signature: await sign(signed) });
    expect(sent.status).toBe('PENDING');
    await gateway.settleDown();
    const dispute = await gateway.database.dispute.findUniqueOrThrow({ where: { paymentIntentId: id } });
    expect(dispute).toMatchObject({ status: 'OPEN', reason: 'Never arrived', evidence: 'Tracking 123' });
    return { id, signed, disputeId: dispute.id };
  };

  it('stops the settlement, and is conceded by the merchant, who may do nothing else', async () => {
    const { id, disputeId } = await disputed();
    await gateway.passTime(110);
    await gateway.settleDown();
    expect(await gateway.status(id)).toBe('CAPTURED');
    // However long it is open, no job is enqueued for it.
    expect(await sweepPayments(gateway.action)).toBe(0);
    const by = { kind: 'merchant', scope: gateway.scope } as const;
    await expect(resolveDispute(gateway.action, { disputeId, payerBps: 5000, by })).rejects.toMatchObject({
      code: 'AUTHORIZATION_ERROR',
    });
    const money = await gateway.gained(async () => {
      await resolveDispute(gateway.action, { disputeId, payerBps: 10_000, by });
      await gateway.settleDown();
    });
    expect(money.payer).toBe(10_000_000n);
    expect(await gateway.status(id)).toBe('REFUNDED');
    expect(await gateway.database.dispute.findUnique({ where: { id: disputeId } })).toMatchObject({
      status: 'RESOLVED_PAYER',
    });
  });

  it("is split by the arbiter's own key, the fee on the merchant's share only", async () => {
    const { id, disputeId, signed } = await disputed();
    const money = await gateway.gained(async () => {
      await resolveDispute(gateway.action, { disputeId, payerBps: 2500, by: { kind: 'arbiter' } });
      await gateway.settleDown();
    });
    expect(money).toEqual({ payer: 2_500_000n, merchant: 7_425_000n, fee: 75_000n, escrow: -10_000_000n });
    expect(await gateway.status(id)).toBe('SETTLED');
    expect(await gateway.remainingAmount(id, signed)).toBe(0n);
    const again = resolveDispute(gateway.action, { disputeId, payerBps: 0, by: { kind: 'arbiter' } });
    await expect(again).rejects.toMatchObject({ code: 'INVALID_STATE' });
  });

  it('that nobody resolves is split by its deadline as both signed', async () => {
    const { id } = await disputed();
    const money = await gateway.gained(async () => {
      await gateway.passTime(7 * 86_400 + 10);
      await gateway.settleDown();
    });
    expect(money.payer).toBe(10_000_000n);
    expect(await gateway.status(id)).toBe('REFUNDED');
  });

  it('is ended by a full refund', async () => {
    const { id, disputeId } = await disputed();
    await refundPaymentIntent(gateway.action, { ...request(id), reason: 'Sorry' });
    await gateway.settleDown();
    expect(await gateway.status(id)).toBe('REFUNDED');
    expect(await gateway.database.dispute.findUnique({ where: { id: disputeId } })).toMatchObject({
      status: 'RESOLVED_PAYER',
    });
  });

  it('needs the payer’s signature, its window, and is opened once', async () => {
    const { id, signed } = await gateway.pay();
    const words = { ...request(id), reason: 'Mine' };
    const stranger = await gateway.evm
      .walletFor(gateway.evm.payers[1].privateKey)
      .signTypedData(disputeTypedData({ chainId: gateway.evm.chainId, escrow: gateway.evm.escrow, id: signed.id }));
    for (const signature of [stranger, '0x', 'nonsense']) {
      await expect(openDispute(gateway.action, { ...words, signature })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
    }
    await gateway.send(gateway.evm.payers[0], disputeCall({ escrow: gateway.evm.escrow, terms: signed.terms }));
    await gateway.settleDown();
    await expect(openDispute(gateway.action, words)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    const late = await gateway.pay();
    await gateway.passTime(60);
    await expect(openDispute(gateway.action, { ...words, id: late.id })).rejects.toMatchObject({
      code: 'INVALID_STATE',
    });
  });
});
