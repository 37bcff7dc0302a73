import { type Hex, isHex } from 'viem';
import { type EvmNodes, MULTICALL3 } from '../../chains/evm/nodes.ts';
import type { Registry } from '../../chains/registry.ts';
import type { EscrowState } from '../../escrow/read-escrow-state.ts';
import { readEscrowStates } from '../../escrow/read-escrow-states.ts';

/**
 * Reads what the escrow contract holds for several payments of one chain in one call: at the latest block, or at exactly the
 * block `blockHash`. An entry is null if that payment's state was not returned. The whole result is null if the call failed
 * because this chain has no Multicall3, the node has no state of that block, or no node answered; reading the payments one by one
 * shows which.
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
