import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../config/config-error.ts';
import { replacePrivateFile } from '../private-files.ts';
import { furnishSolana } from './furnish-solana.ts';
import { localSolanaPace } from './local-solana-chain.ts';
import { type SolanaNode, startSolanaNode } from './solana-node.ts';

/**
 * Starts the local Solana node in this process, on `port` and the next port, and sets up its accounts and tokens. The chain is persisted in
 * `folder` and continues after a restart. Throws ConfigError when a port is in use, and when the chain's state was lost while the database
 * still refers to it.
 */
export async function startLocalSolana(options: { port: number; folder: string }): Promise<SolanaNode> {
  const journalFile = join(options.folder, 'solana.jsonl');
  const node = await startSolanaNode({ port: options.port, journalFile, ...localSolanaPace });
  try {
    checkGenesis(options.folder, node.genesisHash);
    await furnishSolana({ rpcUrl: node.rpcUrl });
    return node;
  } catch (error) {
    await node.stop();
    throw error;
  }
}

function checkGenesis(folder: string, genesisHash: string): void {
  const file = join(folder, 'solana.genesis');
  const known = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  if (known !== undefined && known !== genesisHash) {
    throw new ConfigError(
      `The state of the local Solana was lost, and the database describes the old one: remove ${folder} to start over.`,
    );
  }
  if (known === undefined) replacePrivateFile(file, genesisHash);
}
