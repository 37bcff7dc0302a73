import { base58 } from '@scure/base';
import type { Keypair } from '@solana/web3.js';
import { type DatabaseTransaction, type OutgoingTransaction, transaction } from '../../../prisma/client.ts';
import { readVaultBalances } from '../../chains/solana/read-vault-balances.ts';
import { type PayoutPlan, payoutPlanFromText, payoutTotal } from '../../escrow/solana/payout-plan.ts';
import { vaultKeypair } from '../../escrow/solana/vault.ts';
import { retryDelayMs } from '../outgoing-transaction.ts';
import { type BuiltPayout, buildPayout } from './build-payout.ts';
import type { VaultSendingWorld } from './vault-sending-world.ts';

/** While books and vault differ, or it cannot be paid as things are, it is looked at again after this. */
const LOOK_AGAIN_MS = 2_000;
const WAIT_MS = 900_000;
/** A fee, and the rent of two token accounts: with less the operator's key pays for nothing. */
const LEAST_LAMPORTS = 5_000_000;
const NO_FUNDS_MS = 15_000;

/**
 * Signs a payout with the vault's key and stores it before anything is sent. Only while the vault holds, at the newest
 * final slot, exactly what the books say: a payout that landed unseen, or a deposit that was not read yet, is waited for,
 * so that nothing is paid twice. A payout that the node's simulation refuses is tried again, and given up after its
 * `maxFailures`.
 */
export async function signPayout(world: VaultSendingWorld, outgoing: OutgoingTransaction): Promise<void> {
  const plan = payoutPlanFromText(outgoing.data);
  const { connection, database } = world;
  const balances = await readVaultBalances(connection, [plan], outgoing.blockNumber ?? undefined);
  const balance = balances.get(plan.vault) ?? 0n;
  const booked = await world.heldInVault(plan);
  if (balance !== booked || balance < payoutTotal(plan)) {
    const error = `The vault holds ${balance}, the books say ${booked}.`;
    return await postpone(world, outgoing, { error, ms: LOOK_AGAIN_MS });
  }
  const { Keypair: Key } = await import('@solana/web3.js');
  const operator = Key.fromSecretKey(base58.decode(world.keys.operatorKey));
  const lamports = await connection.getBalance(operator.publicKey, 'confirmed');
  if (lamports < LEAST_LAMPORTS) {
    const error = `The operator's key ${operator.publicKey.toBase58()} holds ${lamports} lamports: too few to pay fees.`;
    return await postpone(world, outgoing, { error, ms: NO_FUNDS_MS });
  }
  const built = await buildPayout(connection, { plan, operator, balance });
  if (built.kind === 'WAIT') return await postpone(world, outgoing, { error: built.why, ms: WAIT_MS });
  const signed = await signTransaction(world, { plan, operator, built });
  if (signed.fault !== null) return await countFailure(world, outgoing, signed.fault);
  await transaction(database, async (tx) => {
    // An earlier attempt that landed after all is booked together with its row: then there is nothing left to pay.
    if (await isBooked(tx, outgoing)) return;
    const taken = await tx.outgoingTransaction.updateMany({
      where: { id: outgoing.id, status: 'QUEUED' },
      data: { status: 'SIGNED', txHash: signed.signature, error: null, failures: 0 },
    });
    if (taken.count === 0) return;
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
    await world.hooks.onSigned(tx, { ...outgoing, txHash: signed.signature });
  });
}

/** Its transaction is confirmed already; then it is done. */
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
  const vaultKey = vaultKeypair(keys.vaultSecret, plan.intentId);
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

async function postpone(
  { database, clock, log, chainId }: VaultSendingWorld,
  outgoing: OutgoingTransaction,
  { error, ms }: { error: string; ms: number },
): Promise<void> {
  if (outgoing.error !== error) log.warn({ chainId, purpose: outgoing.purpose, error }, 'A payout waits.');
  await database.outgoingTransaction.updateMany({
    where: { id: outgoing.id, status: 'QUEUED' },
    data: { error, notBefore: new Date(clock.now().getTime() + ms) },
  });
}

/** Refused by the node, or failed in a block: tried again, and given up for good after `maxFailures`. */
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
        notBefore: new Date(world.clock.now().getTime() + retryDelayMs(failures)),
      },
    });
    if (changed.count === 1 && isOver) await world.hooks.onFailed(tx, { ...outgoing, error });
  });
}
