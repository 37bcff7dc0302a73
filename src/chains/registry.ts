/** The chains and tokens that this installation knows, and the chains for which it has a node. */
import { readFileSync } from 'node:fs';
import type { RpcSettings } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { create2Fault } from '../escrow/create2-rules.ts';
import { escrowAddress } from '../escrow/escrow-bytecode.ts';
import { builtInChains } from './built-in-chains.ts';
import type { Chain, Token } from './chain.ts';
import { mergeChainsFile } from './chains-file.ts';
import type { PriceIds, PriceSettings } from './price-ids.ts';

export type { Chain, Token } from './chain.ts';

export type Registry = {
  /** Every known chain, by id. */
  chains(): Chain[];
  /** Those with a node. */
  enabled(): Chain[];
  chain(chainId: number): Chain | undefined;
  token(key: string): Token | undefined;
  /** Finds a token by contract or mint, or "native" for the coin. EVM addresses may have any case. */
  tokenByAddress(chainId: number, address: string): Token | undefined;
  /** The ids of tokens at public markets, by symbol in upper case. */
  priceIds(): ReadonlyMap<string, PriceIds>;
};

/**
 * Reads the built-in chains, merged with those of `chainsFile`. Throws one ConfigError that names every fault: a file that
 * is unreadable or wrong, a node for an unknown chain, a chain that derives CREATE2 addresses by rules of its own, and, where
 * `prices` are given, a symbol without a price.
 */
export function loadRegistry(options: {
  chainsFile?: string | undefined;
  rpc: readonly RpcSettings[];
  prices?: PriceSettings | undefined;
}): Registry {
  const builtIn = builtInChains(escrowAddress);
  const contents = options.chainsFile === undefined ? [] : readChainsFile(options.chainsFile);
  const file = mergeChainsFile({ builtIn, escrow: escrowAddress, prices: options.prices }, contents);
  const faults = file.faults.map((fault) => `CHAINS_FILE: ${fault}`);
  const byId = new Map([...builtIn, ...file.chains].map((chain) => [chain.chainId, chain]));
  for (const { chainId, confirmations } of options.rpc) {
    const chain = byId.get(chainId);
    if (!chain && !file.named.has(chainId)) {
      faults.push(`RPC_URL_${chainId}: ${create2Fault(chainId) ?? 'no such chain is registered'}`);
    }
    if (chain && confirmations !== undefined) byId.set(chainId, { ...chain, confirmations });
  }
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
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
    priceIds: () => file.priceIds,
  };
}

function readChainsFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new ConfigError(`CHAINS_FILE: ${cause instanceof Error ? cause.message : 'not readable'}`, { cause });
  }
}

/** Hex is compared without regard to case; base58 and Sui types are case-sensitive. */
function addressKey(chainId: number, address: string): string {
  return `${chainId}:${/^0x[0-9a-fA-F]{40}$/.test(address) ? address.toLowerCase() : address}`;
}
