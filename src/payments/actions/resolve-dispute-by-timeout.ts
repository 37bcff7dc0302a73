import { isHex } from 'viem';
import { transaction } from '../../../prisma/client.ts';
import { resolveByTimeoutCall } from '../../escrow/calldata.ts';
import { readEscrowState } from '../../escrow/read-escrow-state.ts';
import { RELAY_SENDER } from '../../operator/relay.ts';
import { addJob } from '../../platform/jobs.ts';
import { resolveByTimeoutJob } from '../jobs.ts';
import { requestTransaction } from '../transactions/request-transaction.ts';
import type { ChainActionWorld } from './action-world.ts';
import { chainTime, lookAgainAt } from './chain-time.ts';
import { heldPayment, pendingMoneyOut } from './held-payment.ts';
import { lockPayment } from './lock-payment.ts';

/**
 * Splits a disputed payment as the signed terms specify if it was not resolved in time by the chain's clock: records and queues a
 * RESOLVE transaction. Before that it schedules itself again. Does nothing without an open dispute.
 */
export async function resolveDisputeByTimeout(
  world: ChainActionWorld,
  { paymentIntentId }: { paymentIntentId: string },
): Promise<void> {
  const { database, registry, nodes, clock } = world;
  const dispute = await database.dispute.findUnique({ where: { paymentIntentId }, include: { paymentIntent: true } });
  if (dispute?.status !== 'OPEN') return;
  const { chain, escrow, termsHash, terms } = await database.$transaction((tx) =>
    heldPayment(tx, { registry, intent: dispute.paymentIntent }),
  );
  if (!isHex(termsHash)) return;
  const state = await nodes.asking(chain.chainId, (client) => readEscrowState({ client, escrow }, { id: termsHash }));
  if (state.disputedAt === 0 || state.left === 0n) return;
  const missing = state.disputedAt + terms.disputeTimeout - (await chainTime(world, chain.chainId));
  await transaction(database, async (tx) => {
    if (missing > 0) {
      const runAt = lookAgainAt(clock.now(), missing);
      await addJob(tx, resolveByTimeoutJob, { paymentIntentId }, { runAt, key: `timeout:${paymentIntentId}` });
      return;
    }
    const intent = await lockPayment(tx, { id: paymentIntentId, scope: null });
    const held = await heldPayment(tx, { registry, intent });
    if (held.remainingAmount === 0n || (await pendingMoneyOut(tx, held))) return;
    await requestTransaction(tx, {
      paymentIntentId,
      chainId: held.chain.chainId,
      termsHash: held.termsHash,
      type: 'RESOLVE',
      call: resolveByTimeoutCall(held),
      amount: held.remainingAmount,
      sender: RELAY_SENDER,
      maxFailures: 10,
    });
  });
}
