import { type Hex, keccak256 } from 'viem';
import { afterCommit, type OutgoingTransaction, transaction } from '../../prisma/client.ts';
import { type Fees, firstFees } from './outgoing-transaction.ts';
import type { SenderView } from './read-sender.ts';
import type { SendingWorld } from './sending-world.ts';
import { callOf } from './simulate-transaction.ts';
import { nextNonceOf, takeNonce } from './store.ts';

/**
 * Gives a queued transaction the next nonce and stores its first attempt, signed, in one transaction: what is stored may
 * be sent, and nothing else ever is. Answers its hash; null where another pump took nonce or row, or while the base fee
 * is above the cap.
 */
export async function signTransaction(
  world: SendingWorld,
  { outgoing, gasLimit, view }: { outgoing: OutgoingTransaction; gasLimit: bigint; view: SenderView },
): Promise<Hex | null> {
  const { database, chain, clock, hooks, log } = world;
  const fees = firstFees(view.suggested, view.baseFeeWei, chain.maxFeePerGasWei);
  if (fees === null) {
    log.warn({ chainId: chain.chainId, baseFeeWei: String(view.baseFeeWei) }, 'The base fee is above the cap.');
    return null;
  }
  const counter = { chainId: chain.chainId, address: world.signer.address.toLowerCase() };
  const expected = await nextNonceOf(database, counter);
  // Somebody else with the same key may have used nonces that we never gave out.
  const nonce = expected === null || expected < view.nonceUsedBelow ? view.nonceUsedBelow : expected;
  const attempt = await signAttempt(world, { call: callOf(outgoing), nonce, gasLimit, fees });
  return await transaction(database, async (tx) => {
    if (!(await takeNonce(tx, { ...counter, expected, nonce }))) return null;
    const claimed = await tx.outgoingTransaction.updateMany({
      where: { id: outgoing.id, status: 'QUEUED' },
      data: { status: 'SIGNED', nonce, txHash: attempt.hash, failures: 0, error: null, notBefore: null },
    });
    // Rolls the nonce back with everything else.
    if (claimed.count !== 1) throw new LostRow();
    await tx.outgoingAttempt.create({
      data: { outgoingId: outgoing.id, nonce, gasLimit, createdAt: clock.now(), ...attempt },
    });
    await hooks.onSigned(tx, { ...outgoing, txHash: attempt.hash });
    const { id: outgoingId, purpose } = outgoing;
    afterCommit(tx, () => log.info({ outgoingId, purpose, txHash: attempt.hash }, 'A transaction is signed.'));
    return attempt.hash;
  }).catch((error: unknown) => {
    if (error instanceof LostRow) return null;
    throw error;
  });
}

class LostRow extends Error {}

type Call = { to: Hex; data: Hex; value: bigint };

/** Signs one version, as the columns of an attempt. */
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
