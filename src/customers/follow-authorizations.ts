import { getAddress } from 'viem';
import type { Database } from '../../prisma/client.ts';
import { evmBlockHash } from '../chains/evm/evm-block-hash.ts';
import type { EvmNodes } from '../chains/evm/nodes.ts';
import { inParallel } from '../chains/in-parallel.ts';
import type { Registry } from '../chains/registry.ts';
import type { FactGroup, FactHandler, WriteFacts } from '../facts/fact-handler.ts';
import { readAuthorization } from './read-authorization.ts';
import { holderOf } from './wallet-authorization.ts';

/**
 * How customers handle Approval and Transfer for the projector: an approval was granted or revoked, an allowance was used by a
 * payment, or a reorganization removed either. The event shows only whose allowance may have changed; its current value is read
 * from the tokens before the transaction. Writes the wallets of that address and chain.
 */
export function followAuthorizations(world: { database: Database; registry: Registry; nodes: EvmNodes }): FactHandler {
  return { gathers: true, prepare: (group) => prepare(world, group) };
}

/** The number of wallets whose allowances are read concurrently. */
const READ_AT_ONCE = 8;

async function prepare(
  world: { database: Database; registry: Registry; nodes: EvmNodes },
  group: FactGroup,
): Promise<WriteFacts> {
  const { chainId, view } = group;
  const holders = new Set(group.facts.map(holderOf).filter((holder) => holder !== null));
  const addresses = [...holders].map((holder) => getAddress(holder));
  const known = await world.database.customerWallet.findMany({
    where: { chainId, walletAddress: { in: addresses } },
    distinct: ['walletAddress'],
    select: { walletAddress: true },
  });
  const wallets = addresses.filter((address) => known.some(({ walletAddress }) => walletAddress === address));
  const blockHash = evmBlockHash(view.confirmed.hash);
  const read = await inParallel(READ_AT_ONCE, wallets, (wallet) =>
    readAuthorization(world, { chainId, wallet, blockHash }),
  );
  return async (tx) => {
    for (const [index, walletAddress] of wallets.entries()) {
      const data = read[index];
      if (data) await tx.customerWallet.updateMany({ where: { chainId, walletAddress }, data });
    }
  };
}
