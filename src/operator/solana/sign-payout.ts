import { base58 } from '@scure/base';
import type { Keypair } from '@solana/web3.js';
import {
  type DatabaseTransaction,
  type OutgoingTransaction,
  type OutgoingWait,
  transaction,
} from '../../../prisma/client.ts';
import { readVaultBalances } from '../../chains/solana/read-vault-balances.ts';
import { type PayoutPlan, payoutPlanFromText, payoutPlanToText, payoutTotal } from '../../escrow/solana/payout-plan.ts';
import { keeperKeypair, type VaultKeypair, vaultKeypair } from '../../escrow/solana/vault.ts';
import { retryDelayMs } from '../outgoing-transaction.ts';
import { type BuiltPayout, buildPayout } from './build-payout.ts';
import type { KeepersAtWork } from './keepers-at-work.ts';
import type { VaultSendingWorld } from './vault-sending-world.ts';

/** While ledger and vault differ, or it cannot be paid at present, it is checked again after this time. */
export const LOOK_AGAIN_MS = 2_000;
const WAIT_MS = 900_000;
/** A fee and the rent of two token accounts. With a lower balance, the operator's key sends no payouts. */
const LEAST_LAMPORTS = 5_000_000;
const NO_FUNDS_MS = 15_000;

/**
 * Signs a payout with the vault's key and stores it before anything is sent. It does so only while the vault's balance at the newest
 * final slot equals the ledger: it waits for a payout that landed unnoticed or a deposit that was not read yet, so that nothing is paid
 * twice. An account of kept shares may hold more than the ledger requires, at least its reserve, and never less. A payout that the node's
 * simulation refuses is retried, and abandoned after its `maxFailures`. Returns what was signed, or null.
 */
export async function signPayout(
  world: VaultSendingWorld,
  outgoing: OutgoingTransaction,
  atWork: KeepersAtWork,
): Promise<{ data: string; attempts: { raw: string }[] } | null> {
  const plan = await planOf(world, outgoing);
  if (plan === null) return null;
  const { connection } = world;
  const balances = await readVaultBalances(connection, [plan], outgoing.blockNumber ?? undefined);
  const balance = balances.get(plan.vault) ?? 0n;
  const booked = plan.keptFor === null ? await world.heldInVault(plan) : payoutTotal(plan);
  const differs = plan.keptFor === null ? balance !== booked : balance < booked;
  if (differs || balance < payoutTotal(plan)) {
    const error = `The vault holds ${balance}, the books say ${booked}.`;
    return await postpone(world, outgoing, { error, ms: LOOK_AGAIN_MS });
  }
  const { Keypair: Key } = await import('@solana/web3.js');
  const operator = Key.fromSecretKey(base58.decode(world.keys.operatorKey));
  const lamports = await connection.getBalance(operator.publicKey, 'confirmed');
  if (lamports < LEAST_LAMPORTS) {
    const error = `The operator's key ${operator.publicKey.toBase58()} holds ${lamports} lamports: too few to pay fees.`;
    return await wait(world, outgoing, { error, ms: NO_FUNDS_MS, waitsFor: 'GAS' });
  }
  const built = await buildPayout(connection, { plan, operator, balance, atWork });
  if (built.kind === 'AFTER') return await postpone(world, outgoing, { error: built.why, ms: LOOK_AGAIN_MS });
  if (built.kind === 'WAIT') {
    return await wait(world, outgoing, { error: built.why, ms: WAIT_MS, waitsFor: built.waitsFor });
  }
  const signed = await signTransaction(world, { plan, operator, built });
  if (signed.fault !== null) {
    await countFailure(world, outgoing, signed.fault);
    return null;
  }
  const data = payoutPlanToText(plan);
  const isStored = await store(world, { outgoing, data, signed });
  return isStored ? { data, attempts: [{ raw: signed.raw }] } : null;
}

/**
 * Returns the plan with the accounts that keep what a wallet cannot receive, and for a delivery with everything that is kept by now.
 * Null if nothing is left to deliver or an earlier delivery is not booked yet.
 */
async function planOf(world: VaultSendingWorld, outgoing: OutgoingTransaction): Promise<PayoutPlan | null> {
  const plan = payoutPlanFromText(outgoing.data);
  const { keptFor, mint } = plan;
  if (keptFor === null) {
    if (mint !== null) return plan;
    const { vaultSecret } = world.keys;
    return {
      ...plan,
      transfers: plan.transfers.map((one) => ({ ...one, keptAt: keeperKeypair(vaultSecret, one.to).address })),
    };
  }
  const { recipient } = keptFor;
  const amount = await world.keptFor({ recipient, mint });
  if (amount === null) {
    const error = `What was delivered to ${recipient} is not booked yet.`;
    return await postpone(world, outgoing, { error, ms: LOOK_AGAIN_MS });
  }
  if (amount > 0n) return { ...plan, transfers: [{ to: recipient, amount, opensAccount: true, keptAt: null }] };
  await world.database.outgoingTransaction.updateMany({
    where: { id: outgoing.id, status: 'QUEUED' },
    data: { status: 'CANCELLED', error: `Nothing is kept for ${recipient} any longer.` },
  });
  return null;
}

/** Returns false if it was booked, dropped or signed in the meantime. */
async function store(
  world: VaultSendingWorld,
  { outgoing, data, signed }: { outgoing: OutgoingTransaction; data: string; signed: Signed },
): Promise<boolean> {
  return await transaction(world.database, async (tx) => {
    // An earlier attempt that landed after all is booked together with its row, and nothing is left to pay.
    if (await isBooked(tx, outgoing)) return false;
    const taken = await tx.outgoingTransaction.updateMany({
      where: { id: outgoing.id, status: 'QUEUED' },
      data: { status: 'SIGNED', data, txHash: signed.signature, error: null, waitsFor: null, failures: 0 },
    });
    if (taken.count === 0) return false;
    await tx.outgoingAttempt.create({
      data: {
        hash: signed.signature,
        outgoingId: outgoing.id,
        nonce: 0n,
        raw: signed.raw,
        maxFeePerGasWei: 0,
        maxPriorityFeePerGasWei: 0,
        gasLimit: 0n,
        expiresAtHeight: signed.expiresAtHeight,
        createdAt: world.clock.now(),
      },
    });
    await world.hooks.onSigned(tx, [{ ...outgoing, txHash: signed.signature }]);
    return true;
  });
}

/** Whether its transaction is confirmed already, and it is done. */
async function isBooked(tx: DatabaseTransaction, outgoing: OutgoingTransaction): Promise<boolean> {
  if (outgoing.transactionId === null) return false;
  const row = await tx.transaction.findUnique({ where: { id: outgoing.transactionId } });
  if (row?.status !== 'CONFIRMED') return false;
  await tx.outgoingTransaction.updateMany({
    where: { id: outgoing.id, status: 'QUEUED' },
    data: { status: 'FINAL', txHash: row.txHash, blockNumber: row.blockNumber, error: null },
  });
  return true;
}

type Signed = { signature: string; raw: string; expiresAtHeight: bigint; fault: string | null };

async function signTransaction(
  { connection, keys }: VaultSendingWorld,
  request: { plan: PayoutPlan; operator: Keypair; built: BuiltPayout & { kind: 'READY' } },
): Promise<Signed> {
  const { Keypair: Key, TransactionMessage, VersionedTransaction } = await import('@solana/web3.js');
  const { plan, operator, built } = request;
  const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash('confirmed');
  const message = new TransactionMessage({
    payerKey: operator.publicKey,
    recentBlockhash: blockhash,
    instructions: built.instructions,
  });
  const vaultKey = vaultKeyOf(keys.vaultSecret, plan);
  if (vaultKey.address !== plan.vaultOwner) {
    throw new Error(`SOLANA_VAULT_SECRET is not the one that vault ${plan.vault} was derived from.`);
  }
  const signed = new VersionedTransaction(message.compileToV0Message());
  signed.sign([operator, Key.fromSecretKey(vaultKey.secretKey)]);
  const simulated = await connection.simulateTransaction(signed, { commitment: 'confirmed' });
  return {
    signature: base58.encode(signed.signatures[0] ?? new Uint8Array()),
    raw: Buffer.from(signed.serialize()).toString('base64'),
    expiresAtHeight: BigInt(lastValidBlockHeight),
    fault: simulated.value.err === null ? null : JSON.stringify(simulated.value.err),
  };
}

function vaultKeyOf(vaultSecret: string, { intentId, keptFor }: PayoutPlan): VaultKeypair {
  if (keptFor !== null) return keeperKeypair(vaultSecret, keptFor.recipient);
  if (intentId === null) throw new Error('A payout has neither an intent nor a recipient of kept shares.');
  return vaultKeypair(vaultSecret, intentId);
}

type Delay = { error: string; ms: number };

/** Postpones a payout for `ms` because of a temporary condition that needs no action, such as another pending payout. */
async function postpone(
  { database, clock, log, chainId }: VaultSendingWorld,
  outgoing: OutgoingTransaction,
  { error, ms }: Delay,
): Promise<null> {
  if (outgoing.error !== error) log.warn({ chainId, purpose: outgoing.purpose, error }, 'A payout is waiting.');
  await database.outgoingTransaction.updateMany({
    where: { id: outgoing.id, status: 'QUEUED' },
    data: { error, waitsFor: null, notBefore: new Date(clock.now().getTime() + ms) },
  });
  return null;
}

/** Waits for someone to act, and reports the reason to subscribers of the payment. */
async function wait(
  world: VaultSendingWorld,
  outgoing: OutgoingTransaction,
  { error, ms, waitsFor }: Delay & { waitsFor: OutgoingWait },
): Promise<null> {
  const { database, clock, log, chainId, hooks } = world;
  if (outgoing.error !== error) log.warn({ chainId, purpose: outgoing.purpose, error }, 'A payout is waiting.');
  await transaction(database, async (tx) => {
    const waiting = await tx.outgoingTransaction.updateMany({
      where: { id: outgoing.id, status: 'QUEUED' },
      data: {
        error,
        waitsFor,
        waitsSince: outgoing.waitsSince ?? clock.now(),
        notBefore: new Date(clock.now().getTime() + ms),
      },
    });
    if (waiting.count === 1) await hooks.onWaiting?.(tx, { ...outgoing, error });
  });
  return null;
}

/** Handles a payout that the node refused or that failed in a block. It is retried, and abandoned permanently after `maxFailures`. */
export async function countFailure(
  world: VaultSendingWorld,
  outgoing: OutgoingTransaction,
  error: string,
): Promise<void> {
  const failures = outgoing.failures + 1;
  const isOver = failures >= outgoing.maxFailures;
  await transaction(world.database, async (tx) => {
    const changed = await tx.outgoingTransaction.updateMany({
      where: { id: outgoing.id, status: outgoing.status },
      data: {
        status: isOver ? 'FAILED' : 'QUEUED',
        failures,
        error,
        waitsFor: null,
        notBefore: new Date(world.clock.now().getTime() + retryDelayMs(failures)),
      },
    });
    if (changed.count === 1 && isOver) await world.hooks.onFailed(tx, { ...outgoing, error });
  });
}
