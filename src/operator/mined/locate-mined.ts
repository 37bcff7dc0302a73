import { isHex, type TransactionReceipt } from 'viem';
import { type OutgoingAttempt, transaction } from '../../../prisma/client.ts';
import { endWithoutEffect } from '../batches/conclude-batch.ts';
import type { SenderView } from '../read-sender.ts';
import type { SendingWorld } from '../sending-world.ts';
import type { OpenOutgoing } from '../store.ts';
import { nonceUser } from './nonce-user.ts';
import { readReceipt } from './read-receipt.ts';

/**
 * Finds unmined transactions whose nonce the chain has used. Either one of their attempts is in a block (MINED), or a foreign
 * transaction used the nonce. The transaction then returns to the queue for another nonce, or ends (CANCELLED, hook) if it is no longer
 * wanted. This requires proof, which is the foreign transaction itself at the required depth, so that a lagging node never causes a
 * second sending.
 *
 * Returns those that are still unmined.
 */
export async function locateMined(
  world: SendingWorld,
  { view, unmined }: { view: SenderView; unmined: readonly OpenOutgoing[] },
): Promise<OpenOutgoing[]> {
  const remaining: OpenOutgoing[] = [];
  const used: UsedNonce[] = [];
  for (const outgoing of unmined) {
    const { nonce } = outgoing;
    if (nonce === null || nonce >= view.nonceUsedBelow) remaining.push(outgoing);
    else used.push({ outgoing, nonce, ours: outgoing.attempts.filter((attempt) => attempt.nonce === nonce) });
  }
  const receipts = await Promise.all(used.map(({ ours }) => receiptOf(world, ours)));
  for (const [index, one] of used.entries()) {
    const receipt = receipts[index];
    if (receipt) await markMined(world, { outgoing: one.outgoing, receipt });
    else await requeueIfTaken(world, { ...one, head: view.head });
  }
  return remaining;
}

type UsedNonce = { outgoing: OpenOutgoing; nonce: bigint; ours: readonly OutgoingAttempt[] };

/** Returns the receipt of any attempt. The newest is tried first. */
async function receiptOf(
  { client }: SendingWorld,
  ours: readonly OutgoingAttempt[],
): Promise<TransactionReceipt | null> {
  for (const attempt of ours.toReversed()) {
    const receipt = isHex(attempt.hash) ? await readReceipt(client, attempt.hash) : null;
    if (receipt) return receipt;
  }
  return null;
}

async function markMined(
  { database }: SendingWorld,
  { outgoing, receipt }: { outgoing: OpenOutgoing; receipt: TransactionReceipt },
): Promise<void> {
  await database.outgoingTransaction.updateMany({
    where: { id: outgoing.id, status: { in: ['SIGNED', 'SENT'] }, nonce: outgoing.nonce },
    data: {
      status: 'MINED',
      txHash: receipt.transactionHash,
      blockNumber: receipt.blockNumber,
      blockHash: receipt.blockHash,
      gasUsed: receipt.gasUsed,
    },
  });
}

async function requeueIfTaken(
  world: SendingWorld,
  { outgoing, ours, nonce, head }: UsedNonce & { head: bigint },
): Promise<void> {
  const { client, database, chain, signer, log } = world;
  const deepest = head - BigInt(chain.confirmations) + 1n;
  const user = await nonceUser(client, { address: signer.address, nonce, upTo: deepest > 0n ? deepest : 0n });
  if (user === null || ours.some((attempt) => attempt.hash === user)) return;
  const isWanted = outgoing.abandonedAt === null;
  await transaction(database, async (tx) => {
    const freed = await tx.outgoingTransaction.updateMany({
      where: { id: outgoing.id, status: { in: ['SIGNED', 'SENT'] }, nonce },
      data: { status: isWanted ? 'QUEUED' : 'CANCELLED', nonce: null, txHash: null },
    });
    if (freed.count === 1 && !isWanted) await endWithoutEffect(tx, world, { ...outgoing, txHash: null });
  });
  log.error(
    { outgoingId: outgoing.id, nonce: String(nonce), user },
    'Someone else used a nonce of a key of this installation.',
  );
}
