import { transaction } from '../../prisma/client.ts';
import { recordAction } from '../auth/audit/record-action.ts';
import { GatewayError } from '../errors.ts';
import { RELAY_SENDER } from './relay.ts';
import type { SendingWorld } from './sending-world.ts';

/** Abandons a transaction that is no longer wanted: at once if it has no nonce yet, otherwise by using its nonce up. */
export async function abandonTransaction(
  { database, clock }: Pick<SendingWorld, 'database' | 'clock'>,
  { id, reason }: { id: string; reason: string },
): Promise<void> {
  await transaction(database, async (tx) => {
    const carried = await tx.$queryRaw<{ appId: string }[]>`
      SELECT intent.app_id AS "appId" FROM outgoing_transaction outgoing
      JOIN transaction payment ON payment.id = outgoing.transaction_id
      JOIN payment_intent intent ON intent.id = payment.payment_intent_id WHERE outgoing.id = ${id}::uuid`;
    await recordAction(tx, {
      action: 'transaction.abandoned',
      owner: carried[0] ?? 'INSTALLATION',
      target: { type: 'OutgoingTransaction', id },
      after: { reason },
    });
    const dropped = await tx.outgoingTransaction.updateMany({
      where: { id, status: 'QUEUED' },
      data: { status: 'CANCELLED', error: reason },
    });
    if (dropped.count === 1) {
      // The items of a batch are still wanted.
      await tx.outgoingTransaction.updateMany({
        where: { batchId: id, status: 'SENT' },
        data: { status: 'QUEUED', sender: RELAY_SENDER, batchId: null },
      });
      return;
    }
    const flagged = await tx.outgoingTransaction.updateMany({
      where: { id, status: { in: ['SIGNED', 'SENT'] } },
      data: { abandonedAt: clock.now(), error: reason },
    });
    if (flagged.count === 0) throw new GatewayError('INVALID_STATE', 'The transaction is not waiting to be mined.');
  });
}
