/** The dependencies of operator commands, and their results. */
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
  /** Addresses of the sending keys that are held here. */
  keys: readonly string[];
};

/** One row of a result, printed as a table or as JSON. Amounts and large numbers are strings. */
export type Row = Record<string, string | number | boolean | null>;

export type Answer =
  | Row[]
  | {
      /** Tables by heading. */
      sections: Record<string, Row[]>;
      /** A fault and the command to run next. It is printed after the tables, and the command exits with 1. */
      fault?: string | undefined;
    };

/** `values` are the command's options by name, `flags` those without a value, and `words` its positional arguments. */
export type Operation = {
  usage: string;
  options: readonly string[];
  /** Options without a value. */
  flags?: readonly string[];
  run(
    world: OperationsWorld,
    request: { words: string[]; values: Record<string, string>; flags: ReadonlySet<string> },
  ): Promise<Answer>;
  /** The command to suggest when this one is refused. */
  hint?: string;
};
