import { isHex } from 'viem';
import { sendAnswer } from './node-answer.ts';
import type { SendingWorld } from './sending-world.ts';
import type { OpenOutgoing } from './store.ts';

/**
 * Hands the newest attempt of every unmined transaction to the nodes, in nonce order: those that were never sent, and
 * those whose last sending is too long ago to trust that no node dropped them. Sending again what a node has is free.
 */
export async function resendTransactions(world: SendingWorld, unmined: readonly OpenOutgoing[]): Promise<void> {
  const { client, database, clock, limits, log } = world;
  const staleBefore = clock.now().getTime() - limits.resendAfterMs;
  for (const outgoing of unmined) {
    const attempt = outgoing.attempts.at(-1);
    if (!attempt || !isHex(attempt.raw)) continue;
    const isFresh = attempt.sentAt !== null && attempt.sentAt.getTime() > staleBefore;
    if (outgoing.status === 'SENT' && isFresh) continue;
    try {
      await client.sendRawTransaction({ serializedTransaction: attempt.raw });
    } catch (error) {
      const answer = sendAnswer(error);
      if (answer === null) throw error;
      const fields = { outgoingId: outgoing.id, nonce: String(outgoing.nonce), answer };
      if (answer === 'UNDERPRICED' || answer === 'NO_FUNDS') {
        // Left as it is: the next turn raises its fees, or somebody fills the account.
        log.warn(fields, 'A node refused a transaction.');
        continue;
      }
    }
    await database.outgoingAttempt.updateMany({ where: { hash: attempt.hash }, data: { sentAt: clock.now() } });
    await database.outgoingTransaction.updateMany({
      where: { id: outgoing.id, status: 'SIGNED', nonce: outgoing.nonce },
      data: { status: 'SENT' },
    });
  }
}
