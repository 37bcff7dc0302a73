import { isHex } from 'viem';
import { transaction } from '../../../prisma/client.ts';
import { reclaimCall } from '../../escrow/calldata.ts';
import { readEscrowState } from '../../escrow/read-escrow-state.ts';
import { RELAY_SENDER } from '../../operator/relay.ts';
import { addJob } from '../../platform/jobs.ts';
import { reclaimJob } from '../jobs.ts';
import { requestTransaction } from '../transactions/request-transaction.ts';
import type { ChainActionWorld } from './action-world.ts';
import { chainTime, lookAgainAt } from './chain-time.ts';
import { heldPayment, pendingMoneyOut } from './held-payment.ts';
import { lockPayment } from './lock-payment.ts';

/**
 * Returns an uncaptured hold to the payer once the chain's time has passed `captureBy`: records and queues a RECLAIM
 * transaction. Before that it schedules itself again. Does nothing unless both the recorded status and the contract's are AUTHORIZED.
 */
export async function reclaimPayment(
  world: ChainActionWorld,
  { paymentIntentId }: { paymentIntentId: string },
): Promise<void> {
  const { database, registry, nodes, clock } = world;
  const intent = await database.paymentIntent.findUnique({ where: { id: paymentIntentId } });
  if (intent?.status !== 'AUTHORIZED') return;
  const { terms, chain, escrow, termsHash } = await database.$transaction((tx) =>
    heldPayment(tx, { registry, intent }),
  );
  const time = await chainTime(world, chain.chainId);
  const isDue = time > terms.captureBy;
  // It may be captured or returned in a block that is not confirmed yet; reclaiming would then revert for good.
  if (isDue && isHex(termsHash)) {
    const asked = { id: termsHash };
    const state = await nodes.asking(chain.chainId, (client) => readEscrowState({ client, escrow }, asked));
    if (state.status !== 'AUTHORIZED') return;
  }
  await transaction(database, async (tx) => {
    if (!isDue) {
      const runAt = lookAgainAt(clock.now(), terms.captureBy + 1 - time);
      await addJob(tx, reclaimJob, { paymentIntentId }, { runAt, key: `reclaim:${paymentIntentId}` });
      return;
    }
    const locked = await lockPayment(tx, { id: paymentIntentId, scope: null });
    if (locked.status !== 'AUTHORIZED') return;
    const held = await heldPayment(tx, { registry, intent: locked });
    if (await pendingMoneyOut(tx, held)) return;
    await requestTransaction(tx, {
      paymentIntentId,
      chainId: held.chain.chainId,
      termsHash: held.termsHash,
      type: 'RECLAIM',
      call: reclaimCall(held),
      amount: held.remainingAmount,
      sender: RELAY_SENDER,
      maxFailures: 10,
    });
  });
}
