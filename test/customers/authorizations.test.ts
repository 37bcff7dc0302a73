import { erc20Abi, type Hex } from 'viem';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { refreshWallet } from '../../src/customers/refresh-wallet.ts';
import type { UnexpectedTransfer } from '../../src/customers/report-transfers.ts';
import { authorizeWithPermitCall } from '../../src/escrow/calldata.ts';
import { newProjectorMemory, observeChain } from '../../src/facts/observe-chain.ts';
import { factTable } from '../../src/main/fact-table.ts';
import { newId } from '../../src/platform/identifier.ts';
import { silentLog } from '../../src/platform/log.ts';
import { type Ground, openGround } from '../payments/ground.ts';

let ground: Ground;
let observe: () => Promise<unknown>;
let walletId: string;
const unexpected: UnexpectedTransfer[] = [];

beforeAll(async () => {
  ground = await openGround();
  const handlers = factTable({
    ...ground.world,
    log: silentLog,
    unexpectedTransfer: (transfer) => unexpected.push(transfer),
  });
  const world = { ...ground.world, handlers, memory: newProjectorMemory() };
  observe = async () => {
    await observeChain(world, { chainId: ground.evm.chainId });
    await observeChain(world, { chainId: ground.evm.chainId });
  };
  // Applies the approvals of the setup, so that each test starts without pending ones.
  await observe();
});

const payer = () => ground.evm.payers[0];

beforeEach(async () => {
  await approve(0n);
  await approve(0n, ground.evm.usdt.address);
  await observe();
  unexpected.length = 0;
  await ground.database.customerWallet.deleteMany();
  const customer = await ground.database.customerAccount.create({ data: { id: newId(), appId: ground.app.id } });
  walletId = newId();
  await ground.database.customerWallet.create({
    data: {
      id: walletId,
      customerAccountId: customer.id,
      chainId: ground.evm.chainId,
      walletAddress: payer().address,
    },
  });
});

async function call(address: Hex, functionName: 'approve' | 'transfer', to: Hex, amount: bigint): Promise<Hex> {
  const hash = await ground.evm
    .walletFor(payer().privateKey)
    .writeContract({ address, abi: erc20Abi, functionName, args: [to, amount] });
  await ground.evm.publicClient.waitForTransactionReceipt({ hash });
  return hash;
}

const approve = (amount: bigint, token: Hex = ground.evm.usdc.address) =>
  call(token, 'approve', ground.evm.escrow, amount);

const wallet = () => ground.database.customerWallet.findUniqueOrThrow({ where: { id: walletId } });
const none = { hasActiveAuthorization: false, authorizationType: null, authorizationTxHash: null, authorizedAt: null };

it('records an approval with its transaction and block time, and its revocation', async () => {
  const txHash = await approve(5_000_000n);
  await observe();
  const { blockNumber } = await ground.evm.publicClient.getTransactionReceipt({ hash: txHash });
  const block = await ground.evm.publicClient.getBlock({ blockNumber });
  expect(await wallet()).toMatchObject({
    hasActiveAuthorization: true,
    authorizationType: 'APPROVAL',
    authorizationTxHash: txHash,
    authorizedAt: new Date(Number(block.timestamp) * 1000),
  });
  await approve(0n);
  await observe();
  expect(await wallet()).toMatchObject(none);
});

it('counts any token: revoking one leaves the other with its own transaction', async () => {
  const usdt = await approve(7n, ground.evm.usdt.address);
  await approve(9n);
  await observe();
  await approve(0n);
  await observe();
  expect(await wallet()).toMatchObject({ hasActiveAuthorization: true, authorizationTxHash: usdt });
});

it('detects an allowance that a payment uses completely or in part', async () => {
  await approve(20_000_000n);
  await ground.authorize(await ground.sign(await ground.intent()));
  await observe();
  expect(await wallet()).toMatchObject({ hasActiveAuthorization: true });
  await ground.authorize(await ground.sign(await ground.intent()));
  await observe();
  expect(await wallet()).toMatchObject(none);
  expect(unexpected).toEqual([]);
});

it('classifies an approval in a relayed permit transaction as PERMIT', async () => {
  const { evm } = ground;
  const signed = await ground.sign(await ground.intent());
  const anySignature: Hex = `0x${'11'.repeat(64)}1b`;
  const { data } = authorizeWithPermitCall({
    escrow: evm.escrow,
    ...signed,
    payerSignature: anySignature,
    permitDeadline: signed.terms.authorizeBy,
    permitSignature: anySignature,
  });
  // The operator's queue lists the transaction as a relay of a permit.
  const hash = await approve(3n);
  await ground.database.outgoingTransaction.create({
    data: {
      id: newId(),
      chainId: evm.chainId,
      sender: evm.operator.address.toLowerCase(),
      toAddress: evm.escrow,
      data,
      purpose: `authorize:${signed.id}`,
      status: 'FINAL',
      txHash: hash,
      attempts: {
        create: { hash, nonce: 1n, raw: '0x', maxFeePerGasWei: 1, maxPriorityFeePerGasWei: 1, gasLimit: 1n },
      },
    },
  });
  await observe();
  expect(await wallet()).toMatchObject({ hasActiveAuthorization: true, authorizationType: 'PERMIT' });
});

it('reverts an approval when a reorganization removes its block', async () => {
  const first = await approve(4n);
  await ground.evm.mine(2);
  await observe();
  await approve(0n);
  await observe();
  expect(await wallet()).toMatchObject(none);
  await ground.evm.reorg(1);
  await ground.evm.mine(1);
  await observe();
  expect(await wallet()).toMatchObject({ hasActiveAuthorization: true, authorizationTxHash: first });
});

it('reads allowances from before the wallet was linked', async () => {
  await ground.database.customerWallet.updateMany({ data: { walletAddress: ground.evm.payers[1].address } });
  const request = { chainId: ground.evm.chainId, walletAddress: ground.evm.payers[1].address };
  await refreshWallet(ground, request);
  expect(await wallet()).toMatchObject({ hasActiveAuthorization: true, authorizationType: 'APPROVAL' });
});

it('reports unrequested tokens once and no payment', async () => {
  const txHash = await call(ground.evm.usdc.address, 'transfer', ground.evm.escrow, 42n);
  await observe();
  await observe();
  expect(unexpected).toEqual([
    {
      chainId: ground.evm.chainId,
      tokenKey: ground.evm.usdc.key,
      from: payer().address.toLowerCase(),
      amount: '42',
      txHash,
    },
  ]);
});
