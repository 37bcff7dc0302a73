/**
 * A batch sends relayed transactions in one transaction of the chain, which calls the batch contract. It has a row of its own, with a nonce
 * and attempts like any other, and its nonce, fees and block are handled like those of any transaction. Its items are rows without
 * a nonce: SENT while the batch is under way, MINED and FINAL with the batch if their calls succeeded in it, and QUEUED again otherwise.
 * An item whose call failed is sent alone afterwards, which finds out why. The escrow accepts each item's effect once, so that an
 * item that is sent again takes no second effect.
 */
import type { OutgoingTransaction } from '../../../prisma/client.ts';

/** Prefix of the purpose of a batch. */
export const BATCH_PURPOSE = 'batch:';

/** The error of an item whose call failed in a batch, until it was tried alone. */
export const FAILED_IN_BATCH = 'Failed in a batch; it is sent alone';

/** Gas of a transaction besides its data and its call, and of entering the batch contract. */
export const GAS_OVERHEAD = 60_000n;

export function batchPurpose(id: string): string {
  return `${BATCH_PURPOSE}${id}`;
}

export function isBatch({ purpose }: Pick<OutgoingTransaction, 'purpose'>): boolean {
  return purpose.startsWith(BATCH_PURPOSE);
}
