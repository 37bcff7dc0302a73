/** The scheme `exact` from the offer to the outcome, through verify and settle. */
import { expect, it } from 'vitest';
import { openSolanaNodes } from '../../../src/chains/solana/open-solana-nodes.ts';
import { GatewayError } from '../../../src/errors.ts';
import { createRequirements } from '../../../src/payments/x402/create-requirements.ts';
import { settleX402Payment } from '../../../src/payments/x402/settle-x402-payment.ts';
import { verifyX402Payment } from '../../../src/payments/x402/verify-x402-payment.ts';
import type { X402World } from '../../../src/payments/x402/x402-world.ts';
import { settleAtWork } from '../x402/settle-at-work.ts';
import { openExactGround } from './exact-ground.ts';

it('verifies, settles once and reports a repetition; other servers are paid only if the app allows it', async () => {
  const ground = await openExactGround();
  const { gateway, app } = ground;
  const { action, evm, database } = gateway;
  await database.payoutAddress.create({ data: { appId: app.id, family: 'EVM', address: evm.merchant.address } });
  const world: X402World = {
    ...action,
    feed: ground.feed,
    senderAddresses: [],
    solanaNodes: openSolanaNodes({ registry: action.registry, rpc: [] }),
    config: {
      ...action.config,
      quoteSeconds: 600,
      feeRecipient: evm.feeRecipient.address,
      arbiter: { privateKey: undefined, address: evm.arbiter.address },
      solana: { vaultSecret: undefined, operatorKey: undefined, feeRecipient: undefined, custodialMainnet: false },
    },
  };
  const scope = { merchantId: app.merchantId, appId: app.id };
  const { accepts } = await createRequirements(world, {
    scope,
    input: {
      price: '0.01',
      resource: { url: 'https://api.example/weather' },
      schemes: ['exact'],
      maxTimeoutSeconds: 10,
    },
  });
  const [offer] = accepts;
  if (!offer) throw new Error('Nothing is offered.');
  const bodyOf = async (accepted: object) => {
    const { signed, signature } = await ground.sign({ value: BigInt(offer.amount) });
    const { value, validAfter, validBefore } = signed;
    const texts = { value: String(value), validAfter: String(validAfter), validBefore: String(validBefore) };
    const payload = { authorization: { ...signed, ...texts }, signature };
    const paymentPayload = { x402Version: 2, accepted, payload };
    return { x402Version: 2, paymentPayload, paymentRequirements: accepted };
  };
  const input = await bodyOf(offer);
  const verify = (asked: unknown) => verifyX402Payment(world, { scope, input: asked });
  const settle = (asked: unknown) => settleX402Payment(world, { scope, input: asked });
  expect(await verify(input)).toMatchObject({ isValid: true });
  const [first] = await settleAtWork(gateway, settle, [input]);
  expect(first).toMatchObject({ success: true, replayed: false, amount: offer.amount, network: offer.network });
  expect(await settle(input)).toEqual({ ...first, replayed: true });
  expect(await verify(input)).toMatchObject({ isValid: false, invalidReason: 'invalid_exact_evm_nonce_already_used' });
  expect(await gateway.read(first?.paymentIntentId ?? '')).toMatchObject({ status: 'SETTLED', x402Scheme: 'exact' });

  const { quote: _quote, ...extra } = offer.extra;
  const foreign = await bodyOf({ ...offer, extra });
  expect(await verify(foreign)).toMatchObject({ isValid: false, invalidReason: 'invalid_quote' });
  await database.app.update({ where: { id: app.id }, data: { x402SettlesForOthers: true, x402FeeBps: 100 } });
  expect(await verify(foreign)).toMatchObject({ isValid: true });
  const nothing = await bodyOf({ ...offer, amount: '0', extra });
  expect(await verify(nothing)).toMatchObject({ invalidReason: 'invalid_payment_requirements' });
  const [settled] = await settleAtWork(gateway, settle, [foreign]);
  expect(settled).toMatchObject({ success: true, paymentIntentId: null });
  const usdPrice = async () => {
    throw new GatewayError('PRICE_UNAVAILABLE', 'There is no fresh price.');
  };
  const unpriced = { ...world, prices: { ...world.prices, usdPrice } };
  expect(await settleX402Payment(unpriced, { scope, input: foreign })).toEqual({ ...settled, replayed: true });
  await expect(settleX402Payment(unpriced, { scope, input: await bodyOf({ ...offer, extra }) })).rejects.toThrow(
    'no fresh price',
  );
  const row = await database.exactAuthorization.findFirstOrThrow({ where: { paymentIntentId: null } });
  const events = await database.event.findMany({ where: { resourceId: row.id } });
  expect(events.map(({ type }) => type)).toEqual(['facilitated_payment.settled']);
  expect(events[0]).toMatchObject({
    data: {
      ...{ status: 'SETTLED', amount: '10000', valueUsd: '0.01', feeBps: 100, feeAmount: '100' },
      ...{ payTo: evm.merchant.address, txHash: settled?.transaction, failureReason: null },
    },
    finality: { isFinal: true },
  });
  await database.app.update({ where: { id: app.id }, data: { x402PaymentLimit: '0.00' } });
  expect(await verify(await bodyOf({ ...offer, extra }))).toMatchObject({ invalidReason: 'payment_limit_exceeded' });
}, 120_000);
