/** Reads stored snapshots, and the proofs of one app. */
import type { Database } from '../../../../prisma/client.ts';
import { notFound } from '../../../errors.ts';
import { isId } from '../../../platform/identifier.ts';
import { type ProofPiece, statementHash } from './liability.ts';
import { type PublishedSnapshot, publishedOf } from './snapshot.ts';

/** The proof that an app's payments are part of a token's total. */
export type LiabilityProof = {
  snapshot: PublishedSnapshot;
  tokenKey: string;
  tokenAddress: string;
  rootHash: string;
  total: bigint;
  appId: string;
  /** Base units. */
  amount: bigint;
  statement: string[];
  statementHash: string;
  pieces: ProofPiece[];
};

/** The newest snapshot of each chain, by chain id. */
export async function readNewestSnapshots(database: Database): Promise<PublishedSnapshot[]> {
  const rows = await database.liabilitySnapshot.findMany({
    distinct: ['chainId'],
    orderBy: [{ chainId: 'asc' }, { blockNumber: 'desc' }],
    include: { totals: true },
  });
  return rows.map(publishedOf);
}

/** Snapshots of one chain or of all, newest first. */
export async function readSnapshots(
  database: Database,
  { chainId, limit }: { chainId: number | undefined; limit: number },
): Promise<PublishedSnapshot[]> {
  const rows = await database.liabilitySnapshot.findMany({
    where: chainId === undefined ? {} : { chainId },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: limit,
    include: { totals: true },
  });
  return rows.map(publishedOf);
}

/** Throws NOT_FOUND. */
export async function readSnapshot(database: Database, id: string): Promise<PublishedSnapshot> {
  const row = isId(id)
    ? await database.liabilitySnapshot.findUnique({ where: { id }, include: { totals: true } })
    : null;
  if (!row) throw notFound('liability snapshot');
  return publishedOf(row);
}

/** The app's proofs in one snapshot, or in the newest of each chain; none if nothing was owed. Throws NOT_FOUND for an unknown snapshot. */
export async function readProofs(
  database: Database,
  { appId, snapshotId }: { appId: string; snapshotId: string | undefined },
): Promise<LiabilityProof[]> {
  const snapshots =
    snapshotId === undefined ? await readNewestSnapshots(database) : [await readSnapshot(database, snapshotId)];
  const accounts = await database.liabilityAccount.findMany({
    where: { appId, snapshotId: { in: snapshots.map(({ id }) => id) } },
    orderBy: { tokenKey: 'asc' },
  });
  return snapshots.flatMap((snapshot) =>
    accounts
      .filter((account) => account.snapshotId === snapshot.id)
      .flatMap(({ tokenKey, statement, pieces: stored }) => {
        const token = snapshot.tokens.find((one) => one.tokenKey === tokenKey);
        if (!token) return [];
        // Written by `publishLiabilities` alone.
        const pieces = stored as unknown as ProofPiece[];
        const { tokenAddress, rootHash, total } = token;
        const amount = pieces.reduce((sum, piece) => sum + BigInt(piece.amount), 0n);
        const hash = statementHash(statement);
        return [
          { snapshot, tokenKey, tokenAddress, rootHash, total, appId, amount, statement, statementHash: hash, pieces },
        ];
      }),
  );
}
