/** Dependencies of the watcher of Solana chains. */
import type { SolanaNodes } from '../../chains/solana/open-solana-nodes.ts';
import type { ProjectorMemory, ProjectorWorld } from '../projector-world.ts';
import type { VaultReader } from './vault-reader.ts';

export type SolanaWorld = Pick<ProjectorWorld, 'database' | 'clock' | 'registry' | 'handlers' | 'log' | 'observer'> & {
  solanaNodes: SolanaNodes;
  reader: VaultReader;
};

/** Kept in memory only. Losing it costs requests and nothing else. */
export type SolanaMemory = ProjectorMemory & {
  /** Signatures that are in the inbox, or that contain nothing for it. */
  read: Set<string>;
  /** Whether the last turn had no vault to read and everything on the chain is applied. */
  isIdle: boolean;
};
