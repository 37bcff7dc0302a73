import type { DatabaseTransaction, Refund, Transaction, TransactionType } from '../../../prisma/client.ts';
import { newId } from '../../platform/identifier.ts';
import { toDecimal } from '../../prices/base-units.ts';
import { type PaymentFact, stepAmount, stepType } from '../fold.ts';
import { repeatRelay } from '../transactions/repeat-relay.ts';
import type { PaymentEvidence, RecordedSteps } from './folding-world.ts';

/** The reason recorded for a refund that is known from the chain alone. */
export const FOUND_REASON = 'Found on the chain; its reason is not known';

/**
 * Updates the payment's transaction rows to what its facts say: CONFIRMED for each fact (the row that we created before sending,
 * or a new one for someone else's transaction) and REORGED for rows whose evidence is gone. A step is identified by its type and
 * transaction, so a transaction mined again in another block is the same step. Refunds follow their transactions.
 */
export async function recordSteps(
  tx: DatabaseTransaction,
  { evidence, now }: { evidence: PaymentEvidence; now: Date },
): Promise<RecordedSteps> {
  const { terms, facts } = evidence;
  const rows = await tx.transaction.findMany({
    where: {
      paymentIntentId: terms.paymentIntentId,
      chainId: terms.chainId,
      OR: [{ termsHash: terms.termsHash }, { termsHash: null }],
    },
    orderBy: { createdAt: 'asc' },
  });
  const recorded = rows.filter((row) => row.status === 'CONFIRMED' && row.termsHash === terms.termsHash);
  const { kept, added, removed } = matchSteps(recorded, facts);
  let moved = 0;
  for (const { row, fact } of kept) {
    if (row.blockHash === fact.blockHash && row.logIndex === fact.logIndex) continue;
    await confirm(tx, { row, fact, evidence, now });
    moved += 1;
  }
  for (const row of removed) await takeBack(tx, row, now);
  const open = rows.filter((row) => row.status !== 'CONFIRMED');
  const ours = added.length > 0 ? await sentRows(tx, added) : new Map<string, string[]>();
  for (const fact of added) {
    const row = open.find((candidate) => carries(candidate, fact, ours));
    if (row) open.splice(open.indexOf(row), 1);
    await confirm(tx, { row: row ?? null, fact, evidence, now });
  }
  return { added, removed, moved };
}

function matchSteps(recorded: readonly Transaction[], facts: readonly PaymentFact[]) {
  const removed = [...recorded];
  const kept: { row: Transaction; fact: PaymentFact }[] = [];
  const added: PaymentFact[] = [];
  for (const fact of facts) {
    const same = removed.filter((row) => row.type === stepType(fact.event) && row.txHash === fact.txHash);
    const row = same.find((candidate) => candidate.logIndex === fact.logIndex) ?? same[0];
    if (!row) {
      added.push(fact);
      continue;
    }
    removed.splice(removed.indexOf(row), 1);
    kept.push({ row, fact });
  }
  return { kept, added, removed };
}

/** Whether the row was created for this step: its transaction, or one of our attempts to send it, has the fact's hash. */
function carries(row: Transaction, fact: PaymentFact, ours: ReadonlyMap<string, string[]>): boolean {
  if (row.type !== stepType(fact.event)) return false;
  return row.txHash?.toLowerCase() === fact.txHash || (ours.get(fact.txHash) ?? []).includes(row.id);
}

/** By transaction hash, the ids of the transaction rows for which our keys sent it. */
async function sentRows(tx: DatabaseTransaction, facts: readonly PaymentFact[]): Promise<Map<string, string[]>> {
  const attempts = await tx.outgoingAttempt.findMany({
    where: { hash: { in: facts.map((fact) => fact.txHash) } },
    select: { hash: true, outgoing: { select: { transactionId: true, items: { select: { transactionId: true } } } } },
  });
  const rows = new Map<string, string[]>();
  for (const { hash, outgoing } of attempts) {
    const sent = [outgoing, ...outgoing.items].map(({ transactionId }) => transactionId);
    rows.set(hash, [...(rows.get(hash) ?? []), ...sent.filter((id) => id !== null)]);
  }
  return rows;
}

async function confirm(
  tx: DatabaseTransaction,
  step: { row: Transaction | null; fact: PaymentFact; evidence: PaymentEvidence; now: Date },
): Promise<void> {
  const { row, fact, evidence, now } = step;
  const { terms } = evidence;
  const type: TransactionType = stepType(fact.event);
  const gasUsed = evidence.gasUsed.get(fact.txHash);
  const data = {
    status: 'CONFIRMED' as const,
    termsHash: terms.termsHash,
    txHash: fact.txHash,
    blockNumber: fact.blockNumber,
    blockHash: fact.blockHash,
    logIndex: fact.logIndex,
    amount: toDecimal(stepAmount(fact.event)),
    error: null,
    confirmedAt: now,
    ...(gasUsed === undefined ? {} : { gasUsed }),
  };
  if (!row) {
    const { paymentIntentId, chainId } = terms;
    const id = newId();
    await tx.transaction.create({ data: { id, paymentIntentId, chainId, type, createdAt: now, ...data } });
    if (fact.event.kind === 'Refunded') await recordFoundRefund(tx, { id, evidence, left: fact.event.left, ...data });
    return;
  }
  await tx.transaction.update({ where: { id: row.id }, data });
  if (type !== 'REFUND') return;
  const known = await tx.refund.updateMany({
    where: { transactionId: row.id },
    data: { status: 'CONFIRMED', confirmedAt: now, error: null },
  });
  if (known.count > 0 || fact.event.kind !== 'Refunded') return;
  await recordFoundRefund(tx, { id: row.id, evidence, left: fact.event.left, ...data });
}

/** Records a refund that is on the chain and has no row: it was sent before a database restore, or not through this gateway. */
async function recordFoundRefund(
  tx: DatabaseTransaction,
  found: { id: string; evidence: PaymentEvidence; left: bigint; amount: Refund['amount']; confirmedAt: Date },
): Promise<void> {
  const { paymentIntentId, tokenKey } = found.evidence.terms;
  await tx.refund.create({
    data: {
      id: newId(),
      paymentIntentId,
      transactionId: found.id,
      amount: found.amount,
      leftoverAfter: toDecimal(found.left),
      tokenKey,
      reason: FOUND_REASON,
      status: 'CONFIRMED',
      createdAt: found.confirmedAt,
      confirmedAt: found.confirmedAt,
    },
  });
}

/**
 * Marks a step REORGED and its refund pending again: what we sent is sent again until it is in a block that stays. If sending was
 * given up before the evidence vanished, nothing will report the failure later, so the step is marked FAILED here. A relayed
 * authorization that failed in this way is repeated while it may still succeed.
 */
async function takeBack(tx: DatabaseTransaction, row: Transaction, now: Date): Promise<void> {
  const sent = await tx.outgoingTransaction.findUnique({
    where: { transactionId: row.id },
    select: { status: true, error: true },
  });
  // Nothing sends this refund again; it reappears if its transaction is mined again.
  if (row.type === 'REFUND' && !sent)
    await tx.refund.deleteMany({ where: { transactionId: row.id, reason: FOUND_REASON } });
  const isOver = sent?.status === 'FAILED' || sent?.status === 'CANCELLED';
  const isGivenUp = isOver && (row.type === 'REFUND' || row.type === 'AUTHORIZE');
  const error = isGivenUp ? (sent?.error ?? null) : null;
  await tx.transaction.update({
    where: { id: row.id },
    data: { status: isGivenUp ? 'FAILED' : 'REORGED', confirmedAt: null, error },
  });
  if (isGivenUp && row.type === 'AUTHORIZE') await repeatRelay(tx, { relay: row, now });
  await tx.refund.updateMany({
    where: { transactionId: row.id },
    data: { status: isGivenUp ? 'FAILED' : 'PENDING', confirmedAt: null, error },
  });
}
