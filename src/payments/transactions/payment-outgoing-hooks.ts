import type { DatabaseTransaction } from '../../../prisma/client.ts';
import type { OutgoingOutcome } from '../../operator/outgoing-transaction.ts';
import type { OutgoingHooks } from '../../operator/sending-world.ts';
import type { ActionWorld } from '../actions/action-world.ts';
import { SOLANA_SENDER } from '../actions/payout-order.ts';
import { failTransaction, type RelayFailed } from './fail-transaction.ts';
import { followLanded, tellWaiting } from './waiting-payout.ts';

/** What payments do when the pump has signed a transaction, seen it mined or given it up; main passes it to the pump. */
export function paymentOutgoingHooks(
  world: Pick<ActionWorld, 'clock' | 'registry' | 'operator'> & { relayFailed: RelayFailed },
): OutgoingHooks {
  return {
    onSigned: noteHash,
    async onMined(tx, outgoing) {
      await noteHash(tx, outgoing);
      if (outgoing.sender === SOLANA_SENDER) await followLanded(tx, world, outgoing);
    },
    onFailed: (tx, outgoing) => failTransaction(tx, world, outgoing),
    onWaiting: (tx, outgoing) => tellWaiting(tx, world, outgoing),
  };
}

/** Records the hash by which others can follow the transaction; the projector confirms it from its facts. */
async function noteHash(tx: DatabaseTransaction, outgoing: OutgoingOutcome): Promise<void> {
  if (outgoing.transactionId === null || outgoing.txHash === null) return;
  await tx.transaction.updateMany({
    where: { id: outgoing.transactionId, status: 'PENDING' },
    data: { txHash: outgoing.txHash, error: null, ...(outgoing.gasUsed === null ? {} : { gasUsed: outgoing.gasUsed }) },
  });
}
