import type { Installation } from './open-installation.ts';

export type Sizes = {
  /** Intents in the table when reads are measured. */
  rows: number;
  /** Of each load. */
  seconds: number;
  connections: number;
  /** Payments whose way from block to client is measured. */
  payments: number;
};

/** Small enough to try; `--full` is what the published figures are made with. */
export const sizes: { quick: Sizes; full: Sizes } = {
  quick: { rows: 2_000, seconds: 2, connections: 8, payments: 10 },
  full: { rows: 50_000, seconds: 10, connections: 16, payments: 100 },
};

export type Bench = { installation: Installation; sizes: Sizes; print: (line: string) => void };
