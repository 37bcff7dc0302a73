import type { EvmNodes } from '../../chains/evm/nodes.ts';
import type { Registry } from '../../chains/registry.ts';
import { batchAddress } from '../../escrow/batch/batch-bytecode.ts';

type BatchWorld = { registry: Registry; nodes: EvmNodes };

/** The chains that have the contract. A deployed contract is not looked up again, while a missing one may be deployed later. */
const found = new WeakMap<EvmNodes, Map<number, { isThere: boolean; askedAt: number }>>();
const ASK_AGAIN_MS = 60_000;

/**
 * Returns the chains on which the batch contract is deployed. A chain without it, or whose nodes do not respond, is looked up again after a
 * minute.
 */
export async function batchedChains({ registry, nodes }: BatchWorld): Promise<Set<number>> {
  const known = found.get(nodes) ?? new Map();
  found.set(nodes, known);
  const chains = registry.chains().filter(({ family, escrow }) => family === 'EVM' && escrow !== null);
  await Promise.all(
    chains.map(async ({ chainId }) => {
      const last = known.get(chainId);
      if (last && (last.isThere || performance.now() - last.askedAt < ASK_AGAIN_MS)) return;
      known.set(chainId, { isThere: await hasContract(nodes, chainId), askedAt: performance.now() });
    }),
  );
  return new Set(chains.map(({ chainId }) => chainId).filter((chainId) => known.get(chainId)?.isThere));
}

async function hasContract(nodes: EvmNodes, chainId: number): Promise<boolean> {
  try {
    return (await nodes.asking(chainId, (client) => client.getCode({ address: batchAddress }))) !== undefined;
  } catch {
    return false;
  }
}
