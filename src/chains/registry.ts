/** Which chains and tokens this installation knows, and which of them it has a node for. */
import { readFileSync } from 'node:fs';
import { ConfigError, type RpcSettings } from '../config.ts';
import { create2Fault } from '../escrow/create2-rules.ts';
import { escrowAddress } from '../escrow/escrow-bytecode.ts';
import { builtInChains } from './built-in-chains.ts';
import { type Chain, parseChains, type Token } from './chain.ts';

export type { Chain, Token } from './chain.ts';

export type Registry = {
  /** Every known chain, by id. */
  chains(): Chain[];
  /** Those with a node. */
  enabled(): Chain[];
  chain(chainId: number): Chain | undefined;
  token(key: string): Token | undefined;
  /** By contract or mint; "native" for the coin. EVM addresses in any case. */
  tokenByAddress(chainId: number, address: string): Token | undefined;
};

/**
 * Reads the built-in chains and, on top, those of `chainsFile` (a JSON array of the same shape; a known id is
 * replaced). Throws ConfigError when the file is unreadable or wrong, or when a node is given for an unknown chain, or
 * when a chain derives CREATE2 addresses by rules of its own.
 */
export function loadRegistry(options: { chainsFile?: string | undefined; rpc: readonly RpcSettings[] }): Registry {
  const byId = new Map(builtInChains(escrowAddress).map((chain) => [chain.chainId, chain]));
  if (options.chainsFile !== undefined) {
    for (const chain of readChainsFile(options.chainsFile)) {
      const fault = chain.family === 'EVM' ? create2Fault(chain.chainId) : undefined;
      if (fault !== undefined) throw new ConfigError(`CHAINS_FILE: ${fault}`);
      byId.set(chain.chainId, chain);
    }
  }
  for (const settings of options.rpc) {
    const chain = byId.get(settings.chainId);
    if (!chain) {
      const fault = create2Fault(settings.chainId) ?? 'no such chain is registered';
      throw new ConfigError(`RPC_URL_${settings.chainId}: ${fault}`);
    }
    if (settings.confirmations !== undefined) {
      byId.set(chain.chainId, { ...chain, confirmations: settings.confirmations });
    }
  }
  const chains = [...byId.values()].sort((left, right) => left.chainId - right.chainId);
  const withNode = new Set(options.rpc.map((settings) => settings.chainId));
  const enabled = chains.filter((chain) => withNode.has(chain.chainId));
  const tokens = new Map(chains.flatMap((chain) => chain.tokens.map((token) => [token.key, token])));
  const byAddress = new Map([...tokens.values()].map((token) => [addressKey(token.chainId, token.address), token]));
  return {
    chains: () => chains,
    enabled: () => enabled,
    chain: (chainId) => byId.get(chainId),
    token: (key) => tokens.get(key),
    tokenByAddress: (chainId, address) => byAddress.get(addressKey(chainId, address)),
  };
}

function readChainsFile(path: string): Chain[] {
  try {
    return parseChains(JSON.parse(readFileSync(path, 'utf8')), escrowAddress);
  } catch (cause) {
    throw new ConfigError(`CHAINS_FILE: ${cause instanceof Error ? cause.message : 'not readable'}`, { cause });
  }
}

/** Hex is compared without its checksum's case; base58 and Sui types have case that counts. */
function addressKey(chainId: number, address: string): string {
  return `${chainId}:${/^0x[0-9a-fA-F]{40}$/.test(address) ? address.toLowerCase() : address}`;
}
