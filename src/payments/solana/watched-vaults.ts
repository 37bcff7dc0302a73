import type { Database, SolanaWatch } from '../../../prisma/client.ts';
import { payoutPlanFromText } from '../../escrow/solana/payout-plan.ts';
import { claimPurpose, recipientKey } from '../payouts/claims-under-way.ts';

/** How long quotes are watched after the last second in which they can be paid, in chain time. */
const GRACE_SECONDS = 600n;
/** How far back new terms are searched, so that terms committed by a slow transaction after newer ones are found. */
const OVERLAP_MS = 600_000;
const LIMIT = 5_000;

export type WatchMemory = {
  /** Terms created up to this instant have been put under watch. */
  termsThrough: Date | null;
  /** Vaults that differ from the ledger; they are read in the next run. */
  recheck: Set<string>;
};

/**
 * The vaults that can be paid at this moment or have a payout pending: at most 5000, those that expire first. Starts watching new terms
 * first. Uses the chain time applied so far, so that payments made while no watcher ran are read too.
 */
export async function watchedVaults(
  world: { database: Database; memory: WatchMemory },
  { chainId, now }: { chainId: number; now: Date },
): Promise<SolanaWatch[]> {
  const { database, memory } = world;
  await watchNewTerms(database, { chainId, since: memory.termsThrough });
  memory.termsThrough = new Date(now.getTime() - OVERLAP_MS);
  const cursor = await database.chainCursor.findUnique({ where: { chainId } });
  const reached = cursor?.appliedTimestamp ?? 0n;
  const openSince = new Date(Number(reached > GRACE_SECONDS ? reached - GRACE_SECONDS : 0n) * 1000);
  const moving = await database.transaction.findMany({
    where: { chainId, status: { in: ['PENDING', 'REORGED'] } },
    select: { paymentIntentId: true },
    take: LIMIT,
  });
  const recheck = [...memory.recheck];
  memory.recheck.clear();
  const vaults = await database.solanaWatch.findMany({
    where: {
      chainId,
      OR: [
        { payBy: { gte: openSince < now ? openSince : now } },
        { paymentIntentId: { in: moving.map((row) => row.paymentIntentId) } },
        { termsHash: { in: recheck } },
      ],
    },
    orderBy: { payBy: 'asc' },
    take: LIMIT,
  });
  return [...vaults, ...(await deliveries(database, chainId))];
}

/**
 * Signed deliveries of kept shares that are not booked yet. Each is found by its own reference, so that the keeping accounts need
 * not be listed.
 */
async function deliveries(database: Database, chainId: number): Promise<SolanaWatch[]> {
  const open = await database.creditedPayout.findMany({
    where: { chainId, deliveredAt: null, keptAt: { not: null } },
    distinct: ['recipient', 'token'],
    select: { chainId: true, recipient: true, token: true },
    take: LIMIT,
  });
  if (open.length === 0) return [];
  const signed = await database.outgoingTransaction.findMany({
    where: {
      chainId,
      attempts: { some: {} },
      OR: open.map((owner) => ({ purpose: { startsWith: claimPurpose(recipientKey(owner)) } })),
    },
    orderBy: { id: 'desc' },
    take: LIMIT,
  });
  return signed.flatMap(({ id, data, createdAt }): SolanaWatch[] => {
    const { keptFor, vaultOwner } = payoutPlanFromText(data);
    if (keptFor === null) return [];
    const { reference } = keptFor;
    const never = { readSlot: 0n, payBy: createdAt, createdAt };
    return [{ termsHash: reference, paymentIntentId: id, chainId, vault: reference, vaultOwner, reference, ...never }];
  });
}

async function watchNewTerms(
  database: Database,
  { chainId, since }: { chainId: number; since: Date | null },
): Promise<void> {
  await database.$executeRaw`
    INSERT INTO solana_watch (terms_hash, chain_id, payment_intent_id, vault, vault_owner, reference, pay_by, created_at)
    SELECT terms_hash, chain_id, payment_intent_id, terms->>'vault', terms->>'vaultOwner', terms->>'reference',
      authorize_by, created_at
    FROM payment_terms
    WHERE chain_id = ${chainId} AND created_at >= ${since ?? new Date(0)} AND terms->>'stray' IS NULL
    ON CONFLICT DO NOTHING`;
}
