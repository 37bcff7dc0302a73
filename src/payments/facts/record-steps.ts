import type { DatabaseTransaction, Refund, Transaction } from '../../../prisma/client.ts';
import { changes } from '../../../prisma/written-row.ts';
import { newId } from '../../platform/identifier.ts';
import { traced } from '../../platform/request-trace.ts';
import { toDecimal } from '../../prices/base-units.ts';
import { type PaymentFact, stepAmount, stepType } from '../fold.ts';
import { repeatRelay } from '../transactions/repeat-relay.ts';
import type { PaymentEvidence, RecordedSteps } from './folding-world.ts';

/** The reason recorded for a refund that is known from the chain alone. */
export const FOUND_REASON = 'Found on the chain; its reason is not known';

/** A step that is on the chain, with the row that records it; the row is null if the step was not requested here. */
type Step = { row: Transaction | null; fact: PaymentFact; evidence: PaymentEvidence };

/**
 * Updates the payments' transaction rows according to their facts: CONFIRMED for each fact (the row that was created before sending, or a
 * new one for another sender's transaction) and REORGED for rows whose evidence is gone. A step is identified by its type and transaction,
 * so a transaction mined again in another block is the same step. Refunds follow their transactions. Returns what has changed, in the order
 * of `evidence`.
 */
export async function recordSteps(
  tx: DatabaseTransaction,
  { evidence, now }: { evidence: readonly PaymentEvidence[]; now: Date },
): Promise<RecordedSteps[]> {
  const rows = await rowsOf(tx, evidence);
  const matched = evidence.map((one) => {
    const ofPayment = rows.filter((row) => isOfPayment(row, one));
    const confirmedRows = ofPayment.filter(
      (row) => row.status === 'CONFIRMED' && row.termsHash === one.terms.termsHash,
    );
    const open = ofPayment.filter((row) => row.status !== 'CONFIRMED');
    return { one, open, ...matchSteps(confirmedRows, one.facts) };
  });
  const added = matched.flatMap((match) => match.added);
  const ours = added.length > 0 ? await sentRows(tx, added) : new Map<string, Set<string>>();
  const taken = new Set<string>();
  const steps: Step[] = [];
  const recorded: RecordedSteps[] = [];
  for (const { one, open, kept, added: facts, removed } of matched) {
    const moved = kept.filter(({ row, fact }) => row.blockHash !== fact.blockHash || row.logIndex !== fact.logIndex);
    for (const step of moved) steps.push({ ...step, evidence: one });
    for (const row of removed) await traced(one.group.requestId, () => takeBack(tx, row, now));
    for (const fact of facts) {
      const row = open.find((candidate) => !taken.has(candidate.id) && carries(candidate, fact, ours)) ?? null;
      if (row) taken.add(row.id);
      steps.push({ row, fact, evidence: one });
    }
    recorded.push({ added: facts, removed, moved: moved.length });
  }
  await confirm(tx, { steps, now });
  return recorded;
}

/** The rows of the payments and those of their intents that belong to no payment yet, oldest first. */
async function rowsOf(tx: DatabaseTransaction, evidence: readonly PaymentEvidence[]): Promise<Transaction[]> {
  return await tx.transaction.findMany({
    where: {
      paymentIntentId: { in: evidence.map(({ terms }) => terms.paymentIntentId) },
      OR: [{ termsHash: { in: evidence.map(({ terms }) => terms.termsHash) } }, { termsHash: null }],
    },
    orderBy: { createdAt: 'asc' },
  });
}

function isOfPayment(row: Transaction, { terms }: PaymentEvidence): boolean {
  if (row.paymentIntentId !== terms.paymentIntentId || row.chainId !== terms.chainId) return false;
  return row.termsHash === null || row.termsHash === terms.termsHash;
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

/** Whether the row was created for this step: its transaction, or one of the attempts to send it, has the fact's hash. */
function carries(row: Transaction, fact: PaymentFact, ours: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  if (row.type !== stepType(fact.event)) return false;
  return row.txHash?.toLowerCase() === fact.txHash || ours.get(fact.txHash)?.has(row.id) === true;
}

/** By transaction hash, the ids of the transaction rows for which the installation's keys sent it. */
async function sentRows(tx: DatabaseTransaction, facts: readonly PaymentFact[]): Promise<Map<string, Set<string>>> {
  const attempts = await tx.outgoingAttempt.findMany({
    where: { hash: { in: [...new Set(facts.map((fact) => fact.txHash))] } },
    select: { hash: true, outgoing: { select: { transactionId: true, items: { select: { transactionId: true } } } } },
  });
  const rows = new Map<string, Set<string>>();
  for (const { hash, outgoing } of attempts) {
    const known = rows.get(hash) ?? new Set();
    for (const { transactionId } of [outgoing, ...outgoing.items]) if (transactionId !== null) known.add(transactionId);
    rows.set(hash, known);
  }
  return rows;
}

const confirmed = [
  'status',
  'termsHash',
  'txHash',
  'blockNumber',
  'blockHash',
  'logIndex',
  'amount',
  'gasUsed',
  'error',
  'confirmedAt',
] as const;

/** Writes the steps to their rows, or to new ones, and lets refunds follow. */
async function confirm(tx: DatabaseTransaction, { steps, now }: { steps: readonly Step[]; now: Date }): Promise<void> {
  const written = steps.map((step) => ({ step, id: step.row?.id ?? newId(), data: confirmedColumns(step, now) }));
  const known = written.filter(({ step }) => step.row !== null).map(({ id, data }) => ({ id, ...data }));
  if (known.length > 0) {
    await tx.$executeRaw(changes<Transaction, (typeof confirmed)[number]>({ name: 'transaction' }, confirmed, known));
  }
  const found = written.filter(({ step }) => step.row === null);
  if (found.length > 0) {
    await tx.transaction.createMany({
      data: found.map(({ step: { fact, evidence }, id, data }) => {
        const { paymentIntentId, chainId } = evidence.terms;
        return { id, paymentIntentId, chainId, type: stepType(fact.event), createdAt: now, ...data };
      }),
    });
  }
  for (const { step, id, data } of written) {
    const { row, fact, evidence } = step;
    if (fact.event.kind !== 'Refunded') continue;
    const isKnown = row !== null && (await confirmRefund(tx, { id, now }));
    if (!isKnown) await recordFoundRefund(tx, { id, evidence, left: fact.event.left, ...data });
  }
}

function confirmedColumns({ row, fact, evidence }: Step, now: Date) {
  return {
    status: 'CONFIRMED' as const,
    termsHash: evidence.terms.termsHash,
    txHash: fact.txHash,
    blockNumber: fact.blockNumber,
    blockHash: fact.blockHash,
    logIndex: fact.logIndex,
    amount: toDecimal(stepAmount(fact.event)),
    gasUsed: evidence.gasUsed.get(fact.txHash) ?? row?.gasUsed ?? null,
    error: null,
    confirmedAt: now,
  };
}

/** Whether the row's transaction carries a refund that was requested here. */
async function confirmRefund(tx: DatabaseTransaction, { id, now }: { id: string; now: Date }): Promise<boolean> {
  const known = await tx.refund.updateMany({
    where: { transactionId: id },
    data: { status: 'CONFIRMED', confirmedAt: now, error: null },
  });
  return known.count > 0;
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
 * Marks a step REORGED and its refund pending again: the gateway's transaction is sent again until its block is final. If sending was
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
