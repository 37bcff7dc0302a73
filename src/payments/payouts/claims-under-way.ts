import type { Database, OutgoingStatus } from '../../../prisma/client.ts';
import { ownerKey } from './payout.ts';

/** Recipient and token are in lower case. */
export type Recipient = { chainId: number; recipient: string; token: string };

/** A claim that is not mined yet; sending another one would be pointless. */
export const unminedClaim = ['QUEUED', 'SIGNED', 'SENT'] as const satisfies readonly OutgoingStatus[];
/** Also a claim that was mined and is not final; the fold has applied it before that. */
export const unfinishedClaim = [...unminedClaim, 'MINED'] as const satisfies readonly OutgoingStatus[];

/** The prefix of the purpose of every claim that the gateway sends for a recipient. */
const CLAIM_PURPOSE = 'claim:';

export function recipientKey({ chainId, ...owner }: Recipient): string {
  return `${chainId}:${ownerKey(owner)}`;
}

/** The prefix of the purpose of every claim for the recipient and token of this `recipientKey`. */
export function claimPurpose(key: string): string {
  return `${CLAIM_PURPOSE}${key}:`;
}

/** When the newest claim in one of `statuses` was queued, by `recipientKey`; recipients without one are left out. */
export async function claimsUnderWay(
  database: Database,
  { keys, statuses }: { keys: readonly string[]; statuses: readonly OutgoingStatus[] },
): Promise<ReadonlyMap<string, Date>> {
  if (keys.length === 0) return new Map();
  const claims = await database.outgoingTransaction.findMany({
    where: {
      status: { in: [...statuses] },
      OR: keys.map((key) => ({ purpose: { startsWith: claimPurpose(key) } })),
    },
    select: { purpose: true, createdAt: true },
    orderBy: { createdAt: 'asc' },
  });
  const newest = keys.map(
    (key) => [key, claims.findLast(({ purpose }) => purpose.startsWith(claimPurpose(key)))] as const,
  );
  return new Map(newest.flatMap(([key, claim]) => (claim ? [[key, claim.createdAt] as const] : [])));
}
