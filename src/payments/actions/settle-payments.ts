import { type Hex, isHex } from 'viem';
import { type DatabaseTransaction, type PaymentIntent, transaction } from '../../../prisma/client.ts';
import { MULTICALL3 } from '../../chains/evm/nodes.ts';
import { readEscrowState } from '../../escrow/read-escrow-state.ts';
import { wouldCreditMerchant } from '../../escrow/simulate-settlement.ts';
import { type PaymentTerms, termsFromJson } from '../../escrow/terms.ts';
import { handleTogether } from '../../platform/due-together.ts';
import { addJobs } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import { lockIntents } from '../facts/lock-intents.ts';
import { settleJob, settleKey } from '../jobs.ts';
import { keyText } from '../payment-key.ts';
import { requestTransactions } from '../transactions/request-transaction.ts';
import { readStatesTogether } from '../verification/read-states-together.ts';
import type { ChainActionWorld } from './action-world.ts';
import { chainTime, lookAgainAt } from './chain-time.ts';
import { escrowOf, heldMoneyOf, pendingMoneyOutOf } from './held-payment.ts';
import { settleOrder } from './payout-order.ts';

/** How long a settlement waits for a merchant that cannot be paid. */
export const LONGEST_WAIT_SECONDS = 86_400;
const CHECK_AGAIN_MS = 300_000;

/** The simulation may fail for a while, until a block reaches the second at which the settlement is due. */
const SIMULATIONS = 12;

/** The maximum number of payments in a set. A larger set would hold its locks for too long. */
const TOGETHER = 200;
/** The number of a merchant's settlements that are tried until one can be simulated. */
const SIMULATED = 3;

/** A captured payment and its chain. `waitedSeconds` is how long ago its timelock ended by the chain's time. */
type Due = { intent: PaymentIntent; chainId: number; waitedSeconds: number };

/** A payment that is checked again at `runAt`. */
type Later = { paymentIntentId: string; runAt: Date };

/** Settles a payment whose timelock has ended together with up to 199 others that are due. */
export async function settleDue(
  world: ChainActionWorld & { log: Log },
  payload: { paymentIntentId: string },
): Promise<void> {
  const together = {
    job: settleJob,
    keyOf: (due: typeof payload) => settleKey(due.paymentIntentId),
    limit: TOGETHER,
    work: (due: readonly (typeof payload)[]) =>
      settlePayments(world, { paymentIntentIds: due.map(({ paymentIntentId }) => paymentIntentId) }),
  };
  await handleTogether(world, together, payload);
}

/**
 * Pays out captured payments whose timelock is over by the chain's own time and that have no other pending transaction: records and queues
 * a SETTLE transaction for each. Before that it schedules them again. Does nothing for a payment if the recorded status or the contract's
 * does not allow it, because anyone may have settled or disputed the payment already. If a merchant cannot be paid at present and would be
 * credited, its payments wait for at most 24 hours. Idempotent.
 */
export async function settlePayments(
  world: ChainActionWorld,
  { paymentIntentIds }: { paymentIntentIds: readonly string[] },
): Promise<void> {
  const captured = await world.database.paymentIntent.findMany({
    where: { id: { in: [...paymentIntentIds] }, status: 'CAPTURED', timelockEndsAt: { not: null } },
  });
  const byChain = Map.groupBy(captured, ({ authorizationChainId }) => authorizationChainId);
  const failures: unknown[] = [];
  for (const [chainId, intents] of byChain) {
    if (chainId === null) continue;
    await settleOnChain(world, { chainId, intents }).catch((error: unknown) => failures.push(error));
  }
  // A chain that cannot be read does not delay the payments on the others.
  if (failures.length > 0) throw failures[0];
}

async function settleOnChain(
  world: ChainActionWorld,
  { chainId, intents }: { chainId: number; intents: readonly PaymentIntent[] },
): Promise<void> {
  const time = await chainTime(world, chainId);
  const due: Due[] = [];
  const later: Later[] = [];
  for (const intent of intents) {
    const endsAt = Math.ceil((intent.timelockEndsAt?.getTime() ?? 0) / 1000);
    if (time >= endsAt) due.push({ intent, chainId, waitedSeconds: time - endsAt });
    else later.push({ paymentIntentId: intent.id, runAt: lookAgainAt(world.clock.now(), endsAt - time) });
  }
  const accepted = await acceptedByContract(world, due);
  const credited = await wouldBeCredited(
    world,
    accepted.filter(({ waitedSeconds }) => waitedSeconds < LONGEST_WAIT_SECONDS),
  );
  const payable = accepted.filter(({ intent }) => !credited.has(intent.id));
  if (accepted.length === 0 && later.length === 0) return;
  await transaction(world.database, async (tx) => {
    const ids = payable.map(({ intent }) => intent.id);
    await lockIntents(tx, [...ids, ...credited]);
    await addJobs(
      tx,
      settleJob,
      [...later, ...(await waitForMerchants(tx, world, [...credited]))].map(({ paymentIntentId, runAt }) => ({
        payload: { paymentIntentId },
        key: settleKey(paymentIntentId),
        runAt,
      })),
    );
    await settle(tx, world, ids);
  });
}

/**
 * Returns the payments that the contract would settle. It would not if a dispute, a refund or another settlement is in a block that is not
 * confirmed yet. The contract's events will report that step, and the sweep tries again if a reorganization removes it.
 */
async function acceptedByContract(world: ChainActionWorld, due: readonly Due[]): Promise<Due[]> {
  const [first] = due;
  if (!first || world.registry.chain(first.chainId)?.family === 'SOLANA') return [...due];
  const { chainId } = first;
  const { escrow } = escrowOf(world.registry, chainId);
  const termsHashes = due.map(({ intent }) => intent.acceptedTermsHash ?? '');
  const together = due.length > 1 ? await readStatesTogether(world, { chainId, termsHashes }) : null;
  const readAlone = (id: Hex) => world.nodes.asking(chainId, (client) => readEscrowState({ client, escrow }, { id }));
  const states = await Promise.all(
    termsHashes.map(async (id, index) => together?.[index] ?? (isHex(id) ? await readAlone(id) : null)),
  );
  return due.filter((_, index) => {
    const state = states[index];
    return !state || (state.status === 'CAPTURED' && state.disputedAt === 0);
  });
}

/**
 * The ids of the payments whose settlement would credit the merchant instead of paying it. A credited merchant has to claim the money
 * or wait for its delivery, whereas a delayed settlement pays it directly. The first settlement of each merchant and token that can be
 * simulated decides for the others. If none can be, the payments are settled.
 */
async function wouldBeCredited(world: ChainActionWorld, due: readonly Due[]): Promise<Set<string>> {
  const [first] = due;
  if (!first || world.registry.chain(first.chainId)?.family === 'SOLANA') return new Set();
  const { chainId } = first;
  const rows = await world.database.paymentTerms.findMany({
    where: { chainId, termsHash: { in: due.flatMap(({ intent }) => intent.acceptedTermsHash ?? []) } },
  });
  const groups = Map.groupBy(
    rows.map((row) => ({ paymentIntentId: row.paymentIntentId, terms: termsFromJson(row.terms) })),
    ({ terms }) => `${terms.merchant}:${terms.token}`.toLowerCase(),
  );
  const credited = new Set<string>();
  for (const group of groups.values()) {
    let answer: boolean | null = null;
    for (const { terms } of group.slice(0, SIMULATED)) answer ??= await wouldCredit(world, { chainId, terms });
    if (!answer) continue;
    for (const { paymentIntentId } of group) credited.add(paymentIntentId);
  }
  return credited;
}

/** Null if the settlement cannot be simulated. */
async function wouldCredit(
  { registry, nodes }: ChainActionWorld,
  { chainId, terms }: { chainId: number; terms: PaymentTerms },
): Promise<boolean | null> {
  const { escrow } = escrowOf(registry, chainId);
  try {
    return await nodes.asking(chainId, (client) =>
      wouldCreditMerchant({ client, escrow, multicall: MULTICALL3 }, { terms }),
    );
  } catch {
    return null;
  }
}

/** Records the delay on the intents, so that the sweep leaves them alone until then and others can see that they wait. */
async function waitForMerchants(
  tx: DatabaseTransaction,
  { clock }: ChainActionWorld,
  ids: readonly string[],
): Promise<Later[]> {
  if (ids.length === 0) return [];
  const settlementCheckAt = new Date(clock.now().getTime() + CHECK_AGAIN_MS);
  const waiting = await tx.paymentIntent.findMany({
    where: { id: { in: [...ids] }, status: 'CAPTURED' },
    select: { id: true },
  });
  await tx.paymentIntent.updateMany({
    where: { id: { in: waiting.map(({ id }) => id) } },
    data: { settlementCheckAt },
  });
  return waiting.map(({ id: paymentIntentId }) => ({ paymentIntentId, runAt: settlementCheckAt }));
}

/** Requests the settlements of those of the locked payments that can still be settled. */
async function settle(tx: DatabaseTransaction, { registry }: ChainActionWorld, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const intents = await tx.paymentIntent.findMany({
    where: { id: { in: [...ids] }, status: 'CAPTURED', NOT: { dispute: { is: { status: 'OPEN' } } } },
    orderBy: { id: 'asc' },
  });
  const held = await heldMoneyOf(tx, { registry, intents });
  const pending = await pendingMoneyOutOf(tx, [...held.values()]);
  const settled = [...held].filter(
    ([, { remainingAmount, ...key }]) => remainingAmount > 0n && !pending.has(keyText(key)),
  );
  if (settled.length === 0) return;
  await requestTransactions(
    tx,
    settled.map(([paymentIntentId, money]) => ({
      paymentIntentId,
      chainId: money.chain.chainId,
      termsHash: money.termsHash,
      type: 'SETTLE',
      ...settleOrder(money),
      amount: money.remainingAmount,
      maxFailures: SIMULATIONS,
    })),
  );
  // From here on the settlements wait for the chain only, not for the merchant.
  await tx.paymentIntent.updateMany({
    where: { id: { in: settled.map(([id]) => id) }, settlementCheckAt: { not: null } },
    data: { settlementCheckAt: null },
  });
}
