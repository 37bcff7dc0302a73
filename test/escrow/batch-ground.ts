/** Payments and subscriptions on a chain of their own, for batches. */
import {
  type Address,
  concat,
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  maxUint256,
  padHex,
  toHex,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { callFault } from '../../src/chains/evm/classify-answer.ts';
import { approveData } from '../../src/chains/evm/erc20.ts';
import { batchAddress } from '../../src/escrow/batch/batch-bytecode.ts';
import { type BatchItem, chargeItem } from '../../src/escrow/batch/batch-item.ts';
import { evaluateItem } from '../../src/escrow/batch/evaluate-item.ts';
import { type BatchLimits, batchLimits, planBatches } from '../../src/escrow/batch/plan-batches.ts';
import { authorizeCall, disputeCall, refundCall } from '../../src/escrow/calldata.ts';
import { chargeIntentId, type RecurringConsent } from '../../src/escrow/consent.ts';
import { escrowAbi } from '../../src/escrow/escrow-abi.ts';
import { type PaymentTerms, uuidToBytes32 } from '../../src/escrow/terms.ts';
import { usdcTokenAbi } from '../../src/local/test-tokens.ts';
import { openEvm, type TestEvm } from '../setup/chains/evm.ts';

const DAY = 86_400;
const AMOUNT = 1_000_000n;

export type BatchGround = Awaited<ReturnType<typeof openBatchGround>>;
type Payment = { id: Hex; terms: PaymentTerms };

export async function openBatchGround() {
  const evm = await openEvm();
  const world = { client: evm.publicClient, batch: batchAddress, escrow: evm.escrow, callFault };
  for (const payer of evm.payers) {
    await send(evm, payer, { to: evm.usdc.address, data: approveData(evm.escrow, maxUint256) });
  }
  const opened = (changes: Partial<PaymentTerms> = {}) => open(evm, changes);
  return {
    evm,
    plan: <Item extends BatchItem>(items: readonly Item[], limits: BatchLimits = batchLimits) =>
      planBatches(world, { items, limits }),
    evaluate: (item: BatchItem, at: { gasCap?: bigint; blockHash?: Hex } = {}) => evaluateItem(world, { item, ...at }),
    /** A payment of 1 USDC by its payer, with a fee of 1 %: its timelock and dispute window are a day. */
    opened,
    captured: () => opened(),
    dispute: ({ terms }: Payment) => send(evm, evm.payers[0], disputeCall({ escrow: evm.escrow, terms })),
    refundData: ({ terms }: Payment) =>
      refundCall({ escrow: evm.escrow, terms, amount: AMOUNT, expectedLeft: AMOUNT }).data,
    /** To the escrow. */
    send: (from: { privateKey: Hex }, call: { data: Hex } | undefined) =>
      send(evm, from, { to: evm.escrow, data: call?.data ?? '0x' }),
    blacklist: (account: Address, isBlacklisted: boolean) => {
      const functionName = isBlacklisted ? 'blacklist' : 'unBlacklist';
      const data = encodeFunctionData({ abi: usdcTokenAbi, functionName, args: [account] });
      return send(evm, evm.operator, { to: evm.usdc.address, data });
    },
    balanceOf: (account: Address) =>
      evm.publicClient.readContract({
        address: evm.usdc.address,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [account],
      }),
    pass: (seconds: number) => evm.passTime(seconds),
  };
}

/**
 * A hundred subscriptions of one payer, but that the one in place `burnerAt` is of an account with code, which accepts
 * every signature until `burn` is called and then uses up all gas that it is asked with.
 */
export async function hundredCharges({ evm }: BatchGround, { burnerAt }: { burnerAt: number }) {
  const burner: Address = '0x0000000000000000000000000000000000b12e12';
  const answer = concat(['0x5f54602c577f', padHex('0x1626ba7e', { dir: 'right', size: 32 }), '0x5f5260205ff3']);
  await evm.testClient.setCode({ address: burner, bytecode: concat([answer, '0x5b602c56']) });
  await evm.testClient.setBalance({ address: burner, value: 10n ** 18n });
  const mint = encodeFunctionData({ abi: usdcTokenAbi, functionName: 'mint', args: [burner, AMOUNT] });
  await send(evm, evm.operator, { to: evm.usdc.address, data: mint });
  const items: BatchItem[] = [];
  for (let index = 0; index < 100; index += 1) {
    items.push(await chargeOf(evm, index === burnerAt ? burner : evm.payers[1].address));
  }
  await approveAs(evm, burner);
  const burn = () => evm.testClient.setStorageAt({ address: burner, index: 0, value: padHex('0x01', { size: 32 }) });
  return { items, burn };
}

/** Its code calls nobody: the node sends for it. */
async function approveAs(evm: TestEvm, account: Address): Promise<void> {
  await evm.testClient.impersonateAccount({ address: account });
  const wallet = createWalletClient({ account, chain: evm.chain, transport: http(evm.rpcUrl) });
  const hash = await wallet.sendTransaction({ to: evm.usdc.address, data: approveData(evm.escrow, maxUint256) });
  await evm.publicClient.waitForTransactionReceipt({ hash });
}

async function chargeOf(evm: TestEvm, payer: Address): Promise<BatchItem> {
  const base = { ...(await newTerms(evm)), payer };
  const { merchant, token, operator, arbiter, feeBps, feeRecipient, timelock, disputeWindow, disputeTimeout } = base;
  const consent: RecurringConsent = {
    ...{ payer, merchant, token, operator, arbiter, feeBps, feeRecipient, timelock, disputeWindow, disputeTimeout },
    subscriptionId: base.intentId,
    capPerPeriod: base.amount,
    start: base.authorizeBy - 3_600,
    unit: 1,
    count: 1,
    end: 0,
    timeoutPayerBps: base.timeoutPayerBps,
  };
  const contract = { address: evm.escrow, abi: escrowAbi } as const;
  const consentId = await evm.publicClient.readContract({ ...contract, functionName: 'consentIdOf', args: [consent] });
  const terms = { ...base, intentId: chargeIntentId(consentId, 0) };
  const id = await idOf(evm, terms);
  const types = {
    Charge: [
      { name: 'consentId', type: 'bytes32' },
      { name: 'period', type: 'uint32' },
      { name: 'id', type: 'bytes32' },
    ],
  } as const;
  const domain = { name: 'Sluice', version: '2', chainId: evm.chainId, verifyingContract: evm.escrow } as const;
  const operatorSignature = await privateKeyToAccount(evm.operator.privateKey).signTypedData({
    domain,
    types,
    primaryType: 'Charge',
    message: { consentId, period: 0, id },
  });
  const consentSignature = await signHash(evm, evm.payers[1], consentId);
  return chargeItem({ id, consent, period: 0, terms, operatorSignature, consentSignature });
}

async function newTerms(evm: TestEvm): Promise<PaymentTerms> {
  const now = Number((await evm.publicClient.getBlock()).timestamp);
  return {
    intentId: uuidToBytes32(crypto.randomUUID()),
    payer: evm.payers[0].address,
    merchant: evm.merchant.address,
    token: evm.usdc.address,
    amount: AMOUNT,
    authorizeBy: now + 3_600,
    captureBy: now + 2 * DAY,
    timelock: DAY,
    disputeWindow: DAY,
    disputeTimeout: 30 * DAY,
    timeoutPayerBps: 5_000,
    feeBps: 100,
    feeRecipient: evm.feeRecipient.address,
    operator: evm.operator.address,
    arbiter: evm.arbiter.address,
    quoteHash: toHex(0, { size: 32 }),
    captureOnAuthorize: true,
  };
}

async function open(evm: TestEvm, changes: Partial<PaymentTerms>): Promise<Payment> {
  const terms = { ...(await newTerms(evm)), ...changes };
  const id = await idOf(evm, terms);
  const operatorSignature = await signHash(evm, evm.operator, id);
  await send(evm, evm.payers[0], authorizeCall({ escrow: evm.escrow, terms, operatorSignature }));
  return { id, terms };
}

function idOf(evm: TestEvm, terms: PaymentTerms): Promise<Hex> {
  return evm.publicClient.readContract({
    address: evm.escrow,
    abi: escrowAbi,
    functionName: 'idOf',
    args: [terms],
  });
}

async function signHash(evm: TestEvm, signer: { privateKey: Hex }, structHash: Hex): Promise<Hex> {
  const hash = await evm.publicClient.readContract({
    address: evm.escrow,
    abi: escrowAbi,
    functionName: 'digestOf',
    args: [structHash],
  });
  return await privateKeyToAccount(signer.privateKey).sign({ hash });
}

async function send(evm: TestEvm, from: { privateKey: Hex }, call: { to: Address; data: Hex }): Promise<Hex> {
  const hash = await evm.walletFor(from.privateKey).sendTransaction(call);
  const receipt = await evm.publicClient.waitForTransactionReceipt({ hash });
  if (receipt.status !== 'success') throw new Error(`Transaction ${hash} was reverted.`);
  return hash;
}
