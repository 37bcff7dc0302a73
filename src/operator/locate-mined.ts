import { isHex } from 'viem';
import { type OutgoingAttempt, transaction } from '../../prisma/client.ts';
import { nonceUser } from './nonce-user.ts';
import { readReceipt } from './read-receipt.ts';
import type { SenderView } from './read-sender.ts';
import type { SendingWorld } from './sending-world.ts';
import type { OpenOutgoing } from './store.ts';

/**
 * Of the unmined, finds those whose nonce the chain has used: one of our attempts is in a block (MINED), or somebody
 * else's transaction took the nonce, and then ours goes back to the queue for another one, or ends (CANCELLED, hook)
 * where it is not wanted any more. That needs proof, the foreign transaction itself at the required depth: a node that
 * only lags must never make us send twice.
 *
 * Answers those that are still unmined.
 */
export async function locateMined(
  world: SendingWorld,
  { view, unmined }: { view: SenderView; unmined: readonly OpenOutgoing[] },
): Promise<OpenOutgoing[]> {
  const remaining: OpenOutgoing[] = [];
  for (const outgoing of unmined) {
    if (outgoing.nonce === null || outgoing.nonce >= view.nonceUsedBelow) {
      remaining.push(outgoing);
      continue;
    }
    const ours = outgoing.attempts.filter((attempt) => attempt.nonce === outgoing.nonce);
    if (await markMined(world, { outgoing, ours })) continue;
    await requeueIfTaken(world, { outgoing, ours, nonce: outgoing.nonce, head: view.head });
  }
  return remaining;
}

/** Looks for a receipt of any attempt, the newest first. */
async function markMined(
  { client, database }: SendingWorld,
  { outgoing, ours }: { outgoing: OpenOutgoing; ours: readonly OutgoingAttempt[] },
): Promise<boolean> {
  for (const attempt of ours.toReversed()) {
    if (!isHex(attempt.hash)) continue;
    const receipt = await readReceipt(client, attempt.hash);
    if (!receipt) continue;
    await database.outgoingTransaction.updateMany({
      where: { id: outgoing.id, status: { in: ['SIGNED', 'SENT'] }, nonce: outgoing.nonce },
      data: {
        status: 'MINED',
        txHash: attempt.hash,
        blockNumber: receipt.blockNumber,
        blockHash: receipt.blockHash,
        gasUsed: receipt.gasUsed,
      },
    });
    return true;
  }
  return false;
}

async function requeueIfTaken(
  { client, database, chain, signer, hooks, log }: SendingWorld,
  {
    outgoing,
    ours,
    nonce,
    head,
  }: { outgoing: OpenOutgoing; ours: readonly OutgoingAttempt[]; nonce: bigint; head: bigint },
): Promise<void> {
  const deepest = head - BigInt(chain.confirmations) + 1n;
  const user = await nonceUser(client, { address: signer.address, nonce, upTo: deepest > 0n ? deepest : 0n });
  if (user === null || ours.some((attempt) => attempt.hash === user)) return;
  const isWanted = outgoing.abandonedAt === null;
  await transaction(database, async (tx) => {
    const freed = await tx.outgoingTransaction.updateMany({
      where: { id: outgoing.id, status: { in: ['SIGNED', 'SENT'] }, nonce },
      data: { status: isWanted ? 'QUEUED' : 'CANCELLED', nonce: null, txHash: null },
    });
    if (freed.count === 1 && !isWanted) await hooks.onFailed(tx, { ...outgoing, txHash: null });
  });
  log.error({ outgoingId: outgoing.id, nonce: String(nonce), user }, 'Somebody else used a nonce of our key.');
}
