import { type Hex, keccak256 } from 'viem';
import { afterCommit, type DatabaseTransaction, type OutgoingTransaction, transaction } from '../../prisma/client.ts';
import { traced } from '../platform/request-trace.ts';
import { isBatch } from './batches/batch.ts';
import { type Fees, firstFees } from './outgoing-transaction.ts';
import type { SenderView } from './read-sender.ts';
import type { SendingWorld } from './sending-world.ts';
import { callOf } from './simulate-transaction.ts';
import { nextNonceOf, takeNonces } from './store.ts';

export type ReadyTransaction = { outgoing: OutgoingTransaction; gasLimit: bigint };

/**
 * Assigns the next nonces to queued transactions in their order, and stores their signed first attempts in one database transaction.
 * Only stored attempts are ever sent. Returns false without writing if there are none, if another pump took a nonce or a row, or while
 * the base fee is above the cap.
 */
export async function signTransactions(
  world: SendingWorld,
  { ready, view }: { ready: readonly ReadyTransaction[]; view: SenderView },
): Promise<boolean> {
  if (ready.length === 0) return false;
  const { database, chain, log } = world;
  const fees = firstFees(view.suggested, view.baseFeeWei, chain.maxFeePerGasWei);
  if (fees === null) {
    log.warn({ chainId: chain.chainId, baseFeeWei: String(view.baseFeeWei) }, 'The base fee is above the cap.');
    return false;
  }
  const counter = { chainId: chain.chainId, address: world.signer.address.toLowerCase() };
  const expected = await nextNonceOf(database, counter);
  // Someone else with the same key may have used nonces that were never assigned here.
  const first = expected === null || expected < view.nonceUsedBelow ? view.nonceUsedBelow : expected;
  const signing = await Promise.allSettled(
    ready.map(({ outgoing, gasLimit }, index) =>
      traced(outgoing.requestId, () =>
        signAttempt(world, { call: callOf(outgoing), nonce: first + BigInt(index), gasLimit, fees }),
      ),
    ),
  );
  const signed: SignedTransaction[] = [];
  for (const [index, one] of ready.entries()) {
    const signature = signing[index];
    if (signature?.status === 'fulfilled') {
      signed.push({ ...one, nonce: first + BigInt(index), attempt: signature.value });
      continue;
    }
    // Nonces must have no gap, so transactions after one that the signer refuses wait with it.
    if (signed.length === 0) throw signature?.reason;
    break;
  }
  return await transaction(database, async (tx) => {
    if (!(await takeNonces(tx, { ...counter, expected, first, count: signed.length }))) return false;
    for (const one of signed) await store(tx, world, one);
    return true;
  }).catch((error: unknown) => {
    if (error instanceof LostRow) return false;
    throw error;
  });
}

type SignedTransaction = ReadyTransaction & { nonce: bigint; attempt: Awaited<ReturnType<typeof signAttempt>> };

async function store(
  tx: DatabaseTransaction,
  { clock, hooks, log, signer }: SendingWorld,
  { outgoing, gasLimit, nonce, attempt }: SignedTransaction,
): Promise<void> {
  const { id: outgoingId, purpose, requestId } = outgoing;
  const claimed = await tx.outgoingTransaction.updateMany({
    where: { id: outgoingId, status: 'QUEUED', sender: signer.address.toLowerCase() },
    data: {
      status: 'SIGNED',
      nonce,
      txHash: attempt.hash,
      failures: 0,
      error: null,
      waitsFor: null,
      notBefore: null,
    },
  });
  // Rolls the nonces back with everything else.
  if (claimed.count !== 1) throw new LostRow();
  await tx.outgoingAttempt.create({ data: { outgoingId, nonce, gasLimit, createdAt: clock.now(), ...attempt } });
  const carried = isBatch(outgoing) ? await itemsUnderWay(tx, outgoing.id) : [outgoing];
  await traced(requestId, () =>
    hooks.onSigned(
      tx,
      carried.map((one) => ({ ...one, txHash: attempt.hash })),
    ),
  );
  afterCommit(tx, () =>
    traced(requestId, () => log.info({ outgoingId, purpose, txHash: attempt.hash }, 'A transaction is signed.')),
  );
}

async function itemsUnderWay(tx: DatabaseTransaction, batchId: string): Promise<OutgoingTransaction[]> {
  return await tx.outgoingTransaction.findMany({ where: { batchId, status: 'SENT' } });
}

class LostRow extends Error {}

type Call = { to: Hex; data: Hex; value: bigint };

/** Signs one version and returns the columns of an attempt. */
export async function signAttempt(
  { signer, chain }: Pick<SendingWorld, 'signer' | 'chain'>,
  { call, nonce, gasLimit, fees }: { call: Call; nonce: bigint; gasLimit: bigint; fees: Fees },
) {
  const raw = await signer.signTransaction({
    type: 'eip1559',
    chainId: chain.chainId,
    nonce: Number(nonce),
    gas: gasLimit,
    maxFeePerGas: fees.maxFeePerGasWei,
    maxPriorityFeePerGas: fees.maxPriorityFeePerGasWei,
    ...call,
  });
  return {
    hash: keccak256(raw),
    raw,
    maxFeePerGasWei: String(fees.maxFeePerGasWei),
    maxPriorityFeePerGasWei: String(fees.maxPriorityFeePerGasWei),
  };
}
