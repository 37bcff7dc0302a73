/** Documents that repeat a piece many times. */

export type HostileDocument = { kind: string; text: string };

/** Joins `n` pieces with spaces. Each piece receives its index. */
export function times(n: number, piece: (index: number) => string): string {
  return Array.from({ length: n }, (_, index) => piece(index)).join(' ');
}
