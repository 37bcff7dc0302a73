import { isHex } from 'viem';
import type { OutgoingAttempt } from '../../prisma/client.ts';
import { nodeAnswerOf } from '../chains/evm/classify-answer.ts';
import type { SendingWorld } from './sending-world.ts';
import { markUnpaid, type OpenOutgoing } from './store.ts';

/**
 * Sends the newest attempt of unmined transactions to the nodes in nonce order: those that were never sent, and those that were last
 * sent so long ago that a node may have dropped them. Sending a transaction again that a node has costs nothing.
 */
export async function resendTransactions(world: SendingWorld, unmined: readonly OpenOutgoing[]): Promise<void> {
  const { client, clock, limits, log } = world;
  const staleBefore = clock.now().getTime() - limits.resendAfterMs;
  const sent: { outgoing: OpenOutgoing; attempt: OutgoingAttempt }[] = [];
  const unpaid: string[] = [];
  for (const outgoing of unmined) {
    const attempt = outgoing.attempts.at(-1);
    if (!attempt || !isHex(attempt.raw)) continue;
    const isFresh = attempt.sentAt !== null && attempt.sentAt.getTime() > staleBefore;
    if (outgoing.status === 'SENT' && isFresh) continue;
    try {
      await client.sendRawTransaction({ serializedTransaction: attempt.raw });
    } catch (error) {
      const answer = nodeAnswerOf(error);
      if (answer === 'underpriced' || answer === 'no_funds') {
        // It stays unchanged. The next turn raises its fees, or an operator funds the account.
        const fields = { outgoingId: outgoing.id, nonce: String(outgoing.nonce), answer };
        log.warn(fields, 'A node refused a transaction.');
        if (answer === 'no_funds') unpaid.push(outgoing.id);
        continue;
      }
      // It was sent before or is in a block already. The next turn finds out which attempt.
      if (answer !== 'already_known' && answer !== 'nonce_used') {
        await noteSent(world, sent);
        throw error;
      }
    }
    sent.push({ outgoing, attempt });
  }
  await noteSent(world, sent);
  await markUnpaid(world.database, { ids: unpaid, now: clock.now() });
}

async function noteSent(
  { database, clock }: SendingWorld,
  sent: readonly { outgoing: OpenOutgoing; attempt: OutgoingAttempt }[],
): Promise<void> {
  if (sent.length === 0) return;
  await database.outgoingAttempt.updateMany({
    where: { hash: { in: sent.map(({ attempt }) => attempt.hash) } },
    data: { sentAt: clock.now() },
  });
  await database.outgoingTransaction.updateMany({
    where: {
      AND: [
        { OR: sent.map(({ outgoing: { id, nonce } }) => ({ id, nonce })) },
        { OR: [{ status: 'SIGNED' }, { status: 'SENT', waitsFor: { not: null } }] },
      ],
    },
    data: { status: 'SENT', waitsFor: null },
  });
}
