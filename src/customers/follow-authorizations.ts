import { getAddress } from 'viem';
import type { Database } from '../../prisma/client.ts';
import type { EvmNodes } from '../chains/evm/nodes.ts';
import type { Registry } from '../chains/registry.ts';
import type { FactGroup, FactHandler, WriteFacts } from '../facts/fact-handler.ts';
import { readAuthorization } from './read-authorization.ts';
import { holderOf } from './wallet-authorization.ts';

/**
 * The customers' part of the projector, for Approval and Transfer: an approval given or revoked, an allowance used up
 * by a payment, and either of them taken back by a reorganisation. The event only says whose allowance may have changed;
 * what it is now is read from the tokens before the transaction. Writes the wallets of that address and chain.
 */
export function followAuthorizations(world: { database: Database; registry: Registry; nodes: EvmNodes }): FactHandler {
  return { prepare: (group) => prepare(world, group) };
}

async function prepare(
  world: { database: Database; registry: Registry; nodes: EvmNodes },
  group: FactGroup,
): Promise<WriteFacts> {
  const { chainId } = group;
  const holders = new Set(group.facts.map(holderOf).filter((holder) => holder !== null));
  const writes: WriteFacts[] = [];
  for (const holder of holders) {
    const wallet = getAddress(holder);
    const where = { chainId, walletAddress: wallet };
    if ((await world.database.customerWallet.count({ where })) === 0) continue;
    const data = await readAuthorization(world, { chainId, wallet, blockHash: group.view.confirmed.hash });
    writes.push(async (tx) => {
      await tx.customerWallet.updateMany({ where, data });
    });
  }
  return async (tx) => {
    for (const write of writes) await write(tx);
  };
}
