import type { Address } from 'viem';
import type { Database } from '../../../prisma/client.ts';
import { contractAddress, NATIVE } from '../../chains/chain.ts';
import type { EvmNodes } from '../../chains/evm/nodes.ts';
import type { Chain, Registry } from '../../chains/registry.ts';
import { readAllowance } from '../../customers/read-authorization.ts';

/** Base units; null, which is not zero, if the chain could not be queried. */
export type Allowance = { chainId: number; tokenKey: string; amount: bigint | null };

/** A wallet's allowances for the escrow, for each registered token on one chain or on all enabled ones; zeros are left out. */
export async function readAllowances(
  world: { database: Database; registry: Registry; nodes: EvmNodes },
  { wallet, chainId }: { wallet: Address; chainId: number | null },
): Promise<Allowance[]> {
  const chains = world.registry
    .enabled()
    .filter((chain) => chain.family === 'EVM' && (chainId === null || chain.chainId === chainId));
  const found = await Promise.all(chains.map((chain) => ofChain(world, { chain, wallet })));
  return found.flat().filter(({ amount }) => amount !== 0n);
}

async function ofChain(
  world: { database: Database; registry: Registry; nodes: EvmNodes },
  { chain, wallet }: { chain: Chain; wallet: Address },
): Promise<Allowance[]> {
  const { chainId, escrow } = chain;
  if (!escrow) return [];
  const tokens = chain.tokens.filter((token) => token.address !== NATIVE);
  return await Promise.all(
    tokens.map(async (token) => {
      const asked = { chainId, token: contractAddress(token), owner: wallet, escrow, blockHash: null };
      return { chainId, tokenKey: token.key, amount: await readAllowance(world, asked).catch(() => null) };
    }),
  );
}
