import { type Hex, isHex } from 'viem';
import type { EvmNodes } from '../../chains/evm/nodes.ts';
import type { Registry } from '../../chains/registry.ts';
import { type EscrowState, readEscrowState } from '../../escrow/read-escrow-state.ts';
import { readStatesTogether } from './read-states-together.ts';

/** The number of states read in one call. */
const ASKED_TOGETHER = 200;
/** The number of concurrent reads where states must be read one by one. */
const ASKED_AT_ONCE = 10;

type Request = { chainId: number; termsHashes: readonly string[]; blockHash?: Hex };

/**
 * Reads what the contract holds for many payments of one chain, in their order, as `readEscrowState` does, in few calls where the
 * chain has Multicall3. Throws CHAIN_UNAVAILABLE, and the node's error if it keeps no state of the block.
 */
export async function contractStates(
  world: { nodes: EvmNodes; registry: Registry },
  request: Request,
): Promise<EscrowState[]> {
  const states: EscrowState[] = [];
  for (const termsHashes of parts(request.termsHashes, ASKED_TOGETHER)) {
    const together = await readStatesTogether(world, { ...request, termsHashes });
    const pairs = termsHashes.map((termsHash, index) => ({ termsHash, known: together?.[index] ?? null }));
    for (const part of parts(pairs, ASKED_AT_ONCE)) {
      states.push(...(await Promise.all(part.map((one) => one.known ?? readAlone(world, { ...request, ...one })))));
    }
  }
  return states;
}

async function readAlone(
  { nodes, registry }: { nodes: EvmNodes; registry: Registry },
  { chainId, termsHash, blockHash }: { chainId: number; termsHash: string; blockHash?: Hex },
): Promise<EscrowState> {
  const escrow = registry.chain(chainId)?.escrow;
  if (!escrow || !isHex(termsHash)) throw new Error(`Chain ${chainId} has no escrow.`);
  const block = blockHash === undefined ? {} : { blockHash };
  return await nodes.asking(chainId, (client) => readEscrowState({ client, escrow }, { id: termsHash, ...block }));
}

function parts<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
