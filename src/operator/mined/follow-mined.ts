import { type Hex, isHex } from 'viem';
import { transaction } from '../../../prisma/client.ts';
import { callFault, isNodeFault, nodeAnswerOf } from '../../chains/evm/classify-answer.ts';
import type { RevertVerdict } from '../../escrow/classify-revert.ts';
import { traced } from '../../platform/request-trace.ts';
import { isBatch } from '../batches/batch.ts';
import { concludeBatch, endWithoutEffect, reopenItems } from '../batches/conclude-batch.ts';
import { failedStatus } from '../outgoing-transaction.ts';
import type { SenderView } from '../read-sender.ts';
import type { SendingWorld } from '../sending-world.ts';
import { callOf } from '../simulate-transaction.ts';
import { minedTransactions, type OpenOutgoing } from '../store.ts';
import { bookGas } from './book-gas.ts';
import { readReceipt } from './read-receipt.ts';

/**
 * Follows transactions that are in a block. At the chain's required depth, the cost of gas is recorded and the receipt is evaluated: a
 * reverted transaction is FAILED (CANCELLED if another call had overtaken it), and an empty transfer to the sender is CANCELLED; both call
 * the failure hook. Success calls the other hook. The transaction stays open until finality. If its block is no longer in the chain, it is
 * sent again, at once if its nonce is free again, because later nonces wait for it, even if it was final. A transaction that was reported
 * as failed or cancelled is no longer wanted then, and an empty transfer uses its nonce up.
 */
export async function followMined(world: SendingWorld, view: SenderView): Promise<void> {
  const { database, chain, signer } = world;
  const finalized = await finalizedNumber(world, view);
  const sender = signer.address.toLowerCase();
  const mined = await minedTransactions(database, {
    chainId: chain.chainId,
    sender,
    upTo: finalized,
    unusedFrom: view.nonceUsedBelow,
  });
  const deep: OpenOutgoing[] = [];
  const toFinalize: OpenOutgoing[] = [];
  for (const outgoing of mined) {
    const { blockNumber } = outgoing;
    if (blockNumber === null) continue;
    if (lostNonce(outgoing, view)) await reopen(world, outgoing);
    else if (outgoing.status !== 'MINED') continue;
    else if (outgoing.confirmedAt !== null) toFinalize.push(outgoing);
    else if (view.head - blockNumber + 1n >= BigInt(chain.confirmations)) deep.push(outgoing);
  }
  await resolveDeep(world, deep);
  await finalize(world, toFinalize);
}

/** Returns those whose block is final and unchanged. The others are sent again. */
async function finalize(world: SendingWorld, mined: readonly OpenOutgoing[]): Promise<void> {
  const hashes = new Map<bigint, Hex>();
  const final: string[] = [];
  for (const outgoing of mined) {
    const { blockNumber } = outgoing;
    if (blockNumber === null) continue;
    const known = hashes.get(blockNumber) ?? (await world.client.getBlock({ blockNumber })).hash;
    hashes.set(blockNumber, known);
    if (known === outgoing.blockHash) final.push(outgoing.id);
    else await reopen(world, outgoing);
  }
  if (final.length === 0) return;
  await world.database.outgoingTransaction.updateMany({
    where: { OR: [{ id: { in: final } }, { batchId: { in: final } }], status: 'MINED' },
    data: { status: 'FINAL' },
  });
}

/** A node that has not reached the transaction's block yet proves nothing. */
function lostNonce({ nonce, blockNumber }: OpenOutgoing, view: SenderView): boolean {
  return nonce !== null && nonce >= view.nonceUsedBelow && blockNumber !== null && blockNumber <= view.head;
}

async function finalizedNumber({ client, log, chain }: SendingWorld, view: SenderView): Promise<bigint> {
  try {
    return (await client.getBlock({ blockTag: 'finalized' })).number;
  } catch (error) {
    if (isNodeFault(error) && nodeAnswerOf(error) !== 'missing') throw error;
    // Some chains have no such tag. Depth is used instead, and rows stay open longer than necessary.
    log.debug({ chainId: chain.chainId, error: String(error) }, 'The chain reports no finalized block.');
    const depth = BigInt(Math.max(chain.confirmations, 64));
    return view.head > depth ? view.head - depth : 0n;
  }
}

async function resolveDeep(world: SendingWorld, deep: readonly OpenOutgoing[]): Promise<void> {
  const receipts = await Promise.all(
    deep.map(({ txHash }) => (isHex(txHash) ? readReceipt(world.client, txHash) : null)),
  );
  const found = deep.map((outgoing, index) => ({ outgoing, receipt: receipts[index] ?? null }));
  await bookGas(
    world,
    found.flatMap(({ outgoing, receipt }) =>
      receipt?.blockHash === outgoing.blockHash && receipt !== null ? [{ outgoing, receipt }] : [],
    ),
  );
  const succeeded: OpenOutgoing[] = [];
  for (const { outgoing, receipt } of found) {
    const cancels = outgoing.attempts.some((attempt) => attempt.hash === outgoing.txHash && attempt.cancels);
    if (receipt?.blockHash !== outgoing.blockHash) await reopen(world, outgoing);
    else if (receipt.status === 'success' && !cancels && isBatch(outgoing)) {
      await concludeBatch(world, { batch: outgoing, receipt });
    } else if (receipt.status === 'success' && !cancels) succeeded.push(outgoing);
    else await traced(outgoing.requestId, () => fail(world, { outgoing, cancels, blockNumber: receipt.blockNumber }));
  }
  await succeed(world, succeeded);
}

async function succeed({ database, clock, hooks }: SendingWorld, deep: readonly OpenOutgoing[]): Promise<void> {
  if (deep.length === 0) return;
  await transaction(database, async (tx) => {
    for (const outgoing of deep) {
      const done = await tx.outgoingTransaction.updateMany({
        where: { id: outgoing.id, status: 'MINED', confirmedAt: null },
        data: { confirmedAt: clock.now(), error: null },
      });
      if (done.count === 1) await traced(outgoing.requestId, () => hooks.onMined(tx, [outgoing]));
    }
  });
}

async function fail(
  world: SendingWorld,
  { outgoing, cancels, blockNumber }: { outgoing: OpenOutgoing; cancels: boolean; blockNumber: bigint },
): Promise<void> {
  const { database, clock, log } = world;
  const { error, verdict } = cancels
    ? { error: outgoing.error ?? 'Not wanted any more', verdict: undefined }
    : await revertReason(world, { outgoing, blockNumber });
  const status = verdict === undefined ? 'CANCELLED' : failedStatus(verdict);
  await transaction(database, async (tx) => {
    const done = await tx.outgoingTransaction.updateMany({
      where: { id: outgoing.id, status: 'MINED', confirmedAt: null },
      data: { status, confirmedAt: clock.now(), error },
    });
    if (done.count === 1) await endWithoutEffect(tx, world, { ...outgoing, error, ...(verdict && { verdict }) });
  });
  log.error({ outgoingId: outgoing.id, purpose: outgoing.purpose, error }, 'A transaction had no effect on its chain.');
}

/** Handles a block that is no longer in the chain: the same signed attempts are sent again, and whichever is mined resolves it. */
async function reopen({ database, clock, log }: SendingWorld, outgoing: OpenOutgoing): Promise<void> {
  const { id, status, blockHash } = outgoing;
  await transaction(database, async (tx) => {
    const reopened = await tx.outgoingTransaction.updateMany({
      where: { id, status, blockHash },
      data: {
        status: 'SIGNED',
        confirmedAt: null,
        blockNumber: null,
        blockHash: null,
        gasUsed: null,
        ...(status === 'MINED' || status === 'FINAL' ? {} : { abandonedAt: outgoing.abandonedAt ?? clock.now() }),
      },
    });
    if (reopened.count === 1 && isBatch(outgoing)) await reopenItems(tx, id);
  });
  log.warn(
    { outgoingId: outgoing.id, txHash: outgoing.txHash },
    'A transaction is sent again, because its block was removed.',
  );
}

/** Runs the call again on the state of its block. If that gives no reason, the receipt alone decides. */
async function revertReason(
  { client, signer, describeRevert, classifyRevert }: SendingWorld,
  { outgoing, blockNumber }: { outgoing: OpenOutgoing; blockNumber: bigint },
): Promise<{ error: string; verdict: RevertVerdict }> {
  const unknown = { error: 'Reverted on chain', verdict: 'PASSES' } as const;
  try {
    await client.call({ account: signer.address, ...callOf(outgoing), blockNumber });
    return unknown;
  } catch (error) {
    const fault = callFault(error);
    if (fault?.kind !== 'REVERT' || fault.data === null) return unknown;
    return { error: describeRevert(fault.data), verdict: classifyRevert(fault.data) };
  }
}
