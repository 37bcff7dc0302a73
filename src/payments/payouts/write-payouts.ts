import type {
  CreditedPayout,
  DatabaseTransaction,
  PaymentIntent,
  PaymentTerms,
  Prisma,
  Transaction,
} from '../../../prisma/client.ts';
import type { NewEvent } from '../../events/append-events.ts';
import { factKey } from '../../facts/chain-fact.ts';
import type { ChainView } from '../../facts/chain-view.ts';
import { newId } from '../../platform/identifier.ts';
import { toBigInt, toDecimal } from '../../prices/base-units.ts';
import { finalityOf } from '../facts/finality.ts';
import type { FoldingWorld } from '../facts/folding-world.ts';
import { paymentIntentFields } from '../payment-intent-fields.ts';
import type { BelievedClaims } from './believed-claims.ts';
import { bookPayouts } from './book-payouts.ts';
import { claimsAfter, creditsOf, emitterOf } from './credit-facts.ts';
import {
  type Claim,
  type Credit,
  type FoldedPayout,
  firstAttemptAt,
  foldPayouts,
  nextTryAt,
  ownerKey,
} from './payout.ts';
import { payoutFields } from './payout-fields.ts';

type World = Pick<FoldingWorld, 'clock' | 'registry' | 'hooks'>;
type Payment = Pick<PaymentTerms, 'chainId' | 'termsHash' | 'paymentIntentId' | 'tokenKey'>;

export type PayoutEvent = { appId: string; termsHash: string; event: NewEvent };

type Change = { row: CreditedPayout; payout: FoldedPayout };
type Changes = { added: Change[]; kept: Change[]; removed: CreditedPayout[] };

/**
 * Writes the undelivered and delivered payouts of payments of one chain from the valid facts, with their ledger entries.
 * Returns the events to append: one for each new payout, one for each delivery, and one `reverted` for a payment that lost any of
 * this to a reorganization, unless its intent is in `reverted` and therefore has that event already. Claims that are not in
 * `believed` deliver nothing. The caller holds the locks of the intents. Idempotent.
 */
export async function writePayouts(
  tx: DatabaseTransaction,
  world: World,
  request: {
    view: ChainView;
    payments: readonly Payment[];
    believed: BelievedClaims;
    reverted?: ReadonlySet<string>;
  },
): Promise<PayoutEvent[]> {
  const { view, payments, believed } = request;
  const { chainId } = view;
  const emitter = emitterOf(world.registry, chainId);
  if (!emitter) return [];
  const termsHashes = payments.map((payment) => payment.termsHash);
  const credits = await creditsOf(tx, { ...emitter, termsHashes });
  const rows = await tx.creditedPayout.findMany({
    where: { chainId, termsHash: { in: termsHashes } },
    orderBy: [{ blockNumber: 'asc' }, { logIndex: 'asc' }],
  });
  if (credits.length + rows.length === 0) return [];
  const claims = await claimsAfter(tx, { ...emitter, credits });
  const payouts = foldPayouts(
    credits,
    claims.filter((claim) => believed.has(factKey(claim))),
  );
  const now = world.clock.now();
  const changes = await matched(tx, { payments, rows, payouts, now });
  await writeRows(tx, changes, now);
  await bookPayouts(tx, { chainId, payments, payouts, now });
  await schedule(tx, world, [...changes.added, ...changes.kept.filter(isTakenBack)]);
  return await payoutEvents(tx, world, { ...request, changes });
}

/** Matches each payout with its row: the existing one, identified by its transaction, or a new one. */
async function matched(
  tx: DatabaseTransaction,
  request: {
    payments: readonly Payment[];
    rows: readonly CreditedPayout[];
    payouts: readonly FoldedPayout[];
    now: Date;
  },
): Promise<Changes> {
  const removed = [...request.rows];
  const changes: Changes = { added: [], kept: [], removed };
  const steps = await stepsOf(tx, request.payouts);
  const payments = new Map(request.payments.map((payment) => [payment.termsHash, payment]));
  for (const payout of request.payouts) {
    const same = removed.filter((row) => isSame(row, payout.credit));
    const row = same.find(({ logIndex }) => logIndex === payout.credit.logIndex) ?? same[0];
    if (row) {
      removed.splice(removed.indexOf(row), 1);
      changes.kept.push({ row, payout });
      continue;
    }
    const payment = payments.get(payout.credit.termsHash);
    if (!payment) continue;
    const step = stepOf(steps, payout.credit);
    changes.added.push({ row: newRow(payout, { payment, step, now: request.now }), payout });
  }
  return changes;
}

function isSame(row: CreditedPayout, credit: Credit): boolean {
  return (
    row.termsHash === credit.termsHash &&
    row.txHash === credit.txHash &&
    row.role === credit.role &&
    ownerKey(row) === ownerKey(credit) &&
    toBigInt(row.amount) === credit.amount
  );
}

/** The payments' steps in the transactions that emitted the credits. */
async function stepsOf(tx: DatabaseTransaction, payouts: readonly FoldedPayout[]): Promise<Transaction[]> {
  return await tx.transaction.findMany({
    where: {
      status: 'CONFIRMED',
      chainId: { in: payouts.map(({ credit }) => credit.chainId) },
      termsHash: { in: payouts.map(({ credit }) => credit.termsHash) },
      txHash: { in: payouts.map(({ credit }) => credit.txHash) },
    },
    orderBy: { logIndex: 'desc' },
  });
}

/** The contract emits the event of a step before it pays out, so the step is the last one before the credit. */
function stepOf(steps: readonly Transaction[], { termsHash, txHash, logIndex }: Credit): string | null {
  const step = steps.find(
    (one) => one.termsHash === termsHash && one.txHash === txHash && one.logIndex !== null && one.logIndex < logIndex,
  );
  return step?.id ?? null;
}

function newRow(
  { credit, claim }: FoldedPayout,
  { payment, step, now }: { payment: Payment; step: string | null; now: Date },
): CreditedPayout {
  const { chainId, termsHash, paymentIntentId, tokenKey } = payment;
  const { role, recipient, token, amount, keptAt } = credit;
  return {
    id: newId(),
    paymentIntentId,
    transactionId: step,
    chainId,
    termsHash,
    role,
    recipient,
    token,
    keptAt,
    tokenKey,
    amount: toDecimal(amount),
    ...placeOf(credit),
    ...deliveryOf(claim),
    nextTryAt: firstAttemptAt(credit, now),
    createdAt: now,
  };
}

function placeOf({ txHash, blockNumber, blockHash, blockTimestamp, logIndex }: Credit) {
  return { txHash, blockNumber, blockHash, logIndex, creditedAt: instant(blockTimestamp) };
}

function deliveryOf(claim: Claim | null) {
  return {
    deliveredTo: claim?.to ?? null,
    deliveredTxHash: claim?.txHash ?? null,
    deliveredBlockNumber: claim?.blockNumber ?? null,
    deliveredBlockHash: claim?.blockHash ?? null,
    deliveredLogIndex: claim?.logIndex ?? null,
    deliveredAt: claim ? instant(claim.blockTimestamp) : null,
  };
}

function instant(unixSeconds: bigint): Date {
  return new Date(Number(unixSeconds) * 1000);
}

async function writeRows(tx: DatabaseTransaction, { added, kept, removed }: Changes, now: Date): Promise<void> {
  if (removed.length > 0) await tx.creditedPayout.deleteMany({ where: { id: { in: removed.map(({ id }) => id) } } });
  if (added.length > 0) await tx.creditedPayout.createMany({ data: added.map(({ row }) => row) });
  for (const { row, payout } of kept) {
    if (row.blockHash === payout.credit.blockHash && row.logIndex === payout.credit.logIndex) continue;
    await tx.creditedPayout.update({ where: { id: row.id }, data: placeOf(payout.credit) });
  }
  const delivered = kept.filter(({ row, payout }) => isElsewhere(row, payout.claim));
  for (const changes of Map.groupBy(delivered, ({ payout }) => placeKey(payout.claim)).values()) {
    const claim = changes[0]?.payout.claim ?? null;
    await tx.creditedPayout.updateMany({
      where: { id: { in: changes.map(({ row }) => row.id) } },
      data: { ...deliveryOf(claim), ...(claim ? {} : { nextTryAt: nextTryAt(now, now) }) },
    });
  }
}

function isElsewhere(row: CreditedPayout, claim: Claim | null): boolean {
  return row.deliveredBlockHash !== (claim?.blockHash ?? null) || row.deliveredLogIndex !== (claim?.logIndex ?? null);
}

function placeKey(claim: Claim | null): string {
  return claim ? `${claim.blockHash}-${claim.logIndex}` : '';
}

/** Whether a reorganization removed the claim. Another claim in the same transaction counts as the same claim. */
function isTakenBack({ row, payout }: Change): boolean {
  return row.deliveredTxHash !== null && row.deliveredTxHash !== payout.claim?.txHash;
}

async function schedule(tx: DatabaseTransaction, { hooks, clock }: World, changes: readonly Change[]): Promise<void> {
  const open = changes.filter(({ payout }) => payout.claim === null);
  const now = clock.now();
  for (const { payout } of new Map(open.map((change) => [ownerKey(change.payout.credit), change])).values()) {
    const { chainId, recipient, token } = payout.credit;
    await hooks.afterCredited?.(tx, { chainId, recipient, token, attemptAt: firstAttemptAt(payout.credit, now) });
  }
}

async function payoutEvents(
  tx: DatabaseTransaction,
  world: World,
  request: { view: ChainView; changes: Changes; reverted?: ReadonlySet<string> },
): Promise<PayoutEvent[]> {
  const { view, changes } = request;
  const { added, kept, removed } = changes;
  const gone = [...removed, ...kept.filter(isTakenBack).map(({ row }) => row)];
  const found = kept.filter((change) => change.row.deliveredTxHash === null || isTakenBack(change));
  const delivered = [...added, ...found].filter(({ payout }) => payout.claim !== null);
  const intents = await intentsOf(tx, [...gone, ...[...added, ...delivered].map(({ row }) => row)]);
  const events: PayoutEvent[] = [];
  const append = (row: CreditedPayout, event: (intent: PaymentIntent) => Omit<NewEvent, 'resourceId'>) => {
    const intent = intents.get(row.paymentIntentId);
    if (!intent) return;
    const { appId, id: resourceId } = intent;
    events.push({ appId, termsHash: row.termsHash, event: { resourceId, ...event(intent) } });
  };
  const reverted = new Set(request.reverted);
  for (const row of gone) {
    if (reverted.has(row.paymentIntentId)) continue;
    reverted.add(row.paymentIntentId);
    const finality = { ...finalityOf(view, view.head.number), confirmations: 0, isFinal: false };
    append(row, (intent) => ({ type: 'payment_intent.reverted', data: paymentIntentFields(intent), finality }));
  }
  const dataOf = (intent: PaymentIntent, row: CreditedPayout): Prisma.InputJsonObject => ({
    ...paymentIntentFields(intent),
    payout: payoutFields(world.registry, row),
  });
  for (const { row, payout } of added) {
    const before = { ...row, ...deliveryOf(null) };
    const finality = finalityOf(view, payout.credit.blockNumber);
    append(row, (intent) => ({ type: 'payment_intent.payout_undelivered', data: dataOf(intent, before), finality }));
  }
  for (const { row, payout } of delivered) {
    const { claim } = payout;
    if (!claim) continue;
    const after = { ...row, ...deliveryOf(claim) };
    const finality = finalityOf(view, claim.blockNumber);
    append(row, (intent) => ({ type: 'payment_intent.payout_delivered', data: dataOf(intent, after), finality }));
  }
  return events;
}

async function intentsOf(
  tx: DatabaseTransaction,
  rows: readonly CreditedPayout[],
): Promise<Map<string, PaymentIntent>> {
  if (rows.length === 0) return new Map();
  const ids = [...new Set(rows.map(({ paymentIntentId }) => paymentIntentId))];
  const intents = await tx.paymentIntent.findMany({ where: { id: { in: ids } } });
  return new Map(intents.map((intent) => [intent.id, intent]));
}
