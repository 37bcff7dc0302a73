import type { ChainFact, Database, DatabaseTransaction, PaymentIntent } from '../../../prisma/client.ts';
import { appendEvents, type NewEvent } from '../../events/append-events.ts';
import type { FactGroup, FactHandler, FactHandlers } from '../../facts/fact-handler.ts';
import { addJob } from '../../platform/jobs.ts';
import { toBigInt } from '../../prices/base-units.ts';
import { lockPayment } from '../actions/lock-payment.ts';
import { finalityOf } from '../facts/finality.ts';
import type { FoldingWorld } from '../facts/folding-world.ts';
import { noteStrayPayment, strayKind } from '../facts/note-stray-payment.ts';
import { actOnDepositJob, depositKey } from '../jobs.ts';
import { paymentIntentFields } from '../payment-intent-fields.ts';
import { isAccepted } from '../payment-key.ts';
import { isEmitted, isOfEmitter, openReceipts } from '../payouts/emitted-logs.ts';
import { DEPOSITED, type DepositWithBalances, RETURNED } from './deposit.ts';
import { type DepositMovement, lockDeposit, readMovement, tokenKeys, writeSums } from './deposit-sums.ts';
import { transferFields } from './transfer-fields.ts';

/**
 * Handles deposits and returns of deposit addresses for the projector. It writes the totals of the address and reports deposits that
 * do not count (`mispaid`, `overpaid`), returns (`deposit_returned`), and deposits that a reorganization removed (`reverted`). The
 * payment itself is the escrow's `Authorized`, as with every other method. Facts of unknown addresses are ignored.
 */
export function depositFactHandlers(world: FoldingWorld): FactHandlers {
  const handler: FactHandler = {
    async prepare(group) {
      const deposit = await findDeposit(world.database, group);
      if (!deposit) return async () => undefined;
      const facts = group.facts.filter((fact) => fact.kind !== RETURNED || isOfEmitter(world, fact));
      const confirmed = facts.filter(({ status }) => status === 'CONFIRMED');
      const receipts = openReceipts(world, group.chainId);
      const returned = confirmed.filter(({ kind }) => kind === RETURNED);
      const answers = await Promise.all(returned.map((fact) => isEmitted(fact, receipts)));
      if (answers.includes(false)) return null;
      const lost = facts.filter(({ status }) => status === 'ORPHANED');
      return (tx) => apply(tx, world, { group, deposit, confirmed, lost });
    },
    async seen(tx, group) {
      const deposit = await findDeposit(tx, group);
      if (deposit) await follow(tx, world, { deposit, isChanged: true });
    },
    async vanished(tx, group) {
      const deposit = await findDeposit(tx, group);
      if (!deposit) return;
      // Only deposits in the terms' token were reported before they were confirmed.
      const lost = group.facts.filter((fact) => isOwn(deposit, readMovement(fact)));
      await apply(tx, world, { group, deposit, confirmed: [], lost });
    },
  };
  return new Map([
    [DEPOSITED, handler],
    [RETURNED, handler],
  ]);
}

type Applied = { group: FactGroup; deposit: DepositWithBalances; confirmed: ChainFact[]; lost: ChainFact[] };

async function findDeposit(
  database: Pick<Database, 'depositAddress'>,
  { chainId, ref }: FactGroup,
): Promise<DepositWithBalances | null> {
  if (ref === null) return null;
  return await database.depositAddress.findUnique({
    where: { chainId_termsHash: { chainId, termsHash: ref } },
    include: { balances: true },
  });
}

/** Writes the totals. `isChanged` means that the balance has changed other than by a deposit, so that it is read at once. */
async function follow(
  tx: DatabaseTransaction,
  world: FoldingWorld,
  { deposit, isChanged }: { deposit: DepositWithBalances; isChanged: boolean },
): Promise<{ intent: PaymentIntent; deposit: DepositWithBalances }> {
  const { chainId, termsHash } = deposit;
  const intent = await lockPayment(tx, { id: deposit.paymentIntentId, scope: null });
  await lockDeposit(tx, deposit);
  await writeSums(tx, world, { payment: deposit });
  const now = await tx.depositAddress.update({
    where: { chainId_termsHash: { chainId, termsHash } },
    data: isChanged ? { lookAt: world.clock.now(), seenHash: null } : {},
    include: { balances: true },
  });
  return { intent, deposit: now };
}

async function apply(
  tx: DatabaseTransaction,
  world: FoldingWorld,
  { group, deposit: known, confirmed, lost }: Applied,
): Promise<void> {
  const isChanged = lost.length > 0 || confirmed.some(({ kind }) => kind === RETURNED);
  const { intent, deposit } = await follow(tx, world, { deposit: known, isChanged });
  const shared = { ...paymentIntentFields(intent), transfer: transferFields(deposit) };
  const events: NewEvent[] = [];
  const [first] = lost;
  if (first) {
    const finality = { ...finalityOf(group.view, first.blockNumber), confirmations: 0, isFinal: false };
    events.push({ type: 'payment_intent.reverted', resourceId: intent.id, data: shared, finality });
    const { chainId, termsHash } = deposit;
    await addJob(tx, actOnDepositJob, { chainId, termsHash }, { key: depositKey(deposit) });
  }
  const keys = tokenKeys(world.registry, deposit.chainId);
  for (const fact of confirmed) {
    const movement = readMovement(fact);
    const tokenKey = movement && keys.get(movement.token);
    if (!movement || !tokenKey) continue;
    const moved = {
      chainId: deposit.chainId,
      tokenKey,
      amount: movement.amount.toString(),
      recipient: movement.kind === RETURNED ? deposit.refundAddress : deposit.address,
      txHash: fact.txHash === '' ? null : fact.txHash,
    };
    const finality = finalityOf(group.view, fact.blockNumber);
    const data = { ...shared, deposit: moved };
    if (movement.kind === RETURNED) {
      await noteReturn(tx, world, { deposit, intent });
      events.push({ type: 'payment_intent.deposit_returned', resourceId: intent.id, data, finality });
      continue;
    }
    const fault = faultOf(movement, { fact, deposit, intent });
    if (fault === null) continue;
    const kind = strayKind(intent, { isLate: isLate(deposit, fact) });
    await noteStrayPayment(tx, { paymentIntentId: intent.id, kind, now: world.clock.now() });
    events.push({
      type: fault === 'MISPAID' ? 'payment_intent.mispaid' : 'payment_intent.overpaid',
      resourceId: intent.id,
      data,
      finality,
    });
  }
  await appendEvents(tx, intent.appId, events);
}

function isOwn({ token }: DepositWithBalances, movement: DepositMovement | null): boolean {
  return movement?.kind === DEPOSITED && movement.token === token;
}

/** Returns null for a deposit that counts, or may still count. */
function faultOf(
  movement: DepositMovement,
  { fact, deposit, intent }: { fact: ChainFact; deposit: DepositWithBalances; intent: PaymentIntent },
): 'MISPAID' | 'OVERPAID' | null {
  const isTooLate = isLate(deposit, fact);
  if (movement.token !== deposit.token) return 'MISPAID';
  if (intent.status === 'CREATED' && isTooLate) return 'MISPAID';
  if (intent.status === 'CREATED' && !isBeyond(deposit)) return null;
  if (isAccepted(intent, deposit) && !isBeyond(deposit) && !isTooLate) return null;
  return 'OVERPAID';
}

/** Whether a deposit is in a block after the time for it. */
function isLate({ authorizeBy }: DepositWithBalances, { blockTimestamp }: ChainFact): boolean {
  return blockTimestamp * 1000n > BigInt(authorizeBy.getTime());
}

/** A return for which no fault was reported: the deposit was too small, and its deadline has passed. */
async function noteReturn(
  tx: DatabaseTransaction,
  world: Pick<FoldingWorld, 'clock'>,
  { deposit, intent }: { deposit: DepositWithBalances; intent: PaymentIntent },
): Promise<void> {
  const known = await tx.strayPayment.count({ where: { paymentIntentId: deposit.paymentIntentId } });
  if (known > 0) return;
  await noteStrayPayment(tx, { paymentIntentId: intent.id, kind: 'MISPAID', now: world.clock.now() });
}

/** Whether the deposits in the terms' token exceed the amount of the terms. */
function isBeyond({ token, amount, balances }: DepositWithBalances): boolean {
  const own = balances.find((balance) => balance.token === token);
  return own !== undefined && toBigInt(own.received) > toBigInt(amount);
}
