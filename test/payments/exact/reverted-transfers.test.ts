/** Transfers that revert in their blocks, for which the installation pays: those of contracts are not sent again, and payers are refused. */
import type { Hex } from 'viem';
import { describe, expect, it } from 'vitest';
import { usdcTokenAbi } from '../../../src/local/test-tokens.ts';
import { hex } from '../../../src/payments/x402/exact/exact-authorization.ts';
import { deployContractWallet } from '../../setup/chains/contract-wallet.ts';
import { openX402Ground } from '../x402/x402-ground.ts';
import { openExactGround, type Signed } from './exact-ground.ts';

const limit = { timeout: 240_000 };
const ground = await openExactGround();
const { gateway } = ground;
const { evm, database } = gateway;
const [payer, stranger] = evm.payers;
const DAY_SECONDS = 86_400;

const call = (functionName: 'blacklist' | 'unBlacklist', address: Hex) =>
  evm.walletFor(stranger.privateKey).writeContract({
    address: evm.usdc.address,
    abi: usdcTokenAbi,
    functionName,
    args: [address],
  });

/** Accepts a payment whose transfer reverts in its block, because the token refuses the payer in the meantime. */
async function revertedPayment(from: Hex): Promise<Signed> {
  const signed = await ground.sign({ from, validBefore: (await ground.chainTime()) + 3_600n });
  expect(await ground.settle(signed)).toMatchObject({ reason: 'settlement_pending' });
  await evm.testClient.setAutomine(false);
  await gateway.turnPumps();
  // The node mines in the order of arrival.
  const ours = await database.outgoingAttempt.findFirstOrThrow({ orderBy: { createdAt: 'desc' } });
  await evm.testClient.dropTransaction({ hash: hex(ours.hash) });
  await call('blacklist', from);
  await evm.publicClient.sendRawTransaction({ serializedTransaction: hex(ours.raw) });
  await evm.testClient.mine({ blocks: 1 });
  await evm.testClient.setAutomine(true);
  // The first turn finds the block, and the second one reads the receipt.
  await gateway.turnPumps();
  await gateway.turnPumps();
  expect(await ground.queue(signed)).toEqual(['FAILED']);
  await evm.publicClient.waitForTransactionReceipt({ hash: await call('unBlacklist', from) });
  return signed;
}

describe('a transfer that has reverted in its block', () => {
  it('is sent again if the payer is a key', limit, async () => {
    const signed = await revertedPayment(payer.address);
    await gateway.observe();
    expect(await ground.queue(signed)).toEqual(['FAILED', 'QUEUED']);
    await gateway.settleDown();
    expect(await ground.settle(signed)).toMatchObject({ success: true });
  });

  it('is followed and not sent again if the payer is a contract', limit, async () => {
    const wallet = await deployContractWallet(evm, payer);
    const hash = await evm.walletFor(payer.privateKey).writeContract({
      address: evm.usdc.address,
      abi: usdcTokenAbi,
      functionName: 'mint',
      args: [wallet.address, 100_000n],
    });
    await evm.publicClient.waitForTransactionReceipt({ hash });
    const signed = await revertedPayment(wallet.address);
    for (let turn = 0; turn < 3; turn += 1) {
      await evm.mine(1);
      await gateway.observe();
    }
    expect(await ground.queue(signed)).toEqual(['FAILED']);
    expect(await ground.settle(signed)).toMatchObject({ reason: 'settlement_pending', retryable: true });
    const transaction = await ground.frontRun(signed);
    await gateway.settleDown();
    expect(await ground.settle(signed)).toMatchObject({ success: true, transaction });
  });
});

it('a payer is refused after three reverted transfers of unsettled payments within a day', limit, async () => {
  const { verify, pay, offer } = await openX402Ground(gateway);
  const reason = 'too_many_reverted_transfers';
  const signed = [await ground.sign(), await ground.sign(), await ground.sign()] as const;
  for (const one of signed) await ground.settle(one);
  await database.outgoingTransaction.updateMany({
    where: { status: 'QUEUED' },
    data: { status: 'FAILED', blockNumber: 1n, confirmedAt: gateway.clock.now() },
  });
  const body = await pay(payer, await offer('exact'));
  expect(await ground.settle(await ground.sign())).toMatchObject({ success: false, reason, retryable: false });
  expect(await verify(body)).toMatchObject({ isValid: false, invalidReason: reason });
  await ground.frontRun(signed[0]);
  await gateway.observe();
  expect(await ground.settle(signed[0])).toMatchObject({ success: true });
  expect(await verify(body)).toMatchObject({ isValid: true });
  await database.outgoingTransaction.updateMany({
    where: { status: 'QUEUED' },
    data: { status: 'FAILED', blockNumber: 1n, confirmedAt: gateway.clock.now() },
  });
  expect(await ground.settle(await ground.sign())).toMatchObject({ success: false, reason });
  await gateway.passTime(DAY_SECONDS + 1);
  expect(await ground.settle(await ground.sign())).toMatchObject({ reason: 'settlement_pending' });
});
