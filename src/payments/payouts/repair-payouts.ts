import { z } from 'zod';
import { type CreditedPayout, type Database, type DatabaseTransaction, transaction } from '../../../prisma/client.ts';
import type { Registry } from '../../chains/registry.ts';
import { factKey } from '../../facts/chain-fact.ts';
import type { Clock } from '../../platform/clock.ts';
import { addJob } from '../../platform/jobs.ts';
import { lockIntents } from '../facts/lock-intents.ts';
import { deliverPayoutsJob } from '../jobs.ts';
import { claimsAfter, creditsOf, emitterOf } from './credit-facts.ts';
import { deliveryKey } from './deliver-payouts.ts';
import { type Claim, foldPayouts, nextTryAt } from './payout.ts';

type World = { database: Database; clock: Clock; registry: Registry };
type Delivery = Pick<
  CreditedPayout,
  | 'deliveredTo'
  | 'deliveredTxHash'
  | 'deliveredBlockNumber'
  | 'deliveredBlockHash'
  | 'deliveredLogIndex'
  | 'deliveredAt'
>;

/** The number of rows read at a time. */
const PAGE = 200;
const deliveredEvent = z.object({ payout: z.object({ id: z.string(), deliveredTxHash: z.string().nullable() }) });

/**
 * Repairs the payouts of a chain, or of one payment, whose rows disagree with the applied facts about their delivery. Nothing is
 * reported twice. Only a claim that no event has reported is left to the fold, which reports it when the credits are folded
 * again. Returns the terms hashes of the repaired payments and the number of repaired payouts.
 */
export async function repairPayouts(
  world: World,
  { chainId, termsHash }: { chainId: number; termsHash?: string },
): Promise<{ termsHashes: string[]; payouts: number }> {
  const repaired = { termsHashes: new Set<string>(), payouts: 0 };
  let last: string | undefined;
  for (;;) {
    const page = await world.database.creditedPayout.findMany({
      where: {
        chainId,
        ...(termsHash === undefined ? {} : { termsHash }),
        ...(last === undefined ? {} : { id: { gt: last } }),
      },
      orderBy: { id: 'asc' },
      take: PAGE,
      select: { id: true, paymentIntentId: true },
    });
    await transaction(world.database, async (tx) => {
      await lockIntents(
        tx,
        page.map((row) => row.paymentIntentId),
      );
      for (const row of await repairPage(tx, world, { chainId, ids: page.map(({ id }) => id) })) {
        repaired.termsHashes.add(row.termsHash);
        repaired.payouts += 1;
      }
    });
    last = page.at(-1)?.id;
    if (page.length < PAGE) return { termsHashes: [...repaired.termsHashes], payouts: repaired.payouts };
  }
}

async function repairPage(
  tx: DatabaseTransaction,
  { clock, registry }: World,
  { chainId, ids }: { chainId: number; ids: readonly string[] },
): Promise<CreditedPayout[]> {
  const rows = await tx.creditedPayout.findMany({ where: { id: { in: [...ids] } } });
  const emitter = emitterOf(registry, chainId);
  if (!emitter) return [];
  const termsHashes = [...new Set(rows.map(({ termsHash }) => termsHash))];
  const credits = new Map(
    (await creditsOf(tx, { ...emitter, termsHashes })).map((credit) => [factKey(credit), credit]),
  );
  const claims = await claimsAfter(tx, { ...emitter, credits: [...credits.values()] });
  const reportedClaims = await readReportedClaims(tx, { rows, claims });
  const repaired: CreditedPayout[] = [];
  for (const row of rows) {
    const credit = credits.get(factKey(row));
    if (!credit) continue;
    const ofRow = reportedClaims.get(row.id) ?? new Set();
    const [folded] = foldPayouts(
      [credit],
      claims.filter(({ txHash }) => ofRow.has(txHash)),
    );
    const claim = folded?.claim ?? null;
    const delivery = deliveryBy(claim);
    // A row without a credit, or one that waits for facts that are yet to be applied, is left to the fold.
    if (!isDamaged(row, delivery) || (claim && (await isWaiting(tx, claim)))) continue;
    if (!claim && row.deliveredTxHash !== null && ofRow.has(row.deliveredTxHash)) continue;
    await put(tx, row, { delivery, now: clock.now() });
    repaired.push(row);
  }
  return repaired;
}

function deliveryBy(claim: Claim | null): Delivery {
  return {
    deliveredTo: claim?.to ?? null,
    deliveredTxHash: claim?.txHash ?? null,
    deliveredBlockNumber: claim?.blockNumber ?? null,
    deliveredBlockHash: claim?.blockHash ?? null,
    deliveredLogIndex: claim?.logIndex ?? null,
    deliveredAt: claim ? new Date(Number(claim.blockTimestamp) * 1000) : null,
  };
}

function isDamaged(row: CreditedPayout, truth: Delivery): boolean {
  return (
    row.deliveredTo !== truth.deliveredTo ||
    row.deliveredTxHash !== truth.deliveredTxHash ||
    row.deliveredBlockNumber !== truth.deliveredBlockNumber ||
    row.deliveredBlockHash !== truth.deliveredBlockHash ||
    row.deliveredLogIndex !== truth.deliveredLogIndex ||
    row.deliveredAt?.getTime() !== truth.deliveredAt?.getTime()
  );
}

async function isWaiting(tx: DatabaseTransaction, { chainId, blockHash, logIndex }: Claim): Promise<boolean> {
  return (await tx.chainFact.count({ where: { chainId, blockHash, logIndex, appliedAt: null } })) > 0;
}

/**
 * The transactions that `payout_delivered` events named, by payout id. Of a payout that was delivered before the app's newest archived
 * event, the event may have been archived; it named the transaction of the row, if that is a claim.
 */
async function readReportedClaims(
  tx: DatabaseTransaction,
  { rows, claims }: { rows: readonly CreditedPayout[]; claims: readonly Claim[] },
): Promise<Map<string, Set<string>>> {
  const events = await tx.event.findMany({
    where: {
      resourceId: { in: [...new Set(rows.map(({ paymentIntentId }) => paymentIntentId))] },
      type: 'payment_intent.payout_delivered',
    },
    select: { data: true },
  });
  const reported = new Map<string, Set<string>>();
  for (const { data } of events) {
    const { id, deliveredTxHash } = deliveredEvent.parse(data).payout;
    if (deliveredTxHash !== null) reported.set(id, (reported.get(id) ?? new Set()).add(deliveredTxHash));
  }
  for (const { id, deliveredTxHash } of await deliveredBeforeArchive(tx, rows)) {
    if (claims.some(({ txHash }) => txHash === deliveredTxHash)) {
      reported.set(id, (reported.get(id) ?? new Set()).add(deliveredTxHash));
    }
  }
  return reported;
}

/** A tolerance of one day, because the clock of a chain may be ahead of the gateway's. */
async function deliveredBeforeArchive(
  tx: DatabaseTransaction,
  rows: readonly CreditedPayout[],
): Promise<{ id: string; deliveredTxHash: string }[]> {
  return await tx.$queryRaw<{ id: string; deliveredTxHash: string }[]>`
    SELECT payout.id::text, payout.delivered_tx_hash AS "deliveredTxHash" FROM credited_payout AS payout
    JOIN payment_intent ON payment_intent.id = payout.payment_intent_id
    JOIN event_cursor AS cursor ON cursor.app_id = payment_intent.app_id
    WHERE payout.id = ANY (${rows.map(({ id }) => id)}::uuid[]) AND payout.delivered_tx_hash IS NOT NULL
      AND payout.delivered_at <= cursor.archived_until + interval '1 day'`;
}

async function put(
  tx: DatabaseTransaction,
  { id, chainId, recipient, token }: CreditedPayout,
  { delivery, now }: { delivery: Delivery; now: Date },
): Promise<void> {
  if (delivery.deliveredAt !== null) {
    await tx.creditedPayout.update({ where: { id }, data: delivery });
    return;
  }
  const runAt = nextTryAt(now, now);
  await tx.creditedPayout.update({ where: { id }, data: { ...delivery, nextTryAt: runAt } });
  const owner = { chainId, recipient, token };
  await addJob(tx, deliverPayoutsJob, owner, { runAt, key: deliveryKey(owner) });
}
