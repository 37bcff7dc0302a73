/**
 * Liabilities: what the escrow contract holds for the payments of an installation. Terms:
 *
 * - account: an app, whose payments are summed by token. A secret key reads the proof of its own app only.
 * - statement: one line per payment of an account, with its kind, the payment's ID in the contract, the amount and, if it is
 *   undelivered, the recipient.
 * - piece: a part of an account's amount, and a leaf of the token's sum tree. An account is divided into several pieces of random
 *   size at random positions, so that the sums in another account's proof are not the amount of any account.
 * - snapshot: the liabilities of a chain at one final block, with a tree per token and the escrow's balances at that block.
 *
 * Authority: the facts up to the block, which are final. The ledger is not used.
 */
import { createHash, randomBytes, randomInt } from 'node:crypto';
import { hashLines, pathOf, sumTree, type TreeNode } from './sum-tree.ts';

export const liabilityKinds = ['HELD', 'CAPTURED', 'DISPUTED', 'UNDELIVERED'] as const;
export type LiabilityKind = (typeof liabilityKinds)[number];

/** Amounts in base units. `recipient` is set only for UNDELIVERED. */
export type Liability = { kind: LiabilityKind; termsHash: string; amount: bigint; recipient?: string };

/** The context that the leaves of a token's tree commit to. */
export type TreePlace = { chainId: number; blockHash: string; escrow: string; tokenKey: string; tokenAddress: string };

/** A piece, and its path to the root. Amounts and sums are decimal strings. */
export type ProofPiece = {
  index: number;
  /** The position of the leaf, counted from the left. */
  position: number;
  salt: string;
  amount: string;
  /** The siblings, from the leaf upwards. */
  path: { hash: string; sum: string }[];
};

export type ProvenTree = { rootHash: string; total: bigint; pieces: Map<string, ProofPiece[]> };

/** Enough to make the amounts in others' proofs meaningless, and few enough for short proofs. */
const PIECES = 4;
const SALT_BYTES = 32;

export function statementOf(liabilities: readonly Liability[]): string[] {
  return liabilities
    .map(({ kind, termsHash, amount, recipient }) =>
      [kind, termsHash, amount, ...(recipient ? [recipient] : [])].join(' '),
    )
    .toSorted();
}

export function statementHash(statement: readonly string[]): string {
  return hashLines(['sluice-liability-statement-1', ...statement]);
}

export function sumsOf(liabilities: readonly Liability[]): { [Kind in LiabilityKind]: bigint } {
  const sums = { HELD: 0n, CAPTURED: 0n, DISPUTED: 0n, UNDELIVERED: 0n };
  for (const { kind, amount } of liabilities) sums[kind] += amount;
  return sums;
}

/** Builds a token's tree from the statements of its accounts, by app id. Salts, sizes and places are random. */
export function proveAccounts(place: TreePlace, accounts: ReadonlyMap<string, readonly Liability[]>): ProvenTree {
  const pieces = [...accounts].flatMap(([appId, liabilities]) => {
    const hash = statementHash(statementOf(liabilities));
    const amount = liabilities.reduce((sum, one) => sum + one.amount, 0n);
    return divided(amount).map((part, index) => {
      const salt = randomBytes(SALT_BYTES).toString('hex');
      return { appId, index, salt, amount: part, leaf: leafOf(place, { appId, hash, index, salt, amount: part }) };
    });
  });
  const placed: (TreeNode & { piece?: (typeof pieces)[number] })[] = shuffled([
    ...pieces.map((piece) => ({ ...piece.leaf, piece })),
    ...Array.from({ length: powerOfTwo(pieces.length) - pieces.length }, emptyLeaf),
  ]);
  const levels = sumTree(placed.map(({ hash, sum }) => ({ hash, sum })));
  const [root] = levels.at(-1) ?? [];
  if (!root) throw new RangeError('A tree has at least one leaf.');
  const proofs = new Map<string, ProofPiece[]>([...accounts.keys()].map((appId) => [appId, []]));
  for (const [position, { piece }] of placed.entries()) {
    if (!piece) continue;
    const path = pathOf(levels, position).map(({ hash, sum }) => ({ hash, sum: String(sum) }));
    const { appId, index, salt, amount } = piece;
    proofs.get(appId)?.push({ index, position, salt, amount: String(amount), path });
  }
  for (const ofApp of proofs.values()) ofApp.sort((left, right) => left.index - right.index);
  return { rootHash: root.hash, total: root.sum, pieces: proofs };
}

function leafOf(
  { chainId, blockHash, escrow, tokenKey, tokenAddress }: TreePlace,
  { appId, hash, index, salt, amount }: { appId: string; hash: string; index: number; salt: string; amount: bigint },
): TreeNode {
  const lines = ['sluice-liability-leaf-1', chainId, blockHash, escrow, tokenKey, tokenAddress];
  return { hash: hashLines([...lines, appId, hash, index, salt, amount]), sum: amount };
}

/** An unused leaf, which cannot be distinguished from others. */
function emptyLeaf(): TreeNode {
  return { hash: createHash('sha256').update(randomBytes(SALT_BYTES)).digest('hex'), sum: 0n };
}

/** Returns random parts that sum to `amount`. */
function divided(amount: bigint): bigint[] {
  const cuts = Array.from({ length: PIECES - 1 }, () => below(amount + 1n)).toSorted((left, right) =>
    left < right ? -1 : left > right ? 1 : 0,
  );
  return [...cuts, amount].map((cut, index) => cut - (cuts[index - 1] ?? 0n));
}

/** Returns a random number below `limit`. More random bits than needed are used, so that the modulo bias is negligible. */
function below(limit: bigint): bigint {
  return BigInt(`0x${randomBytes(SALT_BYTES + SALT_BYTES).toString('hex')}`) % limit;
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  const placed = [...items];
  for (let last = placed.length - 1; last > 0; last--) {
    const other = randomInt(last + 1);
    const [left, right] = [placed[last], placed[other]];
    if (left !== undefined && right !== undefined) [placed[last], placed[other]] = [right, left];
  }
  return placed;
}

function powerOfTwo(count: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(count, 2)));
}
