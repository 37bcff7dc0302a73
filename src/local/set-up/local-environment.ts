import { join } from 'node:path';
import type { EvmNode } from '../evm-node.ts';
import { localAccounts } from '../local-accounts.ts';
import { localChain } from '../local-chains.ts';
import type { LocalSettings } from '../local-settings.ts';
import { writePrivateFile } from '../private-files.ts';
import { LOCAL_SOLANA_CHAIN_ID, localSolanaChain } from '../solana/local-solana-chain.ts';
import { localSolanaAccounts } from '../solana/solana-accounts.ts';
import type { SolanaNode } from '../solana/solana-node.ts';
import { LOCAL_SUI_CHAIN_ID, localSuiChain } from '../sui/local-sui.ts';
import type { SuiNode } from '../sui/sui-node.ts';

/**
 * Returns the environment for the parts of a local installation. The shell's variables take precedence over it. Writes the chains file and
 * `environment`, with which you can run a part or `ops` manually: `node --env-file=.local/environment src/main.ts …`.
 */
export function localEnvironment(
  settings: LocalSettings,
  running: {
    databaseUrl: string;
    nodes: readonly Pick<EvmNode, 'chainId' | 'rpcUrl'>[];
    solana?: Pick<SolanaNode, 'rpcUrl' | 'wsUrl'> | null;
    sui?: Pick<SuiNode, 'url'> | null;
  },
): Record<string, string> {
  const chainsFile = join(settings.folder, 'chains.json');
  const chains: Record<string, string> = {};
  if (running.nodes.length > 0) {
    const described = [
      ...running.nodes.map((node) => localChain(node.chainId)),
      ...(running.solana ? [localSolanaChain()] : []),
      ...(running.sui ? [localSuiChain()] : []),
    ];
    writePrivateFile(chainsFile, `${JSON.stringify(described, null, 2)}\n`);
    chains.CHAINS_FILE = chainsFile;
    chains.OPERATOR_PRIVATE_KEY = localAccounts.operator.privateKey;
    chains.SENDER_PRIVATE_KEYS = localAccounts.senders.map(({ privateKey }) => privateKey).join();
    chains.ARBITER_PRIVATE_KEY = localAccounts.arbiter.privateKey;
    chains.ARBITER_ADDRESS = localAccounts.arbiter.address;
    chains.FEE_RECIPIENT = localAccounts.feeRecipient.address;
    chains.PRICE_SOURCE = 'fixed';
  }
  for (const node of running.nodes) {
    chains[`RPC_URL_${node.chainId}`] = node.rpcUrl;
    chains[`PUBLIC_RPC_URL_${node.chainId}`] = node.rpcUrl;
    chains[`RPC_WS_URL_${node.chainId}`] = node.rpcUrl.replace(/^http/, 'ws');
    chains[`POLLING_INTERVAL_MS_${node.chainId}`] = '100';
  }
  if (running.solana) {
    chains[`RPC_URL_${LOCAL_SOLANA_CHAIN_ID}`] = running.solana.rpcUrl;
    chains[`PUBLIC_RPC_URL_${LOCAL_SOLANA_CHAIN_ID}`] = running.solana.rpcUrl;
    chains[`RPC_WS_URL_${LOCAL_SOLANA_CHAIN_ID}`] = running.solana.wsUrl;
    chains[`POLLING_INTERVAL_MS_${LOCAL_SOLANA_CHAIN_ID}`] = '2000';
    chains.SOLANA_VAULT_SECRET = localSolanaAccounts.vaultSecret;
    chains.SOLANA_OPERATOR_KEY = localSolanaAccounts.operator.secretKey;
    chains.SOLANA_FEE_RECIPIENT = localSolanaAccounts.feeRecipient.address;
  }
  if (running.sui) chains[`RPC_URL_${LOCAL_SUI_CHAIN_ID}`] = running.sui.url;
  const environment = {
    DATABASE_URL: running.databaseUrl,
    PORT: String(settings.port),
    WEBHOOK_PRIVATE_ADDRESSES: 'true',
    ...chains,
  };
  const lines = Object.entries(environment).map(([name, value]) => `${name}=${value}\n`);
  writePrivateFile(join(settings.folder, 'environment'), lines.join(''));
  return environment;
}
