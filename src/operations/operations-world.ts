/** What an operator's commands need from the world. */
import type { Database } from '../../prisma/client.ts';
import type { EvmNodes } from '../chains/evm/nodes.ts';
import type { Registry } from '../chains/registry.ts';
import type { Clock } from '../platform/clock.ts';

export type OperationsWorld = { database: Database; clock: Clock; registry: Registry; nodes: EvmNodes };

/** One row of an answer: what is printed as a table, or as JSON. Amounts and large numbers are strings. */
export type Row = Record<string, string | number | boolean | null>;

/** `values` are the command's options by name; `words` what stands before them. */
export type Operation = {
  usage: string;
  options: readonly string[];
  run(world: OperationsWorld, request: { words: string[]; values: Record<string, string> }): Promise<Row[]>;
};
