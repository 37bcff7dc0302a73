import { isHex } from 'viem';
import { type PaymentIntent, transaction } from '../../../prisma/client.ts';
import { MULTICALL3 } from '../../chains/evm/nodes.ts';
import { readEscrowState } from '../../escrow/read-escrow-state.ts';
import { wouldCreditMerchant } from '../../escrow/simulate-settlement.ts';
import { termsFromJson } from '../../escrow/terms.ts';
import { addJob } from '../../platform/jobs.ts';
import { settleJob } from '../jobs.ts';
import { requestTransaction } from '../transactions/request-transaction.ts';
import type { ChainActionWorld } from './action-world.ts';
import { chainTime, lookAgainAt } from './chain-time.ts';
import { escrowOf, heldMoney, pendingMoneyOut } from './held-payment.ts';
import { lockPayment } from './lock-payment.ts';
import { settleOrder } from './payout-order.ts';

/** How long a settlement waits for a merchant that cannot be paid. */
export const LONGEST_WAIT_SECONDS = 86_400;
const CHECK_AGAIN_MS = 300_000;

/** The simulation may fail for a while, until a block reaches the second at which the settlement is due. */
const SIMULATIONS = 12;

/**
 * Pays out a captured payment once its timelock is over by the chain's own time and no other transaction is pending: records and
 * queues a SETTLE transaction. Before that it schedules itself again. Does nothing if our status or the contract's does not allow
 * it, because anyone may have settled or disputed the payment already. If the merchant cannot be paid at present and would be
 * credited, it waits for at most 24 hours. Idempotent.
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
  if (time < dueAt + LONGEST_WAIT_SECONDS && (await wouldCredit(world, intent)))
    return await waitForMerchant(world, intent);
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
      ...settleOrder(held),
      amount: held.left,
      maxFailures: SIMULATIONS,
    });
    // From here on the settlement waits for the chain only, not for the merchant.
    if (locked.settlementCheckAt !== null) {
      await tx.paymentIntent.update({ where: { id: paymentIntentId }, data: { settlementCheckAt: null } });
    }
  });
}

/**
 * Whether a dispute, a refund or someone else's settlement is in a block that is not confirmed yet; settling would revert for
 * good. The contract's events will report it, and the sweep retries if a reorganization removes it.
 */
async function isRefusedByContract({ registry, nodes }: ChainActionWorld, intent: PaymentIntent): Promise<boolean> {
  const { acceptedTermsHash: id, authorizationChainId: chainId } = intent;
  if (id === null || !isHex(id) || chainId === null || registry.chain(chainId)?.family === 'SOLANA') return false;
  const { escrow } = escrowOf(registry, chainId);
  const state = await nodes.asking(chainId, (client) => readEscrowState({ client, escrow }, { id }));
  return state.status !== 'CAPTURED' || state.disputedAt !== 0;
}

/**
 * Whether the settlement would credit the merchant instead of paying it. A credited merchant has to claim the money or wait for
 * its delivery, whereas a delayed settlement pays it directly. If the simulation fails, the payment is settled.
 */
async function wouldCredit({ database, registry, nodes }: ChainActionWorld, intent: PaymentIntent): Promise<boolean> {
  const { acceptedTermsHash: termsHash, authorizationChainId: chainId } = intent;
  if (termsHash === null || chainId === null || registry.chain(chainId)?.family === 'SOLANA') return false;
  const row = await database.paymentTerms.findFirst({ where: { termsHash, chainId } });
  if (!row) return false;
  const { escrow } = escrowOf(registry, chainId);
  const terms = termsFromJson(row.terms);
  try {
    return await nodes.asking(chainId, async (client) => {
      return (await wouldCreditMerchant({ client, escrow, multicall: MULTICALL3 }, { terms })) ?? false;
    });
  } catch {
    return false;
  }
}

/** Records the delay on the intent, so that the sweep leaves it alone until then and others can see that it waits. */
async function waitForMerchant({ database, clock }: ChainActionWorld, { id }: PaymentIntent): Promise<void> {
  const settlementCheckAt = new Date(clock.now().getTime() + CHECK_AGAIN_MS);
  await transaction(database, async (tx) => {
    const locked = await lockPayment(tx, { id, scope: null });
    if (locked.status !== 'CAPTURED') return;
    await tx.paymentIntent.update({ where: { id }, data: { settlementCheckAt } });
    await addJob(tx, settleJob, { paymentIntentId: id }, { runAt: settlementCheckAt, key: `settle:${id}` });
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
