import type { DatabaseTransaction } from '../../../prisma/client.ts';
import type { OutgoingOutcome } from '../../operator/outgoing-transaction.ts';
import type { OutgoingHooks } from '../../operator/sending-world.ts';
import type { ActionWorld } from '../actions/action-world.ts';
import { failTransaction, type RelayFailed } from './fail-transaction.ts';

/** What payments do when the pump has signed, seen mined or given up a transaction; main hands it to the pump. */
export function paymentOutgoingHooks(
  world: Pick<ActionWorld, 'clock' | 'registry' | 'operator'> & { relayFailed: RelayFailed },
): OutgoingHooks {
  return {
    onSigned: noteHash,
    onMined: noteHash,
    onFailed: (tx, outgoing) => failTransaction(tx, world, outgoing),
  };
}

/** The hash by which others can follow it; the projector confirms it by its facts. */
async function noteHash(tx: DatabaseTransaction, outgoing: OutgoingOutcome): Promise<void> {
  if (outgoing.transactionId === null || outgoing.txHash === null) return;
  await tx.transaction.updateMany({
    where: { id: outgoing.transactionId, status: 'PENDING' },
    data: { txHash: outgoing.txHash, ...(outgoing.gasUsed === null ? {} : { gasUsed: outgoing.gasUsed }) },
  });
}
