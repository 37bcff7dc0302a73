/** Paid calls of the scheme `escrow` from the offer to the merchant, with the real pump, chain and projector between. */
import { randomBytes } from 'node:crypto';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openSolanaNodes } from '../../../src/chains/solana/open-solana-nodes.ts';
import { cancelPaymentIntent } from '../../../src/payments/actions/cancel-payment-intent.ts';
import { refundPaymentIntent } from '../../../src/payments/actions/refund-payment-intent.ts';
import { createRequirements } from '../../../src/payments/x402/create-requirements.ts';
import { settleX402Payment } from '../../../src/payments/x402/settle-x402-payment.ts';
import { verifyX402Payment } from '../../../src/payments/x402/verify-x402-payment.ts';
import type { Offer } from '../../../src/payments/x402/x402-types.ts';
import type { X402World } from '../../../src/payments/x402/x402-world.ts';
import { type Gateway, openGateway } from '../../setup/gateway/gateway.ts';
import { gatewayFeed } from '../../setup/gateway/gateway-feed.ts';
import { answerOf, settleAtWork as settleCalls, waitUntilTaken } from './settle-at-work.ts';
import { payOffer } from './sign-escrow.ts';

vi.setConfig({ testTimeout: 240_000 });

const RESOURCE = 'https://api.example/weather';
let gateway: Gateway;
let world: X402World;
let scope: { merchantId: string; appId: string };
let payer: Gateway['evm']['payers'][number];

beforeAll(async () => {
  gateway = await openGateway();
  const { action, evm } = gateway;
  scope = { merchantId: gateway.scope.merchantId, appId: gateway.app.id };
  payer = evm.payers[0];
  world = {
    ...action,
    feed: await gatewayFeed(gateway),
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
});

beforeEach(async () => {
  const address = gateway.evm.merchant.address;
  await gateway.database.payoutAddress.upsert({
    where: { appId_family: { appId: gateway.app.id, family: 'EVM' } },
    create: { appId: gateway.app.id, family: 'EVM', address },
    update: { address },
  });
});

const offers = async (fields: object = {}) =>
  (
    await createRequirements(world, {
      scope,
      input: { price: '10.00', resource: { url: RESOURCE }, schemes: ['escrow'], maxTimeoutSeconds: 30, ...fields },
    })
  ).accepts;
const offer = async (fields: object = {}): Promise<Offer> => {
  const [first] = await offers(fields);
  if (!first) throw new Error('Nothing is offered.');
  return first;
};
const verify = (input: object) => verifyX402Payment(world, { scope, input });
const settle = (input: object) => settleX402Payment(world, { scope, input });
type Signed = Awaited<ReturnType<typeof payOffer>>;
const isTaken = async ({ termsHash }: Signed) =>
  (await gateway.database.paymentTerms.count({ where: { termsHash } })) > 0;

/** Settles while the gateway works. */
const settleAtWork = ({ body }: Signed, times = 1) =>
  settleCalls(gateway, settle, [body, ...Array.from({ length: times - 1 }, () => body)]);
const intentOf = async (id: string | null | undefined) => await gateway.read(id ?? '');

describe('an escrow payment', () => {
  it('is captured and reported as a paid call, and can be refunded', async () => {
    const signed = await payOffer(payer, await offer());
    expect(await verify(signed.body)).toMatchObject({ isValid: true, payer: payer.address });
    expect(await isTaken(signed)).toBe(false);
    const [answer] = await settleAtWork(signed);
    expect(answer).toMatchObject({
      success: true,
      network: 'eip155:31337',
      payer: payer.address,
      amount: '10000000',
      replayed: false,
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    const intent = await intentOf(answer?.paymentIntentId);
    expect(intent).toMatchObject({
      status: 'CAPTURED',
      sourceType: null,
      authorizationMethod: 'PERMIT',
      authorizationTxHash: answer?.transaction,
      x402Resource: RESOURCE,
      x402Scheme: 'escrow',
      x402Network: 'eip155:31337',
    });
    expect(await gateway.events(intent.id)).toEqual(['created', 'authorized', 'captured']);
    const created = await gateway.database.event.findFirstOrThrow({ where: { resourceId: intent.id } });
    expect(created.data).toMatchObject({ x402: { resource: RESOURCE, scheme: 'escrow', network: 'eip155:31337' } });
    expect(await gateway.remainingAmount(intent.id, { id: signed.termsHash })).toBe(10_000_000n);

    const back = await gateway.gained(async () => {
      await refundPaymentIntent(gateway.action, { scope: gateway.scope, id: intent.id, reason: 'Wrong forecast' });
      await gateway.settleDown();
    });
    expect(back).toMatchObject({ payer: 10_000_000n, merchant: 0n });
    expect(await gateway.status(intent.id)).toBe('REFUNDED');
    // The first outcome stays, and buys nothing more.
    expect(await settle(signed.body)).toMatchObject({
      success: true,
      replayed: true,
      transaction: answer?.transaction,
    });
    expect(await verify(signed.body)).toMatchObject({ isValid: false, invalidReason: 'authorization_used' });
  });

  it('is settled once by concurrent calls, of which exactly one is not replayed', async () => {
    const signed = await payOffer(payer, await offer());
    const gained = await gateway.gained(async () => {
      const answers = await settleAtWork(signed, 5);
      expect(answers.map(({ success }) => success)).toEqual([true, true, true, true, true]);
      expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
      expect(new Set(answers.map(({ transaction }) => transaction)).size).toBe(1);
    });
    expect(gained.payer).toBe(-10_000_000n);
  });

  it('is pending until the chain is read, after which a repeated call returns its outcome', async () => {
    const signed = await payOffer(payer, await offer({ maxTimeoutSeconds: 10 }));
    const first = await settle(signed.body);
    expect(first).toMatchObject({ success: false, errorReason: 'settlement_pending', retryable: true });
    expect(await verify(signed.body)).toMatchObject({ isValid: true });
    await gateway.settleDown();
    expect(await settle(signed.body)).toMatchObject({
      success: true,
      replayed: false,
      paymentIntentId: first.paymentIntentId,
    });
  }, 60_000);

  it('keeps its outcome after its quote has expired, and is rejected if it arrives too late', async () => {
    const [paid, late] = [await payOffer(payer, await offer()), await payOffer(payer, await offer())];
    await settleAtWork(paid);
    await gateway.passTime(95);
    expect(await settle(paid.body)).toMatchObject({ success: true, replayed: true });
    expect(await verify(late.body)).toMatchObject({ isValid: false, invalidReason: 'quote_expired' });
    expect(await settle(late.body)).toMatchObject({ success: false, errorReason: 'quote_expired', retryable: false });
    expect(await isTaken(late)).toBe(false);
  });

  it('pays one offer several times if the client chooses its own intentIds', async () => {
    const one = await offer();
    const ids = [1, 2].map(() => `0x${randomBytes(32).toString('hex')}` as const);
    const signed = await Promise.all(ids.map((intentId) => payOffer(payer, one, { intentId })));
    const answers = [];
    for (const each of signed) answers.push(...(await settleAtWork(each)));
    expect(answers).toMatchObject([{ success: true }, { success: true }]);
    expect(new Set(answers.map(({ paymentIntentId }) => paymentIntentId)).size).toBe(2);
    const uuid = await payOffer(payer, one, { intentId: `0x${'0'.repeat(32)}${'1'.repeat(32)}` });
    expect(await verify(uuid.body)).toMatchObject({ isValid: false, invalidReason: 'invalid_payload' });
  });

  it('is held with manual capture, and cannot be replayed after a void', async () => {
    await gateway.database.app.update({ where: { id: gateway.app.id }, data: { captureMode: 'MANUAL' } });
    const signed = await payOffer(payer, await offer());
    await gateway.database.app.update({ where: { id: gateway.app.id }, data: { captureMode: 'AUTOMATIC' } });
    const [answer] = await settleAtWork(signed);
    expect(answer).toMatchObject({ success: true, replayed: false });
    const id = answer?.paymentIntentId ?? '';
    expect(await gateway.status(id)).toBe('AUTHORIZED');
    await cancelPaymentIntent(gateway.action, { scope: gateway.scope, id });
    await gateway.settleDown();
    expect(await gateway.status(id)).toBe('CANCELLED');
    expect(await settle(signed.body)).toMatchObject({ success: true, replayed: true });
    expect(await verify(signed.body)).toMatchObject({ invalidReason: 'authorization_used' });
  });

  it('fails permanently if the payer spends the money before it is relayed', async () => {
    const poor = newWallet();
    await fund(poor.address, 10_000_000n);
    const signed = await payOffer(poor, await offer());
    const settling = settle(signed.body);
    await waitUntilTaken(gateway, signed.body);
    await spend(poor, 10_000_000n);
    for (let round = 0; round < 6; round += 1) {
      await gateway.settleDown();
      await gateway.passTime(60);
    }
    const answer = await answerOf(await settling, () => settle(signed.body));
    expect(answer).toMatchObject({ success: false, errorReason: 'transaction_failed', retryable: false });
    const { paymentIntentId } = await settle(signed.body);
    expect(await settle(signed.body)).toMatchObject({ success: false, errorReason: 'transaction_failed' });
    expect(await gateway.steps(paymentIntentId ?? '')).toEqual(['AUTHORIZE FAILED']);
  });

  it('counts towards the pending payments of a wallet', async () => {
    const poor = newWallet();
    await fund(poor.address, 15_000_000n);
    const [first, second] = [await payOffer(poor, await offer()), await payOffer(poor, await offer())];
    const settling = settle(first.body);
    await waitUntilTaken(gateway, first.body);
    expect(await verify(second.body)).toMatchObject({ isValid: false, invalidReason: 'insufficient_funds' });
    expect(await settle(second.body)).toMatchObject({ success: false, errorReason: 'insufficient_funds' });
    await gateway.settleDown();
    expect(await answerOf(await settling, () => settle(first.body))).toMatchObject({ success: true });
  });
});

describe('an escrow payment is rejected, without writing anything, for', () => {
  const refused = async (signed: Signed, reason: string) => {
    expect(await verify(signed.body)).toMatchObject({ isValid: false, invalidReason: reason });
    expect(await settle(signed.body)).toMatchObject({ success: false, errorReason: reason, transaction: '' });
    expect(await isTaken(signed)).toBe(false);
  };

  it('an authorization that differs from the offer', async () => {
    const one = await offer();
    await refused(await payOffer(payer, one, { value: 9_999_999n }), 'invalid_escrow_payload_value');
    await refused(await payOffer(payer, one, { validAfter: 1n }), 'invalid_escrow_payload_valid_after');
    await refused(await payOffer(payer, one, { validBefore: 1n }), 'invalid_escrow_payload_valid_before');
    await refused(await payOffer(payer, one, { validBefore: 9_999_999_999n }), 'invalid_escrow_payload_valid_before');
    await refused(await payOffer(payer, one, { nonce: `0x${'ab'.repeat(32)}` }), 'invalid_escrow_payload_nonce');
    await refused(await payOffer(payer, one, { to: payer.address }), 'invalid_escrow_payload_recipient');
    const other = await payOffer({ ...payer, privateKey: generatePrivateKey() }, one);
    await refused(other, 'invalid_escrow_payload_signature');
  });

  it('an offer that was changed, was not signed by the gateway, or belongs to another app', async () => {
    const one = await offer();
    const cheaper = {
      ...one,
      amount: '1',
      extra: { ...one.extra, terms: { ...(one.extra.terms as object), amount: '1' } },
    };
    await refused(await payOffer(payer, cheaper), 'invalid_quote');
    await refused(await payOffer(payer, { ...one, extra: { ...one.extra, quote: 'YQ.YQ' } }), 'invalid_quote');
    const { quote: _quote, ...unquoted } = one.extra;
    await refused(await payOffer(payer, { ...one, extra: unquoted }), 'invalid_quote');
    const merchant = await gateway.database.merchant.create({ data: { id: crypto.randomUUID(), name: 'Other' } });
    const app = await gateway.database.app.create({
      data: { id: crypto.randomUUID(), merchantId: merchant.id, name: 'Other', mode: 'TEST' },
    });
    const signed = await payOffer(payer, one);
    const others = { scope: { merchantId: merchant.id, appId: app.id }, input: signed.body };
    expect(await verifyX402Payment(world, others)).toMatchObject({ invalidReason: 'invalid_quote' });
    expect(await settleX402Payment(world, others)).toMatchObject({ errorReason: 'invalid_quote' });
    const reordered = Object.fromEntries(Object.entries(one).reverse()) as Offer;
    expect(await verify((await payOffer(payer, reordered)).body)).toMatchObject({ isValid: true });
  });

  it('a payout address that the merchant has since replaced', async () => {
    const signed = await payOffer(payer, await offer());
    await gateway.database.payoutAddress.updateMany({
      where: { appId: gateway.app.id },
      data: { address: gateway.evm.feeRecipient.address },
    });
    await refused(signed, 'pay_to_changed');
  });

  it('a chain that is paused', async () => {
    const signed = await payOffer(payer, await offer());
    await gateway.observe();
    await gateway.database.chainCursor.updateMany({ data: { pausedAt: new Date() } });
    await refused(signed, 'chain_paused');
    await expect(offer()).rejects.toMatchObject({ code: 'CHAIN_PAUSED' });
    await gateway.database.chainCursor.updateMany({ data: { pausedAt: null } });
  });

  it('a payer with an insufficient balance', async () => {
    await refused(await payOffer(newWallet(), await offer()), 'insufficient_funds');
  });
});

function newWallet() {
  const privateKey = generatePrivateKey();
  return { privateKey, address: privateKeyToAddress(privateKey) };
}

const transferAbi = [
  {
    type: 'function',
    name: 'transfer',
    stateMutability: 'nonpayable',
    inputs: [{ type: 'address' }, { type: 'uint256' }],
    outputs: [{ type: 'bool' }],
  },
] as const;

async function fund(to: `0x${string}`, amount: bigint) {
  await gateway.evm.testClient.setBalance({ address: to, value: 10n ** 18n });
  await transfer(gateway.evm.payers[1], to, amount);
}

const spend = (from: { privateKey: `0x${string}` }, amount: bigint) =>
  transfer(from, gateway.evm.payers[1].address, amount);

async function transfer(from: { privateKey: `0x${string}` }, to: `0x${string}`, amount: bigint) {
  const { evm } = gateway;
  const hash = await evm.walletFor(from.privateKey).writeContract({
    address: evm.usdc.address,
    abi: transferAbi,
    functionName: 'transfer',
    args: [to, amount],
  });
  await evm.publicClient.waitForTransactionReceipt({ hash });
}
