/** Authorizations that may still be used although a call of the gateway has failed, and calls that overlap. */
import { erc20Abi, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { describe, expect, it, vi } from 'vitest';
import type { Database } from '../../../prisma/client.ts';
import { hex } from '../../../src/payments/x402/exact/exact-authorization.ts';
import { settleX402Payment } from '../../../src/payments/x402/settle-x402-payment.ts';
import { verifyX402Payment } from '../../../src/payments/x402/verify-x402-payment.ts';
import type { X402World } from '../../../src/payments/x402/x402-world.ts';
import { openGateway } from '../../setup/gateway/gateway.ts';
import { answerOf, waitUntilTaken } from './settle-at-work.ts';
import { openX402Ground } from './x402-ground.ts';

vi.setConfig({ testTimeout: 240_000 });

const gateway = await openGateway();
const ground = await openX402Ground(gateway);
const { evm, database } = gateway;
const { world, scope } = ground;
const [payer, rich] = evm.payers;
const schemes = ['exact', 'escrow'] as const;
/** The shortest time that a caller waits, so that pending answers do not take long. */
const briefly = { maxTimeoutSeconds: 10 };
const PRICE = 10_000_000n;

const settle = (own: Partial<X402World>, input: object) => settleX402Payment({ ...world, ...own }, { scope, input });
const verify = (own: Partial<X402World>, input: object) => verifyX402Payment({ ...world, ...own }, { scope, input });

/** Nodes that are asked after `before` has ended. */
const askedAfter = (before: () => Promise<unknown>): X402World['nodes'] => ({
  ...world.nodes,
  async asking(chainId, work) {
    await before();
    return await world.nodes.asking(chainId, work);
  },
});

/** Nodes that are asked once another call has taken the payment. `first` is that call. */
function askedDuringSettlement(body: Parameters<typeof ground.settle>[0]) {
  let settling: ReturnType<typeof ground.settle> | undefined;
  const nodes = askedAfter(async () => {
    settling ??= ground.settle(body);
    await waitUntilTaken(gateway, body);
  });
  const first = () => {
    if (!settling) throw new Error('No node was asked.');
    return settling;
  };
  return { nodes, first };
}

async function newWallet(balance: bigint) {
  const privateKey = generatePrivateKey();
  const wallet = { privateKey, address: privateKeyToAddress(privateKey) };
  await evm.testClient.setBalance({ address: wallet.address, value: 10n ** 18n });
  await mined(await transfer(rich, wallet.address, balance));
  return wallet;
}

const transfer = (from: { privateKey: Hex }, to: Hex, amount: bigint) =>
  evm.walletFor(from.privateKey).writeContract({
    address: evm.usdc.address,
    abi: erc20Abi,
    functionName: 'transfer',
    args: [to, amount],
  });

const mined = (hash: Hex) => evm.publicClient.waitForTransactionReceipt({ hash });

/** Takes an escrow payment whose relay reverts in its block, because the payer has spent the money in the meantime. */
async function withRevertedRelay() {
  const poor = await newWallet(PRICE);
  const body = await ground.pay(poor, await ground.offer('escrow', briefly));
  const settling = ground.settle(body);
  await waitUntilTaken(gateway, body);
  await evm.testClient.setAutomine(false);
  await gateway.turnPumps();
  // The node mines in the order of arrival.
  const ours = await database.outgoingAttempt.findFirstOrThrow({ orderBy: { createdAt: 'desc' } });
  await evm.testClient.dropTransaction({ hash: hex(ours.hash) });
  await transfer(poor, rich.address, PRICE);
  await evm.publicClient.sendRawTransaction({ serializedTransaction: hex(ours.raw) });
  await evm.testClient.mine({ blocks: 1 });
  await evm.testClient.setAutomine(true);
  await gateway.settleDown();
  const first = await settling;
  expect(first).toMatchObject({ success: false, errorReason: 'settlement_pending', retryable: true });
  expect(await gateway.steps(first.paymentIntentId ?? '')).toEqual(['AUTHORIZE FAILED']);
  const outgoing = await database.outgoingTransaction.findUniqueOrThrow({ where: { id: ours.outgoingId } });
  expect(outgoing.status).toBe('FAILED');
  return { poor, body, outgoing, paymentIntentId: first.paymentIntentId ?? '' };
}

describe('an escrow payment whose relay has reverted', () => {
  it('stays pending, and is charged once if somebody else sends the authorization', async () => {
    const { poor, body, outgoing, paymentIntentId } = await withRevertedRelay();
    await mined(await transfer(rich, poor.address, PRICE));
    const call = { to: hex(outgoing.toAddress), data: hex(outgoing.data) };
    const hash = await evm.walletFor(rich.privateKey).sendTransaction(call);
    await mined(hash);
    await gateway.settleDown();
    const paid = { success: true, replayed: false, transaction: hash, paymentIntentId };
    expect(await ground.settle(body)).toMatchObject(paid);
    expect(await gateway.status(paymentIntentId)).toBe('CAPTURED');
  });

  it('has failed once the authorization has expired', async () => {
    const { body } = await withRevertedRelay();
    expect(await ground.verify(body)).toMatchObject({ isValid: true });
    await gateway.passTime(300);
    await gateway.observe();
    const failed = { success: false, errorReason: 'transaction_failed', retryable: false };
    expect(await ground.settle(body)).toMatchObject(failed);
    expect(await ground.verify(body)).toMatchObject({ isValid: false, invalidReason: 'transaction_failed' });
  });
});

it('an exact payment that has failed is not valid', async () => {
  const body = await ground.pay(payer, await ground.offer('exact', briefly));
  const settling = ground.settle(body);
  await waitUntilTaken(gateway, body);
  expect(await ground.verify(body)).toMatchObject({ isValid: true });
  await database.outgoingTransaction.updateMany({ where: { status: 'QUEUED' }, data: { status: 'CANCELLED' } });
  await gateway.passTime(700);
  await gateway.observe();
  const reason = 'invalid_exact_evm_payload_authorization_valid_before';
  expect(await answerOf(await settling, () => ground.settle(body))).toMatchObject({ errorReason: reason });
  expect(await ground.verify(body)).toMatchObject({ isValid: false, invalidReason: reason });
});

it('a repeated call of an escrow payment does not count the payment itself as under way', async () => {
  const poor = await newWallet(PRICE);
  const body = await ground.pay(poor, await ground.offer('escrow', briefly));
  const { nodes, first } = askedDuringSettlement(body);
  const verifying = verify({ nodes }, body);
  expect(await verifying).toMatchObject({ isValid: true });
  const repeated = settle({ nodes }, body);
  await gateway.settleDown();
  const answers = [await answerOf(await first(), () => ground.settle(body)), await repeated];
  expect(answers).toMatchObject([{ success: true }, { success: true }]);
});

it('a call of an escrow payment that overlaps with another follows it', async () => {
  const poor = await newWallet(PRICE);
  const body = await ground.pay(poor, await ground.offer('escrow', briefly));
  const { nodes, first } = askedDuringSettlement(body);
  const overlapping = settle({ nodes }, body);
  await waitUntilTaken(gateway, body);
  await gateway.settleDown();
  const answers = [await answerOf(await first(), () => ground.settle(body)), await overlapping];
  expect(answers).toMatchObject([{ success: true }, { success: true }]);
  expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
});

describe.each(schemes)('a payment by %s around the expiry of its quote', (scheme) => {
  it('is not taken by a call that began in time and writes too late', async () => {
    const body = await ground.pay(payer, await ground.offer(scheme, briefly));
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const late = settle({ nodes: askedAfter(() => answered) }, body);
    await gateway.passTime(75);
    answer();
    expect(await late).toMatchObject({ errorReason: 'quote_expired', transaction: '' });
    expect(await ground.verify(body)).toMatchObject({ isValid: false, invalidReason: 'quote_expired' });
  });

  it('is followed by a late call that did not find it at first', async () => {
    const body = await ground.pay(payer, await ground.offer(scheme, briefly));
    let first: ReturnType<typeof ground.settle> | undefined;
    const takenMeanwhile = async <Found>(found: Found): Promise<Found> => {
      first ??= ground.settle(body);
      await waitUntilTaken(gateway, body);
      return found;
    };
    const extended = database.$extends({
      query: {
        paymentTerms: { findMany: async ({ args, query }) => takenMeanwhile(await query(args)) },
        exactAuthorization: { findUnique: async ({ args, query }) => takenMeanwhile(await query(args)) },
      },
    });
    const clock = { now: () => new Date(gateway.clock.now().getTime() + 75_000) };
    const late = settle({ clock, database: extended as unknown as Database }, body);
    await waitUntilTaken(gateway, body);
    await gateway.settleDown();
    const answers = [await answerOf(await first, () => ground.settle(body)), await late];
    expect(answers).toMatchObject([{ success: true }, { success: true }]);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });
});
