/** Plain transfers from the quote to the merchant's events, with the real pump, chain, projector and jobs between. */
import { zeroAddress } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { beforeAll, describe, expect, it } from 'vitest';
import { depositAddress } from '../../../src/escrow/deposits/deposit-address.ts';
import { escrowAbi } from '../../../src/escrow/escrow-abi.ts';
import { termsFromJson } from '../../../src/escrow/terms.ts';
import { openTransferGround, type TransferGround } from './transfer-ground.ts';

let ground: TransferGround;
beforeAll(async () => {
  ground = await openTransferGround();
});

const AMOUNT = 10_000_000n;
const stranger = () => privateKeyToAddress(generatePrivateKey());
const sessionStatus = async (id: string) =>
  (await ground.gateway.database.checkoutSession.findUniqueOrThrow({ where: { id } })).status;

describe('a plain transfer', () => {
  it('of exactly the amount pays the session', async () => {
    const { gateway, openSession, prepare, transfer, shown, rest } = ground;
    const session = await openSession();
    const step = await prepare(session);
    expect(step).toMatchObject({ chainId: gateway.evm.chainId, tokenKey: gateway.evm.usdc.key, amount: '10000000' });
    await transfer(step.address, AMOUNT);
    await rest();
    expect(await gateway.steps(session.paymentIntentId)).toEqual(['AUTHORIZE CONFIRMED', 'CAPTURE CONFIRMED']);
    expect(await gateway.read(session.paymentIntentId)).toMatchObject({
      status: 'CAPTURED',
      authorizationMethod: 'DIRECT',
      authorizationWalletAddress: gateway.evm.payers[0].address,
      authorizationSignature: null,
    });
    expect(await gateway.events(session.paymentIntentId)).toEqual(['created', 'pending', 'authorized', 'captured']);
    expect(await sessionStatus(session.id)).toBe('COMPLETE');
    expect(await shown(session.paymentIntentId)).toEqual({
      address: step.address,
      received: '10000000',
      returned: '0',
      held: '0',
    });
  });

  it('is sent to the address that the contract derives from the terms', async () => {
    const { gateway, openSession, prepare } = ground;
    const step = await prepare(await openSession());
    const { chainId, termsHash } = { chainId: gateway.evm.chainId, termsHash: step.termsHash };
    const row = await gateway.database.paymentTerms.findUniqueOrThrow({
      where: { chainId_termsHash: { chainId, termsHash } },
    });
    const ofContract = await gateway.evm.publicClient.readContract({
      address: gateway.evm.escrow,
      abi: escrowAbi,
      functionName: 'depositAddressOf',
      args: [termsFromJson(row.terms)],
    });
    expect(step.address).toBe(ofContract);
    expect(depositAddress({ escrow: gateway.evm.escrow, id: termsHash })).toBe(ofContract);
    expect(row.authorizeBy.getTime() - new Date(step.expiresAt).getTime()).toBeGreaterThanOrEqual(1_799_000);
  });

  it('of more than the amount pays the session, and the rest is returned', async () => {
    const { gateway, openSession, prepare, transfer, balanceOf, shown, rest } = ground;
    const refundAddress = stranger();
    const session = await openSession();
    const step = await prepare(session, { refundAddress });
    await transfer(step.address, AMOUNT + 2_500_000n);
    await rest();
    expect(await gateway.status(session.paymentIntentId)).toBe('CAPTURED');
    expect(await balanceOf(refundAddress)).toBe(2_500_000n);
    expect(await shown(session.paymentIntentId)).toMatchObject({
      received: '12500000',
      returned: '2500000',
      held: '0',
    });
    const events = await gateway.events(session.paymentIntentId);
    expect(events.filter((type) => type === 'deposit_returned')).toHaveLength(1);
    expect(events.filter((type) => type === 'overpaid')).toHaveLength(1);
    expect(await ground.strays(session.paymentIntentId)).toEqual(['MISPAID']);
    const { data } = await gateway.database.event.findFirstOrThrow({
      where: { resourceId: session.paymentIntentId, type: 'payment_intent.deposit_returned' },
    });
    expect(data).toMatchObject({
      deposit: { amount: '2500000', recipient: refundAddress, tokenKey: gateway.evm.usdc.key },
      transfer: { received: '12500000', returned: '2500000' },
    });
  });

  it('in two parts pays once the second has arrived', async () => {
    const { gateway, openSession, prepare, transfer, shown, rest } = ground;
    const session = await openSession();
    const step = await prepare(session);
    await transfer(step.address, 4_000_000n);
    await rest();
    expect(await gateway.status(session.paymentIntentId)).toBe('CREATED');
    expect(await shown(session.paymentIntentId)).toMatchObject({ received: '4000000', held: '4000000' });
    await transfer(step.address, 6_000_000n);
    await rest();
    expect(await gateway.status(session.paymentIntentId)).toBe('CAPTURED');
    expect(await gateway.events(session.paymentIntentId)).toEqual([
      'created',
      'pending',
      'pending',
      'authorized',
      'captured',
    ]);
    expect(await ground.strays(session.paymentIntentId)).toEqual([]);
  });

  it('of less is returned at the end, and the session stays open until then', async () => {
    const { gateway, openSession, prepare, transfer, balanceOf, shown, rest } = ground;
    const refundAddress = stranger();
    const session = await openSession();
    const step = await prepare(session, { refundAddress });
    await transfer(step.address, AMOUNT - 1n);
    await rest();
    // The session of an hour and the quote are over; the terms are not.
    await gateway.passTime(3_700);
    await rest();
    expect(await sessionStatus(session.id)).toBe('OPEN');
    expect(await balanceOf(refundAddress)).toBe(0n);
    await gateway.passTime(1_800);
    await gateway.evm.mine(50);
    await rest();
    expect(await balanceOf(refundAddress)).toBe(AMOUNT - 1n);
    expect(await sessionStatus(session.id)).toBe('EXPIRED');
    expect(await gateway.status(session.paymentIntentId)).toBe('CANCELLED');
    expect(await shown(session.paymentIntentId)).toMatchObject({ received: '9999999', returned: '9999999', held: '0' });
    expect(await ground.strays(session.paymentIntentId)).toEqual(['MISPAID']);
  });

  it('that arrives too late is returned', async () => {
    const { gateway, openSession, prepare, transfer, balanceOf, rest } = ground;
    const refundAddress = stranger();
    const session = await openSession();
    const step = await prepare(session, { refundAddress });
    await gateway.passTime(5_500);
    await rest();
    await transfer(step.address, AMOUNT);
    await rest();
    expect(await balanceOf(refundAddress)).toBe(AMOUNT);
    expect(['CREATED', 'CANCELLED']).toContain(await gateway.status(session.paymentIntentId));
    expect(await gateway.events(session.paymentIntentId)).toContain('deposit_returned');
    expect(await ground.strays(session.paymentIntentId)).toEqual(['LATE']);
  });

  it('that arrives days later is still found and returned', async () => {
    const { gateway, openSession, prepare, transfer, balanceOf, rest } = ground;
    const refundAddress = stranger();
    const step = await prepare(await openSession(), { refundAddress });
    await gateway.passTime(86_400 * 3);
    await rest();
    await transfer(step.address, AMOUNT);
    await gateway.passTime(3_700);
    await rest();
    expect(await balanceOf(refundAddress)).toBe(AMOUNT);
  });

  it('of another token is returned at once, and the right one still pays', async () => {
    const { gateway, openSession, prepare, transfer, balanceOf, rest } = ground;
    const { usdt } = gateway.evm;
    const refundAddress = stranger();
    const session = await openSession();
    const step = await prepare(session, { refundAddress });
    await transfer(step.address, AMOUNT, usdt.address);
    await transfer(step.address, 10n ** 15n, zeroAddress);
    await rest();
    expect(await balanceOf(refundAddress, usdt.address)).toBe(AMOUNT);
    expect(await balanceOf(refundAddress, zeroAddress)).toBe(10n ** 15n);
    expect(await gateway.status(session.paymentIntentId)).toBe('CREATED');
    const events = await gateway.events(session.paymentIntentId);
    expect(events.filter((type) => type === 'mispaid')).toHaveLength(2);
    expect(await ground.strays(session.paymentIntentId)).toEqual(['MISPAID']);
    expect(events.filter((type) => type === 'deposit_returned')).toHaveLength(2);
    await transfer(step.address, AMOUNT);
    await rest();
    expect(await gateway.status(session.paymentIntentId)).toBe('CAPTURED');
  });

  it('of the native coin pays', async () => {
    const { gateway, openSession, prepare, transfer, shown, rest } = ground;
    const session = await openSession();
    const step = await prepare(session, { tokenKey: `ETH-${gateway.evm.chainId}` });
    await transfer(step.address, BigInt(step.amount), zeroAddress);
    await rest();
    expect(await gateway.status(session.paymentIntentId)).toBe('CAPTURED');
    expect(await shown(session.paymentIntentId)).toMatchObject({ received: step.amount, returned: '0' });
  });

  it('after the payment is returned', async () => {
    const { gateway, openSession, prepare, transfer, balanceOf, shown, rest } = ground;
    const refundAddress = stranger();
    const session = await openSession();
    const step = await prepare(session, { refundAddress });
    await transfer(step.address, AMOUNT);
    await rest();
    await transfer(step.address, AMOUNT);
    await rest();
    expect(await balanceOf(refundAddress)).toBe(AMOUNT);
    expect(await gateway.steps(session.paymentIntentId)).toEqual(['AUTHORIZE CONFIRMED', 'CAPTURE CONFIRMED']);
    expect(await shown(session.paymentIntentId)).toMatchObject({
      received: '20000000',
      returned: '10000000',
      held: '0',
    });
  });

  it('to each of two addresses of one intent pays once', async () => {
    const { gateway, openSession, prepare, transfer, balanceOf, rest } = ground;
    const refundAddress = stranger();
    const session = await openSession();
    const first = await prepare(session, { refundAddress });
    const second = await prepare(session, { refundAddress });
    expect(second.address).not.toBe(first.address);
    await transfer(second.address, AMOUNT);
    await transfer(first.address, AMOUNT);
    await rest();
    expect(await gateway.status(session.paymentIntentId)).toBe('CAPTURED');
    expect(await balanceOf(refundAddress)).toBe(AMOUNT);
    expect(await balanceOf(first.address)).toBe(0n);
    expect(await balanceOf(second.address)).toBe(0n);
  });

  it('for a cancelled intent is returned before its end', async () => {
    const { gateway, openSession, prepare, transfer, balanceOf, rest } = ground;
    const refundAddress = stranger();
    const session = await openSession();
    const step = await prepare(session, { refundAddress });
    await transfer(step.address, 3_000_000n);
    await rest();
    const { cancelPaymentIntent } = await import('../../../src/payments/actions/cancel-payment-intent.ts');
    await cancelPaymentIntent(gateway.action, { scope: gateway.scope, id: session.paymentIntentId });
    await rest();
    expect(await balanceOf(refundAddress)).toBe(3_000_000n);
  });

  it('below the minimum stays where it is', async () => {
    const { gateway, openSession, prepare, transfer, balanceOf, shown, rest } = ground;
    const settings = gateway.action.config.rpc[0];
    if (!settings) throw new Error('No chain is configured.');
    settings.returnMinimums = new Map([['USDC', '0.50']]);
    const refundAddress = stranger();
    const session = await openSession();
    const step = await prepare(session, { refundAddress });
    await transfer(step.address, AMOUNT + 499_999n);
    await rest();
    expect(await balanceOf(refundAddress)).toBe(0n);
    expect(await shown(session.paymentIntentId)).toMatchObject({ received: '10499999', returned: '0', held: '499999' });
    await transfer(step.address, 1n);
    await rest();
    settings.returnMinimums = undefined;
    expect(await balanceOf(refundAddress)).toBe(500_000n);
  });

  it('confirmed twice is one payment', async () => {
    const { gateway, openSession, prepare, confirm, transfer, rest } = ground;
    const session = await openSession();
    const step = await prepare(session);
    expect((await confirm(session)).status).toBe('OPEN');
    expect((await confirm(session)).status).toBe('OPEN');
    await transfer(step.address, AMOUNT);
    await rest();
    expect((await confirm(session)).status).toBe('COMPLETE');
    expect(await gateway.steps(session.paymentIntentId)).toEqual(['AUTHORIZE CONFIRMED', 'CAPTURE CONFIRMED']);
  });

  it('may have at most 20 addresses, none of them as refund address', async () => {
    const { openSession, prepare } = ground;
    const session = await openSession();
    const { address } = await prepare(session);
    await expect(prepare(session, { refundAddress: address })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ param: 'walletAddress' }],
    });
    for (let made = 1; made < 20; made += 1) await prepare(session);
    await expect(prepare(session)).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});
