/** Pieces that are repeated, and what they are repeated in. */

export type HostileDocument = { kind: string; text: string };

/** `n` pieces, each by its number, with blanks between. */
export function times(n: number, piece: (index: number) => string): string {
  return Array.from({ length: n }, (_, index) => piece(index)).join(' ');
}
