import { isHex } from 'viem';
import { type PaymentIntent, transaction } from '../../../prisma/client.ts';
import { readEscrowState } from '../../escrow/read-escrow-state.ts';
import { addJob } from '../../platform/jobs.ts';
import { settleJob } from '../jobs.ts';
import type { ChainActionWorld } from './action-world.ts';
import { chainTime, lookAgainAt } from './chain-time.ts';
import { escrowOf, heldMoney, pendingMoneyOut } from './held-payment.ts';
import { lockPayment } from './lock-payment.ts';
import { settleOrder } from './payout-order.ts';
import { requestTransaction } from './request-transaction.ts';

/** Settling waits for the chain's time to reach the second it is due at, so that its simulation may fail for a while. */
const SIMULATIONS = 12;

/**
 * Pays a captured payment out once its timelock is over by the chain's own time, and nothing else is under way: records
 * and queues a SETTLE transaction. Before that it rings itself again; in any other state, ours or the contract's, it does
 * nothing, for anybody may have settled already, or disputed. Runs any number of times.
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
  if (await isRefusedByContract(world, intent)) return;
  await transaction(world.database, async (tx) => {
    const locked = await lockPayment(tx, { id: paymentIntentId, scope: null });
    if (locked.status !== 'CAPTURED') return;
    const dispute = await tx.dispute.findUnique({ where: { paymentIntentId } });
    if (dispute?.status === 'OPEN') return;
    const held = await heldMoney(tx, { registry: world.registry, intent: locked });
    if (held.left === 0n || (await pendingMoneyOut(tx, held))) return;
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

/**
 * A dispute, a refund or somebody's settlement that is in a block and not confirmed yet: settling would revert for good.
 * The chain's events tell it soon, and the sweep asks again where a reorganisation takes it away.
 */
async function isRefusedByContract({ registry, nodes }: ChainActionWorld, intent: PaymentIntent): Promise<boolean> {
  const { acceptedTermsHash: id, authorizationChainId: chainId } = intent;
  if (id === null || !isHex(id) || chainId === null || registry.chain(chainId)?.family === 'SOLANA') return false;
  const { escrow } = escrowOf(registry, chainId);
  const state = await nodes.asking(chainId, (client) => readEscrowState({ client, escrow }, { id }));
  return state.status !== 'CAPTURED' || state.disputedAt !== 0;
}

async function ringAgain(
  { database }: ChainActionWorld,
  { paymentIntentId, runAt }: { paymentIntentId: string; runAt: Date },
): Promise<void> {
  await transaction(database, (tx) =>
    addJob(tx, settleJob, { paymentIntentId }, { runAt, key: `settle:${paymentIntentId}` }),
  );
}
