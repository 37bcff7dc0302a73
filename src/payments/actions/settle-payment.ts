import { transaction } from '../../../prisma/client.ts';
import { addJob } from '../../platform/jobs.ts';
import { settleJob } from '../jobs.ts';
import type { ChainActionWorld } from './action-world.ts';
import { chainTime, lookAgainAt } from './chain-time.ts';
import { heldMoney, pendingMoneyOut } from './held-payment.ts';
import { lockPayment } from './lock-payment.ts';
import { settleOrder } from './payout-order.ts';
import { requestTransaction } from './request-transaction.ts';

/** Settling waits for the chain's time to reach the second it is due at, so that its simulation may fail for a while. */
const SIMULATIONS = 12;

/**
 * Pays a captured payment out once its timelock is over by the chain's own time, and nothing else is under way: records
 * and queues a SETTLE transaction. Before that it rings itself again; in any other state it does nothing, for anybody
 * may have settled already. Runs any number of times.
 */
export async function settlePayment(
  world: ChainActionWorld,
  { paymentIntentId }: { paymentIntentId: string },
): Promise<void> {
  const intent = await world.database.paymentIntent.findUnique({ where: { id: paymentIntentId } });
  if (intent?.status !== 'CAPTURED' || !intent.timelockEndsAt || intent.authorizationChainId === null) return;
  const dueAt = Math.ceil(intent.timelockEndsAt.getTime() / 1000);
  const time = await chainTime(world, intent.authorizationChainId);
  if (time < dueAt)
    return await ringAgain(world, { paymentIntentId, runAt: lookAgainAt(world.clock.now(), dueAt - time) });
  await transaction(world.database, async (tx) => {
    const locked = await lockPayment(tx, { id: paymentIntentId, scope: null });
    if (locked.status !== 'CAPTURED') return;
    const dispute = await tx.dispute.findUnique({ where: { paymentIntentId } });
    if (dispute?.status === 'OPEN') return;
    const held = await heldMoney(tx, { registry: world.registry, intent: locked });
    if (held.left === 0n || (await pendingMoneyOut(tx, held.termsHash))) return;
    await requestTransaction(tx, {
      paymentIntentId,
      chainId: held.chain.chainId,
      termsHash: held.termsHash,
      type: 'SETTLE',
      ...settleOrder(world.operator, held),
      amount: held.left,
      maxFailures: SIMULATIONS,
    });
  });
}

async function ringAgain(
  { database }: ChainActionWorld,
  { paymentIntentId, runAt }: { paymentIntentId: string; runAt: Date },
): Promise<void> {
  await transaction(database, (tx) =>
    addJob(tx, settleJob, { paymentIntentId }, { runAt, key: `settle:${paymentIntentId}` }),
  );
}
