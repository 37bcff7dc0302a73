/**
 * The chains that Ponder indexes, and the schema that it uses. A changed build (its code, contracts, chains, first blocks) has a
 * schema of its own, named by a hash of these. Readers use views, which Ponder points to the new schema when it has caught up.
 * Nodes and polling may change without a new build.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { NATIVE } from '../../chains/chain.ts';
import type { Chain } from '../../chains/registry.ts';
import type { RpcSettings } from '../../config/config.ts';

export type IndexedChain = {
  chainId: number;
  rpcUrls: string[];
  wsUrl: string | undefined;
  pollingIntervalMs: number;
  startBlock: number;
  progressInterval: number;
  escrow: string;
  tokens: string[];
};

export const indexerFolder = fileURLToPath(new URL('../../../indexer', import.meta.url));
const abiFile = fileURLToPath(new URL('../../escrow/escrow-abi.ts', import.meta.url));

/** A progress row needs a block's header when history is read, for which providers of public chains charge. */
const PUBLIC_PROGRESS_BLOCKS = 10;

/**
 * Ponder sends each provider at most 20 requests a second at first, which is ten blocks. A local chain mines a block per transaction and
 * needs no such limit, so Ponder gets the node's URL several times as different providers. The URL's fragment is not sent to the node.
 */
const LOCAL_PROVIDERS = 10;

const asManyProviders = (url: string) => Array.from({ length: LOCAL_PROVIDERS }, (_, index) => `${url}#${index}`);

/** Ponder's minimum. */
const LEAST_POLLING_MS = 100;

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);

/** EVM chains with an escrow and a first block, in the form that the indexer receives. */
export function indexedChains(request: {
  chains: readonly Chain[];
  rpc: readonly RpcSettings[];
  startBlocks: ReadonlyMap<number, bigint>;
}): IndexedChain[] {
  return request.chains.flatMap((chain) => {
    const settings = request.rpc.find((candidate) => candidate.chainId === chain.chainId);
    const startBlock = request.startBlocks.get(chain.chainId);
    if (chain.family !== 'EVM' || !chain.escrow || !settings || startBlock === undefined) return [];
    return {
      chainId: chain.chainId,
      rpcUrls: chain.local ? settings.urls.flatMap(asManyProviders) : settings.urls,
      wsUrl: settings.wsUrl,
      pollingIntervalMs: Math.max(settings.pollingIntervalMs, LEAST_POLLING_MS),
      startBlock: Number(startBlock),
      progressInterval: chain.local ? 1 : PUBLIC_PROGRESS_BLOCKS,
      escrow: address.parse(chain.escrow),
      tokens: chain.tokens.filter((token) => token.address !== NATIVE).map((token) => address.parse(token.address)),
    };
  });
}

/** The schema of this build: `<views schema>_<hash>`. */
export function ponderSchema(viewsSchema: string, chains: readonly IndexedChain[]): string {
  const hash = createHash('sha256');
  for (const file of [abiFile, ...sourceFiles()]) hash.update(readFileSync(file));
  for (const { rpcUrls: _urls, wsUrl: _wsUrl, pollingIntervalMs: _polling, ...build } of chains)
    hash.update(JSON.stringify(build));
  return `${viewsSchema}_${hash.digest('hex').slice(0, 10)}`;
}

function sourceFiles(): string[] {
  return readdirSync(indexerFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.ts$/.test(entry.name))
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .filter((file) => !/\/(\.ponder|generated|node_modules)\//.test(file))
    .sort();
}
