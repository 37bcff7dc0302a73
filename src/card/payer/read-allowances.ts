import type { Address } from 'viem';
import type { Database } from '../../../prisma/client.ts';
import { contractAddress, NATIVE } from '../../chains/chain.ts';
import type { EvmNodes } from '../../chains/evm/nodes.ts';
import type { Chain, Registry } from '../../chains/registry.ts';
import { readAllowance } from '../../customers/read-authorization.ts';

/** Base units; null where the chain could not be asked, which is not zero. */
export type Allowance = { chainId: number; tokenKey: string; amount: bigint | null };

/** What a wallet lets the escrow take of each registered token, on every served chain or one; zeros are left out. */
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
