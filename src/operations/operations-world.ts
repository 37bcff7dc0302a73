/** What an operator's commands need from the world, and what they answer. */
import type { Database } from '../../prisma/client.ts';
import type { EvmNodes } from '../chains/evm/nodes.ts';
import type { Registry } from '../chains/registry.ts';
import type { SolanaNodes } from '../chains/solana/open-solana-nodes.ts';
import type { RpcSettings } from '../config/config.ts';
import type { Clock } from '../platform/clock.ts';

export type OperationsWorld = {
  database: Database;
  clock: Clock;
  registry: Registry;
  nodes: EvmNodes;
  solanaNodes?: SolanaNodes | undefined;
  config: { rpc: readonly RpcSettings[]; tokenSecret?: string | undefined; isProduction?: boolean };
  /** Addresses of the keys that send, as far as they are held here. */
  keys: readonly string[];
};

/** One row of an answer: what is printed as a table, or as JSON. Amounts and large numbers are strings. */
export type Row = Record<string, string | number | boolean | null>;

export type Answer =
  | Row[]
  | {
      /** Tables by heading; one without a heading is printed as it is. */
      sections: Record<string, Row[]>;
      /** What is not as it should be, and what to run next: printed after the tables, and the command has failed. */
      fault?: string | undefined;
    };

/** `values` are the command's options by name; `words` what stands before them. */
export type Operation = {
  usage: string;
  options: readonly string[];
  run(world: OperationsWorld, request: { words: string[]; values: Record<string, string> }): Promise<Answer>;
  /** The command that helps on when this one is refused. */
  hint?: string;
};
