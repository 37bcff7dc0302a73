import { type Hex, isHex } from 'viem';
import { type EvmNodes, MULTICALL3 } from '../chains/evm/nodes.ts';
import type { Registry } from '../chains/registry.ts';
import type { EscrowState } from '../escrow/read-escrow-state.ts';
import { readEscrowStates } from '../escrow/read-escrow-states.ts';

/**
 * What the contract holds for several payments of one chain, by one call: at the latest block, or in exactly the block of
 * `blockHash`. Null for a payment whose state was not told, and instead of all where the call failed: there is no
 * Multicall3 on this chain, no state of that block, or no node, which each one's own question will tell.
 */
export async function readStatesTogether(
  world: { nodes: EvmNodes; registry: Registry },
  request: { chainId: number; termsHashes: readonly string[]; blockHash?: Hex },
): Promise<(EscrowState | null)[] | null> {
  const { chainId, termsHashes, blockHash } = request;
  const escrow = world.registry.chain(chainId)?.escrow;
  const ids = termsHashes.filter((id) => isHex(id));
  if (!escrow || ids.length < termsHashes.length) return null;
  const block = blockHash === undefined ? {} : { blockHash };
  try {
    return await world.nodes.asking(chainId, (client) =>
      readEscrowStates({ client, escrow, multicall: MULTICALL3 }, { ids, ...block }),
    );
  } catch {
    return null;
  }
}
