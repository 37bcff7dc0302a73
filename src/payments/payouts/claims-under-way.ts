import type { Database, OutgoingStatus } from '../../../prisma/client.ts';
import { ownerKey } from './payout.ts';

/** The recipient and the token in lower case. */
export type Recipient = { chainId: number; recipient: string; token: string };

/** A claim that the chain does not have yet: another one would be sent for nothing. */
export const unminedClaim = ['QUEUED', 'SIGNED', 'SENT'] as const satisfies readonly OutgoingStatus[];
/** Also one that was mined and is not final: the fold has it before that. */
export const unfinishedClaim = [...unminedClaim, 'MINED'] as const satisfies readonly OutgoingStatus[];

/** Begins the purpose of every claim that we send for a recipient. */
const CLAIM_PURPOSE = 'claim:';

export function recipientKey({ chainId, ...owner }: Recipient): string {
  return `${chainId}:${ownerKey(owner)}`;
}

/** Begins the purpose of each claim for the recipient and token of this `recipientKey`. */
export function claimPurpose(key: string): string {
  return `${CLAIM_PURPOSE}${key}:`;
}

/** When the newest claim in one of `statuses` was queued, by the `recipientKey` of its recipient; no entry without one. */
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
