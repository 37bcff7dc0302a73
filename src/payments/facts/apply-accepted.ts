import type { DatabaseTransaction, Dispute, PaymentIntent, PaymentTerms } from '../../../prisma/client.ts';
import { changes } from '../../../prisma/written-row.ts';
import type { NewEvent } from '../../events/append-events.ts';
import { foldPayment, noPayment, type PaymentFact, type PaymentState } from '../fold.ts';
import { paymentIntentFields } from '../payment-intent-fields.ts';
import { keyText } from '../payment-key.ts';
import { type Decisions, statusOf } from '../payment-status.ts';
import { finalityOf } from './finality.ts';
import type { FoldingWorld, PaymentChange } from './folding-world.ts';
import { intentColumns, intentFields } from './intent-columns.ts';
import { recordDispute } from './record-dispute.ts';
import { FOUND_REASON } from './record-steps.ts';
import { stepEvents } from './step-events.ts';

/** A changed payment and the new values of its intent's row. */
type Update = { change: PaymentChange; decisions: Decisions; payment: FoldedPayment; row: IntentRow };
type FoldedPayment = Parameters<typeof intentColumns>[0];
type IntentRow = Pick<PaymentIntent, 'id' | (typeof foldedFields)[number]>;

/**
 * Updates intents according to their accepted payments' facts and the gateway's own decisions, and calls the hooks. Returns the
 * events to append by intent id: one `reverted` for everything that a reorganization removed, then one or more per new step with the
 * intent as it was right after that step. The intents are distinct.
 */
export async function applyAccepted(
  tx: DatabaseTransaction,
  world: FoldingWorld,
  accepted: readonly PaymentChange[],
): Promise<Map<string, NewEvent[]>> {
  const eventsByIntent = new Map<string, NewEvent[]>(accepted.map(({ intent }) => [intent.id, []]));
  const changed = accepted.filter(({ steps }) => steps.added.length > 0 || steps.removed.length > 0 || steps.moved > 0);
  if (changed.length === 0) return eventsByIntent;
  const updates = await readUpdates(tx, world, changed);
  const written = await writeIntents(tx, updates);
  const disputes = await recordDisputes(tx, changed);
  await callHooks(tx, world, { changed, written, disputes });
  for (const update of updates) {
    const { id } = update.row;
    const intent = written.get(id);
    if (!intent) throw new Error(`Payment intent ${id} was not written.`);
    eventsByIntent.set(id, await eventsOf(tx, { update, intent, dispute: disputes.get(id) ?? null }));
  }
  return eventsByIntent;
}

async function readUpdates(
  tx: DatabaseTransaction,
  world: FoldingWorld,
  changed: readonly PaymentChange[],
): Promise<Update[]> {
  const signatures = await payerSignatures(tx, changed);
  const refunding = await pendingRefunds(tx, changed);
  const updates: Update[] = [];
  for (const change of changed) {
    const { evidence, intent, state } = change;
    const { terms } = evidence;
    const decisions: Decisions = {
      cancelled: state.status === 'NONE' && (await isVoidAsked(tx, terms)),
      failed: intent.status === 'FAILED',
      refundPending: refunding.has(keyText(terms)),
    };
    const payment = {
      terms,
      tokenDecimals: world.registry.token(terms.tokenKey)?.decimals ?? null,
      signature: terms.quoteId === null ? null : (signatures.get(terms.quoteId) ?? null),
    };
    const row = {
      id: intent.id,
      ...intentColumns(payment, state),
      refundReason: await refundReason(tx, change, state),
      // Counts a capture that this gateway did not request (made while authorizing, or by a third party) as an attempt.
      captureAttempts: state.capture && intent.captureAttempts === 0 ? 1 : intent.captureAttempts,
      status: statusOf(state, decisions),
    };
    updates.push({ change, decisions, payment, row });
  }
  return updates;
}

const foldedFields = [...intentFields, 'refundReason', 'captureAttempts', 'status'] as const;

async function writeIntents(tx: DatabaseTransaction, updates: readonly Update[]): Promise<Map<string, PaymentIntent>> {
  const rows = updates.map(({ row }) => row);
  await tx.$executeRaw(
    changes<PaymentIntent, (typeof foldedFields)[number]>({ name: 'payment_intent' }, foldedFields, rows),
  );
  const written = await tx.paymentIntent.findMany({ where: { id: { in: rows.map(({ id }) => id) } } });
  return new Map(written.map((intent) => [intent.id, intent]));
}

/** The disputes of the payments that have one or had one, by intent id. */
async function recordDisputes(
  tx: DatabaseTransaction,
  changed: readonly PaymentChange[],
): Promise<Map<string, Dispute>> {
  const disputes = new Map<string, Dispute>();
  for (const { evidence, intent, state, steps } of changed) {
    const isDisputable = state.dispute !== null || steps.removed.some((step) => step.type === 'DISPUTE');
    const dispute = isDisputable ? await recordDispute(tx, { evidence, state }) : null;
    if (dispute) disputes.set(intent.id, dispute);
  }
  return disputes;
}

async function eventsOf(
  tx: DatabaseTransaction,
  { update, intent: written, dispute }: { update: Update; intent: PaymentIntent; dispute: Dispute | null },
): Promise<NewEvent[]> {
  const { change, decisions, payment } = update;
  const { evidence, state, steps } = change;
  const { view } = evidence.group;
  const after = async (prefix: PaymentState): Promise<PaymentIntent> => ({
    ...written,
    ...intentColumns(payment, prefix),
    refundReason: await refundReason(tx, change, prefix),
    status: statusOf(prefix, decisions),
  });
  const events: NewEvent[] = [];
  if (steps.removed.length > 0) {
    const remaining = foldPayment(evidence.facts.filter((fact) => !steps.added.includes(fact))) ?? noPayment;
    const finality = { ...finalityOf(view, view.head.number), confirmations: 0, isFinal: false };
    const data = paymentIntentFields(await after(remaining));
    events.push({ type: 'payment_intent.reverted', resourceId: written.id, data, finality });
  }
  for (const fact of steps.added) {
    const prefix = foldPayment(upTo(evidence.facts, fact)) ?? state;
    const reportedDispute = dispute && { ...dispute, ...(isOpenAt(prefix) ? stillOpen : {}) };
    events.push(...stepEvents(view, { fact, intent: await after(prefix), dispute: reportedDispute }));
  }
  return events;
}

function upTo(facts: readonly PaymentFact[], last: PaymentFact): PaymentFact[] {
  return facts.slice(0, facts.indexOf(last) + 1);
}

const stillOpen = { status: 'OPEN', payerBps: null, resolvedAt: null } as const;

function isOpenAt(state: PaymentState): boolean {
  return state.dispute !== null && state.status === 'CAPTURED';
}

/** The payments with a refund that this gateway has decided and the chain does not show. */
async function pendingRefunds(tx: DatabaseTransaction, changed: readonly PaymentChange[]): Promise<Set<string>> {
  const refunds = await tx.refund.findMany({
    where: { paymentIntentId: { in: changed.map(({ intent }) => intent.id) }, status: 'PENDING' },
    // After a reorganization another payment may count; a refund of the one that counted before does not belong to it.
    select: { transaction: { select: { chainId: true, termsHash: true } } },
  });
  return new Set(refunds.map(({ transaction }) => keyText(transaction)));
}

/** A hold that vanished while it was being voided is not restored. */
async function isVoidAsked(tx: DatabaseTransaction, terms: PaymentTerms): Promise<boolean> {
  const asked = await tx.transaction.findMany({
    where: {
      paymentIntentId: terms.paymentIntentId,
      chainId: terms.chainId,
      termsHash: terms.termsHash,
      type: 'VOID',
      status: { in: ['PENDING', 'REORGED'] },
    },
    select: { id: true },
  });
  const sent = await tx.outgoingTransaction.count({ where: { transactionId: { in: asked.map((row) => row.id) } } });
  return sent > 0;
}

/** The payers' permit and ERC-3009 signatures by the quotes that were paid. */
async function payerSignatures(
  tx: DatabaseTransaction,
  changed: readonly PaymentChange[],
): Promise<Map<string, string | null>> {
  const ids = changed.flatMap(({ evidence }) => evidence.terms.quoteId ?? []);
  if (ids.length === 0) return new Map();
  const quotes = await tx.quote.findMany({ where: { id: { in: ids } }, select: { id: true, signature: true } });
  return new Map(quotes.map(({ id, signature }) => [id, signature]));
}

/** The merchant's reason for the latest final refund; null if the refund was not made through this gateway. */
async function refundReason(
  tx: DatabaseTransaction,
  { evidence }: PaymentChange,
  state: PaymentState,
): Promise<string | null> {
  if (!state.refund) return null;
  const refund = await tx.refund.findFirst({
    where: {
      transaction: {
        type: 'REFUND',
        chainId: evidence.terms.chainId,
        termsHash: evidence.terms.termsHash,
        txHash: state.refund.txHash,
        logIndex: state.refund.logIndex,
      },
    },
    select: { reason: true },
  });
  return refund && refund.reason !== FOUND_REASON ? refund.reason : null;
}

async function callHooks(
  tx: DatabaseTransaction,
  { hooks }: FoldingWorld,
  result: {
    changed: readonly PaymentChange[];
    written: ReadonlyMap<string, PaymentIntent>;
    disputes: ReadonlyMap<string, Dispute>;
  },
): Promise<void> {
  const { changed, written, disputes } = result;
  const authorized: PaymentIntent[] = [];
  const captured: PaymentIntent[] = [];
  for (const { intent: before, steps } of changed) {
    const intent = written.get(before.id);
    if (!intent) continue;
    const kinds = new Set(steps.added.map(({ event }) => event.kind));
    if (steps.removed.length > 0) await hooks.afterReverted?.(tx, intent);
    if (kinds.has('Authorized')) authorized.push(intent);
    if (kinds.has('Captured')) captured.push(intent);
  }
  if (authorized.length > 0) await hooks.afterAuthorized?.(tx, authorized);
  if (captured.length > 0) await hooks.afterCaptured?.(tx, captured);
  for (const { intent: before, steps } of changed) {
    const [intent, dispute] = [written.get(before.id), disputes.get(before.id)];
    const isDisputed = steps.added.some(({ event }) => event.kind === 'Disputed');
    if (intent && dispute && isDisputed) await hooks.afterDisputed?.(tx, intent, dispute);
  }
}
