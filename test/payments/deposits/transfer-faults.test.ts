/** Plain transfers when the chain takes them back, when the gateway dies, and when what lies there cannot go back. */
import { parseAbi, zeroAddress } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { beforeAll, describe, expect, it } from 'vitest';
import { actOnDeposit } from '../../../src/payments/deposits/act-on-deposit.ts';
import { DEPOSITED } from '../../../src/payments/deposits/deposit.ts';
import { verifyPayment } from '../../../src/payments/verification/verify-payment.ts';
import { runUntilCrash } from '../../setup/gateway/crashing.ts';
import { crashingGateway } from '../../setup/gateway/crashing-gateway.ts';
import { openTransferGround, type TransferGround } from './transfer-ground.ts';

let ground: TransferGround;
beforeAll(async () => {
  ground = await openTransferGround();
  await ground.gateway.evm.mine(10);
});

const AMOUNT = 10_000_000n;
const stranger = () => privateKeyToAddress(generatePrivateKey());
const block = () => ground.gateway.evm.publicClient.getBlockNumber();

/** Lets the gateway follow until nothing is due; the pumps also look at what was mined before. */
async function confirmAll(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await ground.gateway.turnPumps();
  await ground.rest();
}

describe('a reorganization', () => {
  it('that removes a deposit before it is confirmed reverts the report', async () => {
    const deep = await openTransferGround({ confirmations: 3 });
    const { gateway, openSession, prepare, transfer, shown } = deep;
    await gateway.evm.mine(5);
    const session = await openSession();
    const step = await prepare(session);
    const before = await gateway.evm.publicClient.getBlockNumber();
    await transfer(step.address, 4_000_000n);
    await gateway.settleDown();
    expect(await gateway.events(session.paymentIntentId)).toEqual(['created', 'pending']);
    const { data, finality } = await gateway.database.event.findFirstOrThrow({
      where: { resourceId: session.paymentIntentId, type: 'payment_intent.pending' },
    });
    expect(data).toMatchObject({ transfer: { received: '4000000', amount: '10000000', address: step.address } });
    expect(finality).toEqual({ confirmations: 1, required: 3, isFinal: false });
    await gateway.evm.reorg(Number((await gateway.evm.publicClient.getBlockNumber()) - before));
    await gateway.evm.mine();
    await gateway.settleDown();
    expect(await gateway.events(session.paymentIntentId)).toEqual(['created', 'pending', 'reverted']);
    expect(await shown(session.paymentIntentId)).toMatchObject({ received: '0', returned: '0', held: '0' });
    await transfer(step.address, 1_000_000n);
    await gateway.settleDown();
    expect(await shown(session.paymentIntentId)).toMatchObject({ received: '1000000', returned: '0', held: '1000000' });
  });

  it('that removes a part of a deposit reverts the report, and a later deposit pays', async () => {
    const { gateway, openSession, prepare, transfer, shown } = ground;
    const session = await openSession();
    const step = await prepare(session);
    const before = await block();
    await transfer(step.address, 4_000_000n);
    await gateway.observe();
    await gateway.evm.reorg(Number((await block()) - before));
    await gateway.evm.mine();
    await confirmAll();
    expect(await gateway.events(session.paymentIntentId)).toEqual(['created', 'pending', 'reverted']);
    expect(await shown(session.paymentIntentId)).toMatchObject({ received: '0', returned: '0', held: '0' });
    await transfer(step.address, AMOUNT);
    await confirmAll();
    expect(await gateway.status(session.paymentIntentId)).toBe('CAPTURED');
    expect(await shown(session.paymentIntentId)).toMatchObject({ received: '10000000', returned: '0', held: '0' });
  });

  it('that removes the deposit and its collection reverts the payment, and a later deposit pays', async () => {
    const { gateway, openSession, prepare, transfer, shown } = ground;
    const session = await openSession();
    const step = await prepare(session);
    const before = await block();
    await transfer(step.address, AMOUNT);
    await confirmAll();
    expect(await gateway.status(session.paymentIntentId)).toBe('CAPTURED');
    await gateway.evm.reorg(Number((await block()) - before));
    await gateway.evm.mine();
    await confirmAll();
    expect(await gateway.status(session.paymentIntentId)).toBe('CREATED');
    expect(await gateway.events(session.paymentIntentId)).toContain('reverted');
    expect(await shown(session.paymentIntentId)).toMatchObject({ received: '0', returned: '0', held: '0' });
    await transfer(step.address, AMOUNT);
    await confirmAll();
    expect(await gateway.status(session.paymentIntentId)).toBe('CAPTURED');
    expect(await shown(session.paymentIntentId)).toMatchObject({ received: '10000000', returned: '0', held: '0' });
    const world = { ...gateway.action, logs: gateway.source };
    expect(await verifyPayment(world, { intentId: session.paymentIntentId })).toMatchObject({ verdict: 'MATCH' });
  });

  it('that removes a return has it made again, and counts it once', async () => {
    const { gateway, openSession, prepare, transfer, balanceOf, shown } = ground;
    const refundAddress = stranger();
    const session = await openSession();
    const step = await prepare(session, { refundAddress });
    await transfer(step.address, AMOUNT);
    await confirmAll();
    await transfer(step.address, 700_000n);
    await gateway.observe();
    const before = await block();
    await confirmAll();
    expect(await balanceOf(refundAddress)).toBe(700_000n);
    await gateway.evm.reorg(Number((await block()) - before));
    await gateway.evm.mine();
    expect(await balanceOf(refundAddress)).toBe(0n);
    await confirmAll();
    expect(await balanceOf(refundAddress)).toBe(700_000n);
    expect(await shown(session.paymentIntentId)).toMatchObject({ received: '10700000', returned: '700000', held: '0' });
  });
});

describe('a gateway that is killed', () => {
  it('collects once and returns the rest once, whichever step it is killed at', { timeout: 500_000 }, async () => {
    const { gateway, openSession, prepare, transfer, balanceOf, shown } = ground;
    let crashes = 0;
    for (let crashesAt = 1; ; crashesAt += crashes < 12 ? 1 : 4) {
      const refundAddress = stranger();
      const session = await openSession();
      const step = await prepare(session, { refundAddress });
      const payment = { chainId: gateway.evm.chainId, termsHash: step.termsHash };
      await transfer(step.address, AMOUNT + 5n);
      const seen = await runUntilCrash(crashesAt, (crash) => crashingGateway(gateway, crash).observe());
      await gateway.observe();
      const acted = await runUntilCrash(crashesAt, (crash) =>
        actOnDeposit(crashingGateway(gateway, crash).world, payment),
      );
      const sent = await runUntilCrash(crashesAt, (crash) => crashingGateway(gateway, crash).pump());
      await confirmAll();
      expect({ crashesAt, status: await gateway.status(session.paymentIntentId) }).toEqual({
        crashesAt,
        status: 'CAPTURED',
      });
      expect(await balanceOf(refundAddress)).toBe(5n);
      expect(await shown(session.paymentIntentId)).toMatchObject({ received: '10000005', returned: '5', held: '0' });
      const steps = await gateway.steps(session.paymentIntentId);
      expect(steps.filter((one) => one === 'AUTHORIZE CONFIRMED')).toHaveLength(1);
      const events = await gateway.events(session.paymentIntentId);
      expect(events.filter((type) => type === 'deposit_returned')).toHaveLength(1);
      expect(events.filter((type) => type === 'pending').length).toBeGreaterThanOrEqual(1);
      const facts = await gateway.database.chainFact.count({ where: { ref: step.termsHash, kind: DEPOSITED } });
      expect(facts).toBe(1);
      if (!seen.crashed && !acted.crashed && !sent.crashed) break;
      crashes += 1;
    }
    expect(crashes).toBeGreaterThan(10);
  });
});

describe('what cannot go back', () => {
  const blacklist = parseAbi(['function blacklist(address account)', 'function unBlacklist(address account)']);

  it('is reported as stuck, costs no gas, and is returned once possible', async () => {
    const { gateway, openSession, prepare, transfer, balanceOf } = ground;
    const { evm, database } = gateway;
    const wallet = evm.walletFor(evm.payers[2].privateKey);
    const ban = async (functionName: 'blacklist' | 'unBlacklist', account: `0x${string}`) => {
      const hash = await wallet.writeContract({
        address: evm.usdc.address,
        abi: blacklist,
        functionName,
        args: [account],
      });
      await evm.publicClient.waitForTransactionReceipt({ hash });
    };
    const refundAddress = stranger();
    const session = await openSession();
    const step = await prepare(session, { refundAddress });
    await transfer(step.address, AMOUNT + 9n);
    await ban('blacklist', refundAddress);
    await confirmAll();
    const read = () => database.depositAddress.findFirstOrThrow({ where: { termsHash: step.termsHash } });
    expect(await gateway.status(session.paymentIntentId)).toBe('CAPTURED');
    const stuck = await read();
    expect(stuck.stuckSince).not.toBeNull();
    expect(stuck.stuckReason).toContain('DepositNotSent');
    const sent = await database.outgoingTransaction.count({ where: { purpose: { contains: step.termsHash } } });
    await ban('unBlacklist', refundAddress);
    await gateway.passTime(3_600);
    await confirmAll();
    expect(sent).toBe(0);
    expect(await balanceOf(refundAddress)).toBe(9n);
    expect(await read()).toMatchObject({ stuckSince: null, stuckReason: null });
  });

  it('to a contract that reverts in blocks only is sent more and more rarely', async () => {
    const { gateway, openSession, prepare, transfer } = ground;
    const { evm, database } = gateway;
    const wallet = evm.walletFor(evm.payers[1].privateKey);
    // Accepts the coin if GASPRICE is zero, as in a simulation, and otherwise burns all gas.
    const hash = await wallet.deployContract({ abi: [], bytecode: '0x673a15600657fe5b005f5260086018f3' });
    const { contractAddress } = await evm.publicClient.waitForTransactionReceipt({ hash });
    if (!contractAddress) throw new Error('No contract was deployed.');
    const session = await openSession();
    const step = await prepare(session, { tokenKey: `ETH-${evm.chainId}`, refundAddress: contractAddress });
    await gateway.passTime(5_500);
    await confirmAll();
    await transfer(step.address, 5_000n, zeroAddress);
    const sent = () => database.outgoingTransaction.findMany({ where: { purpose: { contains: step.termsHash } } });
    for (let round = 0; round < 3; round += 1) await confirmAll();
    expect((await sent()).map(({ status }) => status)).toEqual(['FAILED']);
    const stuck = await database.depositAddress.findFirstOrThrow({ where: { termsHash: step.termsHash } });
    expect(stuck.stuckReason).toContain('failed in their blocks');
    await gateway.passTime(3_600);
    for (let round = 0; round < 3; round += 1) await confirmAll();
    expect((await sent()).map(({ status }) => status)).toEqual(['FAILED', 'FAILED']);
    await gateway.passTime(3_600);
    await confirmAll();
    expect(await sent()).toHaveLength(2);
  });

  it('for an unregistered token is left alone and reported to nobody', async () => {
    const { gateway, openSession, prepare, transfer } = ground;
    const { usdcTokenAbi, usdcTokenCreationCode } = await import('../../../src/local/test-tokens.ts');
    const { evm } = gateway;
    const wallet = evm.walletFor(evm.payers[1].privateKey);
    const hash = await wallet.deployContract({ abi: usdcTokenAbi, bytecode: usdcTokenCreationCode });
    const { contractAddress } = await evm.publicClient.waitForTransactionReceipt({ hash });
    if (!contractAddress) throw new Error('No contract was deployed.');
    const session = await openSession();
    const step = await prepare(session);
    const minted = await wallet.writeContract({
      address: contractAddress,
      abi: usdcTokenAbi,
      functionName: 'mint',
      args: [evm.payers[1].address, 5n],
    });
    await evm.publicClient.waitForTransactionReceipt({ hash: minted });
    await transfer(step.address, 5n, contractAddress);
    await confirmAll();
    expect(await gateway.events(session.paymentIntentId)).toEqual(['created']);
  });
});
