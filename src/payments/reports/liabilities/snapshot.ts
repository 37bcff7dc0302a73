/** A snapshot as it is published. */
import type { LiabilitySnapshot, LiabilityTotal } from '../../../../prisma/client.ts';
import { toBigInt } from '../../../prices/base-units.ts';
import { hashLines } from './sum-tree.ts';

/** Base units. */
export type PublishedTotal = {
  tokenKey: string;
  tokenAddress: string;
  decimals: number | null;
  held: bigint;
  captured: bigint;
  disputed: bigint;
  undelivered: bigint;
  total: bigint;
  escrowBalance: bigint;
  rootHash: string;
};

export type PublishedSnapshot = {
  id: string;
  chainId: number;
  blockNumber: bigint;
  blockHash: string;
  blockTimestamp: bigint;
  escrow: string;
  operators: string[];
  previousDigest: string | null;
  digest: string;
  createdAt: Date;
  tokens: PublishedTotal[];
};

/** SHA-256 of every published field, so that a proof can name the whole snapshot. docs/liabilities.md defines it. */
export function snapshotDigest(snapshot: Omit<PublishedSnapshot, 'digest'>): string {
  const { id, chainId, blockNumber, blockHash, blockTimestamp, escrow, operators, previousDigest, createdAt } =
    snapshot;
  return hashLines([
    'sluice-liability-snapshot-1',
    id,
    chainId,
    blockNumber,
    blockHash,
    blockTimestamp,
    escrow,
    operators.join(','),
    previousDigest ?? '',
    createdAt.toISOString(),
    ...snapshot.tokens.map((token) =>
      [
        token.tokenKey,
        token.tokenAddress,
        token.decimals ?? '',
        token.held,
        token.captured,
        token.disputed,
        token.undelivered,
        token.total,
        token.escrowBalance,
        token.rootHash,
      ].join(' '),
    ),
  ]);
}

export function publishedOf(row: LiabilitySnapshot & { totals: LiabilityTotal[] }): PublishedSnapshot {
  const { totals, ...snapshot } = row;
  return {
    ...snapshot,
    tokens: totals
      .map(({ snapshotId: _id, ...total }): PublishedTotal => {
        const units = {
          held: toBigInt(total.held),
          captured: toBigInt(total.captured),
          disputed: toBigInt(total.disputed),
          undelivered: toBigInt(total.undelivered),
        };
        const sum = units.held + units.captured + units.disputed + units.undelivered;
        return { ...total, ...units, total: sum, escrowBalance: toBigInt(total.escrowBalance) };
      })
      .toSorted((left, right) => (left.tokenKey < right.tokenKey ? -1 : 1)),
  };
}
