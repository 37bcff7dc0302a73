import type { OutgoingAttempt } from '../../prisma/client.ts';
import { callFault } from '../chains/evm/classify-answer.ts';
import { raisedFees, TRANSFER_GAS } from './outgoing-transaction.ts';
import type { SenderView } from './read-sender.ts';
import type { SendingWorld } from './sending-world.ts';
import { signAttempt } from './sign-transactions.ts';
import { callOf, gasLimitOf } from './simulate-transaction.ts';
import type { OpenOutgoing } from './store.ts';

/**
 * Replaces stuck transactions by attempts with the same nonce and higher fees, stored before they are sent. A transaction is stuck if it
 * pays less than the base fee, or if it has been the first in nonce order for some time. A stuck transaction whose simulation now
 * reverts is abandoned: an empty transfer to the sender uses its nonce.
 */
export async function raiseFees(
  world: SendingWorld,
  { view, unmined }: { view: SenderView; unmined: readonly OpenOutgoing[] },
): Promise<void> {
  for (const [position, outgoing] of unmined.entries()) {
    const last = outgoing.attempts.at(-1);
    if (!last || outgoing.nonce === null || outgoing.nonce < view.nonceUsedBelow) continue;
    if (outgoing.attempts.length >= world.limits.attempts) continue;
    // A transaction that was just abandoned is replaced at once, regardless of its age.
    const isSettled = last.cancels || outgoing.abandonedAt === null;
    if (isSettled && !isStuck(world, { last, view, isHead: position === 0 })) continue;
    await replace(world, { outgoing, last, view });
  }
}

function isStuck(
  { clock, limits }: SendingWorld,
  { last, view, isHead }: { last: OutgoingAttempt; view: SenderView; isHead: boolean },
): boolean {
  const age = clock.now().getTime() - last.createdAt.getTime();
  const isBelowBaseFee = BigInt(last.maxFeePerGasWei.toFixed(0)) < view.baseFeeWei;
  // The node refused it, so waiting would not help.
  if (isBelowBaseFee && last.sentAt === null) return true;
  return age >= limits.replaceAfterMs && (isBelowBaseFee || isHead);
}

async function replace(
  world: SendingWorld,
  { outgoing, last, view }: { outgoing: OpenOutgoing; last: OutgoingAttempt; view: SenderView },
): Promise<void> {
  const { database, chain, clock, log, signer } = world;
  const fees = raisedFees(
    {
      maxFeePerGasWei: BigInt(last.maxFeePerGasWei.toFixed(0)),
      maxPriorityFeePerGasWei: BigInt(last.maxPriorityFeePerGasWei.toFixed(0)),
    },
    view.suggested,
    chain.maxFeePerGasWei,
  );
  const fields = { outgoingId: outgoing.id, purpose: outgoing.purpose, nonce: String(outgoing.nonce) };
  if (fees === null || outgoing.nonce === null) {
    log.warn(fields, 'A transaction is stuck and its fees have reached the cap.');
    return;
  }
  const reason = outgoing.abandonedAt === null ? await revertReason(world, outgoing) : outgoing.error;
  const cancels = reason !== null || last.cancels || outgoing.abandonedAt !== null;
  const gasLimit = cancels ? TRANSFER_GAS : last.gasLimit;
  const call = cancels ? ({ to: signer.address, data: '0x', value: 0n } as const) : callOf(outgoing);
  const attempt = await signAttempt(world, { call, nonce: outgoing.nonce, gasLimit, fees });
  await database.$transaction(async (tx) => {
    const claimed = await tx.outgoingTransaction.updateMany({
      where: { id: outgoing.id, status: { in: ['SIGNED', 'SENT'] }, nonce: outgoing.nonce },
      data: {
        status: 'SIGNED',
        ...(cancels && outgoing.abandonedAt === null ? { abandonedAt: clock.now(), error: reason } : {}),
      },
    });
    if (claimed.count !== 1) return;
    await tx.outgoingAttempt.create({
      data: {
        outgoingId: outgoing.id,
        nonce: outgoing.nonce ?? 0n,
        gasLimit,
        cancels,
        createdAt: clock.now(),
        ...attempt,
      },
    });
  });
  log.warn({ ...fields, cancels, maxFeePerGasWei: attempt.maxFeePerGasWei }, 'A stuck transaction is replaced.');
}

/** Returns why the stuck transaction would revert now, or null if it would succeed. */
async function revertReason(world: SendingWorld, outgoing: OpenOutgoing): Promise<string | null> {
  try {
    await gasLimitOf(world, outgoing);
    return null;
  } catch (error) {
    const fault = callFault(error);
    if (fault === null) throw error;
    if (fault.kind === 'NO_FUNDS') return null;
    return fault.data === null ? fault.message : world.describeRevert(fault.data);
  }
}
