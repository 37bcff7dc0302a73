import { transaction } from '../../../prisma/client.ts';
import { reclaimCall } from '../../escrow/calldata.ts';
import { addJob } from '../../platform/jobs.ts';
import { reclaimJob } from '../jobs.ts';
import type { ChainActionWorld } from './action-world.ts';
import { chainTime, lookAgainAt } from './chain-time.ts';
import { heldPayment, pendingMoneyOut } from './held-payment.ts';
import { lockPayment } from './lock-payment.ts';
import { requestTransaction } from './request-transaction.ts';

/**
 * Gives a hold that nobody captured back to the payer once the chain's time has passed `captureBy`: records and queues a
 * RECLAIM transaction. Before that it rings itself again; in any other state it does nothing.
 */
export async function reclaimPayment(
  world: ChainActionWorld,
  { paymentIntentId }: { paymentIntentId: string },
): Promise<void> {
  const { database, registry, clock } = world;
  const intent = await database.paymentIntent.findUnique({ where: { id: paymentIntentId } });
  if (intent?.status !== 'AUTHORIZED') return;
  const { terms, chain } = await database.$transaction((tx) => heldPayment(tx, { registry, intent }));
  const time = await chainTime(world, chain.chainId);
  await transaction(database, async (tx) => {
    if (time <= terms.captureBy) {
      const runAt = lookAgainAt(clock.now(), terms.captureBy + 1 - time);
      await addJob(tx, reclaimJob, { paymentIntentId }, { runAt, key: `reclaim:${paymentIntentId}` });
      return;
    }
    const locked = await lockPayment(tx, { id: paymentIntentId, scope: null });
    if (locked.status !== 'AUTHORIZED') return;
    const held = await heldPayment(tx, { registry, intent: locked });
    if (await pendingMoneyOut(tx, held.termsHash)) return;
    await requestTransaction(tx, {
      paymentIntentId,
      chainId: held.chain.chainId,
      termsHash: held.termsHash,
      type: 'RECLAIM',
      call: reclaimCall(held),
      amount: held.left,
      sender: world.operator.address,
      maxFailures: 10,
    });
  });
}
