/** A merchant, a chain and the projector on it, with which a test pays and acts on the contract as anybody may. */
import { type Address, erc20Abi, type Hex, keccak256, maxUint256, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { Database, PaymentIntent } from '../../prisma/client.ts';
import { type EvmNodes, openEvmNodes } from '../../src/chains/evm/nodes.ts';
import type { Registry } from '../../src/chains/registry.ts';
import { authorizeCall, type Call } from '../../src/escrow/calldata.ts';
import { readEscrowState } from '../../src/escrow/read-escrow-state.ts';
import { type PaymentTerms, termsHash, termsToJson, termsTypedData, uuidToBytes32 } from '../../src/escrow/terms.ts';
import type { FactSource } from '../../src/facts/fact-source.ts';
import { openLogSource } from '../../src/facts/log-source.ts';
import { newProjectorMemory, observeChain } from '../../src/facts/observe-chain.ts';
import type { Observation, ProjectorWorld } from '../../src/facts/projector-world.ts';
import { enqueueTransaction } from '../../src/operator/enqueue-transaction.ts';
import { paymentFactHandlers } from '../../src/payments/facts/payment-fact-handler.ts';
import type { PaymentHooks } from '../../src/payments/facts/payment-hooks.ts';
import type { PaymentKey } from '../../src/payments/payment-key.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/identifier.ts';
import { silentLog } from '../../src/platform/log.ts';
import { openEvm, type TestEvm } from '../setup/chains/evm.ts';
import { type FreshDatabase, freshDatabase } from '../setup/database/database.ts';

export type Signed = { id: Hex; terms: PaymentTerms; operatorSignature: Hex };

export type Ground = Awaited<ReturnType<typeof openGround>>;

/** `finalityBlocks`: how far the finalized block lags the head (even). */
export async function openGround(
  options: {
    chainId?: number;
    finalityBlocks?: number;
    confirmations?: number;
    /** Instead of a new chain; `chainId` and `finalityBlocks` are then its own. */
    evm?: TestEvm;
    /** Instead of one of the run's own server. */
    database?: Pick<FreshDatabase, 'database' | 'url'>;
  } = {},
) {
  const [evm, fresh] = await Promise.all([
    options.evm ?? openEvm({ chainId: options.chainId ?? 31337, slotsInAnEpoch: (options.finalityBlocks ?? 12) / 2 }),
    options.database ?? freshDatabase(),
  ]);
  const { database } = fresh;
  const registry = withConfirmations(evm.registry, options.confirmations ?? 1);
  const nodes = openEvmNodes({ registry, rpc: [evm.rpcSettings] });
  const app = await makeApp(database);
  for (const payer of evm.payers) {
    await evm.publicClient.waitForTransactionReceipt({
      hash: await evm.walletFor(payer.privateKey).writeContract({
        address: evm.usdc.address,
        abi: erc20Abi,
        functionName: 'approve',
        args: [evm.escrow, maxUint256],
      }),
    });
  }
  const source = openLogSource({ nodes, registry });
  const world = projectorWorld({ database, registry, nodes, source }, returningHooks(evm));
  const observe = (): Promise<Observation> => observeChain(world, { chainId: evm.chainId });
  return {
    evm,
    database,
    url: fresh.url,
    registry,
    nodes,
    source,
    app,
    world,
    observe,
    intent: (fields: Partial<PaymentIntent> = {}) => makeIntent(database, app.id, fields),
    sign: (intent: Pick<PaymentIntent, 'id'>, fields: Partial<PaymentTerms> = {}) =>
      signTerms(evm, database, intent, fields),
    send: (from: { privateKey: Hex }, call: Call) => send(evm, from, call),
    /** The payer sends it; answers the transaction's hash. */
    authorize: (signed: Signed) => send(evm, payerOf(evm, signed), authorizeCall({ escrow: evm.escrow, ...signed })),
    events: (resourceId?: string) => eventTypes(database, resourceId),
    state: (id: Hex) => readEscrowState({ client: evm.publicClient, escrow: evm.escrow }, { id }),
    read: (id: string) => database.paymentIntent.findUniqueOrThrow({ where: { id } }),
    held: (id: Hex) => heldInBooks(database, { chainId: evm.chainId, termsHash: id }),
  };
}

export function projectorWorld(
  base: { database: Database; registry: Registry; nodes: EvmNodes; source: FactSource },
  hooks: PaymentHooks = {},
): ProjectorWorld {
  const handlers = paymentFactHandlers({ ...base, clock: systemClock, hooks, log: silentLog });
  return { ...base, clock: systemClock, log: silentLog, handlers, memory: newProjectorMemory() };
}

/** Queues what is to go back, as the worker's hook does. */
export function returningHooks(evm: TestEvm): PaymentHooks {
  return {
    async returnPayment(tx, payment) {
      await enqueueTransaction(tx, {
        chainId: payment.chainId,
        sender: evm.operator.address,
        to: evm.escrow,
        data: '0x',
        purpose: `return:${payment.termsHash}:${payment.status}`,
      });
    },
  };
}

function withConfirmations(registry: Registry, confirmations: number): Registry {
  const changed = (chainId: number) => {
    const chain = registry.chain(chainId);
    return chain && { ...chain, confirmations };
  };
  return { ...registry, chain: changed };
}

async function makeApp(database: Database): Promise<{ id: string }> {
  const merchant = await database.merchant.create({ data: { id: newId(), name: 'Merchant' } });
  return await database.app.create({ data: { id: newId(), merchantId: merchant.id, name: 'App', mode: 'TEST' } });
}

async function makeIntent(
  database: Database,
  appId: string,
  fields: Partial<Pick<PaymentIntent, 'status' | 'captureMode' | 'customerAccountId'>>,
): Promise<PaymentIntent> {
  return await database.paymentIntent.create({
    data: {
      id: newId(),
      appId,
      amount: '10.00',
      currency: 'USD',
      customerAccountId: fields.customerAccountId ?? null,
      captureMode: fields.captureMode ?? 'AUTOMATIC',
      status: fields.status ?? 'CREATED',
      timelockDuration: 100,
      disputeStartDuration: 50,
      platformFeeBps: 100,
    },
  });
}

async function signTerms(
  evm: TestEvm,
  database: Database,
  intent: Pick<PaymentIntent, 'id'>,
  fields: Partial<PaymentTerms>,
): Promise<Signed> {
  const now = Number((await evm.publicClient.getBlock()).timestamp);
  const terms: PaymentTerms = {
    intentId: uuidToBytes32(intent.id),
    payer: evm.payers[0].address,
    merchant: evm.merchant.address,
    token: evm.usdc.address,
    amount: 10_000_000n,
    authorizeBy: now + 3600,
    captureBy: now + 7200,
    timelock: 100,
    disputeWindow: 50,
    disputeTimeout: 7 * 86_400,
    timeoutPayerBps: 10_000,
    feeBps: 100,
    feeRecipient: evm.feeRecipient.address,
    operator: evm.operator.address,
    arbiter: evm.arbiter.address,
    quoteHash: keccak256(toHex(newId())),
    captureOnAuthorize: true,
    ...fields,
  };
  const place = { chainId: evm.chainId, escrow: evm.escrow, terms };
  const operatorSignature = await privateKeyToAccount(evm.operator.privateKey).signTypedData(termsTypedData(place));
  const id = termsHash(terms);
  await database.paymentTerms.create({
    data: {
      termsHash: id,
      chainId: evm.chainId,
      paymentIntentId: intent.id,
      tokenKey: evm.usdc.key,
      method: 'DIRECT',
      terms: termsToJson(terms),
      operatorSignature,
      exchangeRate: '1',
      authorizeBy: new Date(terms.authorizeBy * 1000),
    },
  });
  return { id, terms, operatorSignature };
}

async function send(evm: TestEvm, from: { privateKey: Hex }, call: Call): Promise<Hex> {
  const hash = await evm.walletFor(from.privateKey).sendTransaction(call);
  const receipt = await evm.publicClient.waitForTransactionReceipt({ hash });
  if (receipt.status !== 'success') throw new Error(`Transaction ${hash} was reverted.`);
  return hash;
}

function payerOf(evm: TestEvm, { terms }: Signed): { privateKey: Hex; address: Address } {
  const payer = evm.payers.find((candidate) => candidate.address === terms.payer);
  if (!payer) throw new Error('No such payer.');
  return payer;
}

async function eventTypes(database: Database, resourceId?: string): Promise<string[]> {
  const events = await database.event.findMany({
    where: resourceId === undefined ? {} : { resourceId },
    orderBy: { sequence: 'asc' },
  });
  return events.map((event) => event.type.replace('payment_intent.', ''));
}

/** What the books say is in escrow; also checks that every fact's entries sum to zero. */
async function heldInBooks(database: Database, key: PaymentKey): Promise<bigint> {
  const entries = await database.ledgerEntry.findMany({ where: key });
  const total = entries.reduce((sum, entry) => sum + BigInt(entry.amount.toFixed()), 0n);
  if (total !== 0n) throw new Error(`The books of ${key.termsHash} are off by ${total}.`);
  return entries
    .filter((entry) => entry.account === 'ESCROW')
    .reduce((sum, entry) => sum + BigInt(entry.amount.toFixed()), 0n);
}
