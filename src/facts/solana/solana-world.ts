/** What the watcher of Solana chains needs from the world. */
import type { SolanaNodes } from '../../chains/solana/open-solana-nodes.ts';
import type { ProjectorMemory, ProjectorWorld } from '../projector-world.ts';
import type { VaultReader } from './vault-reader.ts';

export type SolanaWorld = Pick<ProjectorWorld, 'database' | 'clock' | 'registry' | 'handlers' | 'log' | 'observer'> & {
  solanaNodes: SolanaNodes;
  reader: VaultReader;
};

/** Lost with the process, and only ever saves requests. */
export type SolanaMemory = ProjectorMemory & {
  /** Signatures that are in the inbox, or brought nothing for it. */
  read: Set<string>;
  /** The last turn had no vault to read, and everything on the chain is applied. */
  isIdle: boolean;
};
