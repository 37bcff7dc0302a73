/** Snapshots and proofs as `GET /liabilities` and `GET /reports/proof` print them; that they do is a test of the API. */
import type { LiabilityProof } from '../../../src/payments/reports/liabilities/read-snapshots.ts';
import type { PublishedSnapshot } from '../../../src/payments/reports/liabilities/snapshot.ts';

export function printSnapshots(snapshots: readonly PublishedSnapshot[]) {
  return {
    success: true,
    data: snapshots.map(({ tokens, ...snapshot }) =>
      printed({
        ...snapshot,
        blockTime: new Date(Number(snapshot.blockTimestamp) * 1000).toISOString(),
        tokens: tokens.map((token) => printed({ ...token, surplus: token.escrowBalance - token.total })),
      }),
    ),
  };
}

export function printProofs(proofs: readonly LiabilityProof[]) {
  return {
    success: true,
    data: proofs.map(({ snapshot, ...proof }) =>
      printed({
        snapshotId: snapshot.id,
        snapshotDigest: snapshot.digest,
        chainId: snapshot.chainId,
        blockNumber: snapshot.blockNumber,
        blockHash: snapshot.blockHash,
        escrow: snapshot.escrow,
        ...proof,
      }),
    ),
  };
}

function printed(fields: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(fields, (_name, value) => (typeof value === 'bigint' ? String(value) : value)));
}
