/**
 * A Merkle sum tree: every node has a hash and a sum, and the hash covers the sums below it. The root commits to a total, and a path
 * from a leaf to the root proves that the leaf is part of that total. No sum is negative, so that a negative leaf cannot hide a
 * liability.
 *
 * ```
 *                 root (hash, 10)
 *            node (…, 7)      node (…, 3)
 *          leaf 5   leaf 2   leaf 3   leaf 0
 * ```
 *
 * Hashes are SHA-256 of lines of text, which any language can reproduce; docs/liabilities.md defines them. The first line keeps leaves,
 * nodes and statements apart.
 */
import { createHash } from 'node:crypto';

/** `hash` is 64 hex digits. */
export type TreeNode = { hash: string; sum: bigint };

export function hashLines(lines: readonly (string | number | bigint)[]): string {
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

/** The levels of the tree, from the leaves to the root. The number of leaves must be a power of two. */
export function sumTree(leaves: readonly TreeNode[]): TreeNode[][] {
  const levels: TreeNode[][] = [[...leaves]];
  for (let level = levels[0] ?? []; level.length > 1; level = levels.at(-1) ?? []) {
    const above: TreeNode[] = [];
    for (let index = 0; index < level.length; index += 2) {
      const [left, right] = [level[index], level[index + 1]];
      if (!left || !right) throw new RangeError('The number of leaves is not a power of two.');
      above.push(parentOf(left, right));
    }
    levels.push(above);
  }
  return levels;
}

export function parentOf(left: TreeNode, right: TreeNode): TreeNode {
  const hash = hashLines(['sluice-liability-node-1', left.hash, left.sum, right.hash, right.sum]);
  return { hash, sum: left.sum + right.sum };
}

/** Returns the sibling of each node on the path from a leaf to the root. */
export function pathOf(levels: readonly TreeNode[][], position: number): TreeNode[] {
  return levels.slice(0, -1).map((level, height) => {
    const sibling = level[Math.floor(position / 2 ** height) ^ 1];
    if (!sibling) throw new RangeError(`There is no leaf ${position}.`);
    return sibling;
  });
}
