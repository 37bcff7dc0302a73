import { z } from 'zod';
import { type CreditedPayout, type Database, type DatabaseTransaction, transaction } from '../../../prisma/client.ts';
import type { Clock } from '../../platform/clock.ts';
import { addJob } from '../../platform/jobs.ts';
import { lockIntents } from '../facts/lock-intents.ts';
import { deliverPayoutsJob } from '../jobs.ts';
import { claimsOf, creditsOf } from './credit-facts.ts';
import { deliveryKey } from './deliver-payouts.ts';
import { type Claim, claimOf, nextTryAt, ownerKey } from './payout.ts';

type World = { database: Database; clock: Clock };
type Delivery = Pick<
  CreditedPayout,
  | 'deliveredTo'
  | 'deliveredTxHash'
  | 'deliveredBlockNumber'
  | 'deliveredBlockHash'
  | 'deliveredLogIndex'
  | 'deliveredAt'
>;

/** Rows that are looked at together. */
const PAGE = 200;
const deliveredEvent = z.object({ payout: z.object({ id: z.string(), deliveredTxHash: z.string().nullable() }) });

/**
 * Puts right, of the payouts of a chain or of one payment, those whose rows do not say of their delivery what the facts say
 * that are applied. What has been told already is told to nobody again: only a claim of which no event told is left to the
 * fold, which tells it when the credits are folded anew. Answers the ids of the payments of which something was put right.
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
  { clock }: World,
  { chainId, ids }: { chainId: number; ids: readonly string[] },
): Promise<CreditedPayout[]> {
  const rows = await tx.creditedPayout.findMany({ where: { id: { in: [...ids] } } });
  const credits = await creditsOf(tx, { chainId, termsHashes: [...new Set(rows.map(({ termsHash }) => termsHash))] });
  const owners = [...new Map(credits.map((credit) => [ownerKey(credit), credit])).values()];
  const claims = await claimsOf(tx, { chainId, owners });
  const repaired: CreditedPayout[] = [];
  for (const row of rows) {
    const credit = credits.find((one) => one.blockHash === row.blockHash && one.logIndex === row.logIndex);
    const claim = credit ? claimOf(credit, claims) : null;
    // A row without a credit, and one that waits for facts which are still to be applied, are the fold's.
    if (!credit || !isDamaged(row, deliveryBy(claim)) || (claim && (await isWaiting(tx, claim)))) continue;
    const told = await claimsTold(tx, row);
    if (!claim && row.deliveredTxHash !== null && told.has(row.deliveredTxHash)) continue;
    await put(tx, row, { delivery: deliveryBy(claim && told.has(claim.txHash) ? claim : null), now: clock.now() });
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

/** The transactions by which events told that this payout was delivered. */
async function claimsTold(tx: DatabaseTransaction, row: CreditedPayout): Promise<Set<string>> {
  const events = await tx.event.findMany({
    where: { resourceId: row.paymentIntentId, type: 'payment_intent.payout_delivered' },
    select: { data: true },
  });
  const told = events.flatMap(({ data }) => {
    const { payout } = deliveredEvent.parse(data);
    return payout.id === row.id && payout.deliveredTxHash !== null ? [payout.deliveredTxHash] : [];
  });
  return new Set(told);
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
