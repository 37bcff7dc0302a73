import { type OutgoingAttempt, type OutgoingTransaction, transaction } from '../../../prisma/client.ts';
import { countFailure } from './sign-payout.ts';
import type { VaultSendingWorld } from './vault-sending-world.ts';

/** The newest final block. A payout that is signed again reads the vault at this block or later. */
export type FinalPlace = { slot: bigint; height: bigint };

export type SignedPayout = OutgoingTransaction & { attempts: OutgoingAttempt[] };

/**
 * Follows a signed payout. If it is in a final block, it is done or failed. If it is in no block and its blockhash has expired at the
 * finalized height, it can never land and is queued to be signed again. Otherwise the same bytes are sent to the node again. Every
 * attempt is checked, because whichever lands carries it out.
 */
export async function followPayout(
  world: VaultSendingWorld,
  { payout, final }: { payout: SignedPayout; final: FinalPlace },
): Promise<void> {
  const { connection, database } = world;
  const hashes = payout.attempts.map((attempt) => attempt.hash);
  const { value: statuses } = await connection.getSignatureStatuses(hashes, { searchTransactionHistory: true });
  for (const [index, status] of statuses.entries()) {
    const hash = hashes[index];
    if (!status || hash === undefined) continue;
    if (status.confirmationStatus !== 'finalized') return;
    if (status.err === null) return await land(world, payout, { hash, slot: BigInt(status.slot) });
  }
  const failed = statuses.findLast((status) => status?.err);
  const isOver = payout.attempts.every((attempt) => (attempt.expiresAtHeight ?? 0n) < final.height);
  if (isOver && failed) return await countFailure(world, payout, JSON.stringify(failed.err));
  if (isOver) {
    await database.outgoingTransaction.updateMany({
      where: { id: payout.id, status: payout.status },
      data: { status: 'QUEUED', blockNumber: final.slot, error: 'Its blockhash is past; it is signed anew.' },
    });
    return;
  }
  await resend(world, payout);
}

async function land(
  { database, hooks, clock }: VaultSendingWorld,
  payout: SignedPayout,
  { hash, slot }: { hash: string; slot: bigint },
): Promise<void> {
  await transaction(database, async (tx) => {
    const landed = await tx.outgoingTransaction.updateMany({
      where: { id: payout.id, status: payout.status },
      data: { status: 'FINAL', txHash: hash, blockNumber: slot, confirmedAt: clock.now(), error: null },
    });
    if (landed.count === 1) await hooks.onMined(tx, [{ ...payout, txHash: hash }]);
  });
}

async function resend({ connection, database, clock, log }: VaultSendingWorld, payout: SignedPayout): Promise<void> {
  const last = payout.attempts.at(-1);
  if (!last) return;
  const raw = Buffer.from(last.raw, 'base64');
  try {
    await connection.sendRawTransaction(raw, { skipPreflight: true, maxRetries: 0 });
  } catch (error) {
    // The node's response to a single attempt proves little. The status and the expiry of the blockhash decide.
    log.debug({ purpose: payout.purpose, error }, 'The node did not accept a payout, which is sent again.');
    return;
  }
  await database.outgoingTransaction.updateMany({
    where: { id: payout.id, status: 'SIGNED' },
    data: { status: 'SENT' },
  });
  await database.outgoingAttempt.update({ where: { hash: last.hash }, data: { sentAt: clock.now() } });
}
