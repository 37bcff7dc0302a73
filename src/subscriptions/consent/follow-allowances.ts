import { type Address, getAddress, isAddress } from 'viem';
import type { Database } from '../../../prisma/client.ts';
import { contractAddress } from '../../chains/chain.ts';
import type { EvmNodes } from '../../chains/evm/nodes.ts';
import type { Registry } from '../../chains/registry.ts';
import { readAllowance } from '../../customers/read-authorization.ts';
import { holderOf } from '../../customers/wallet-authorization.ts';
import type { FactGroup, FactHandler, WriteFacts } from '../../facts/fact-handler.ts';
import { toDecimal } from '../../prices/base-units.ts';

type World = { database: Database; registry: Registry; nodes: EvmNodes };
type Wallet = { chainId: number; walletAddress: Address };

/**
 * The subscriptions' part of the projector for Approval and Transfer: an allowance given, changed, used up by a charge, or
 * any of it taken back. The event says only whose allowance may have changed; what it is now is read from the tokens.
 * Writes `approvedAllowance` of the subscriptions that are charged from that wallet on that chain.
 */
export function followAllowances(world: World): FactHandler {
  return {
    async prepare(group: FactGroup) {
      const holders = new Set(group.facts.map(holderOf).filter((holder) => holder !== null));
      const writes: WriteFacts[] = [];
      for (const holder of holders) {
        const wallet = { chainId: group.chainId, walletAddress: getAddress(holder) };
        writes.push(await allowancesOf(world, { wallet, blockHash: group.view.confirmed.hash }));
      }
      return async (tx) => {
        for (const write of writes) await write(tx);
      };
    },
  };
}

/** Reads the allowances of a wallet's subscriptions in the newest block, and writes them. Throws CHAIN_UNAVAILABLE. */
export async function refreshAllowances(
  world: World,
  request: { chainId: number; walletAddress: string },
): Promise<void> {
  const { chainId, walletAddress } = request;
  const isRead = world.registry.enabled().some((chain) => chain.chainId === chainId && chain.family === 'EVM');
  if (!isRead || !isAddress(walletAddress)) return;
  const write = await allowancesOf(world, { wallet: { chainId, walletAddress }, blockHash: null });
  await write(world.database);
}

async function allowancesOf(
  world: World,
  { wallet, blockHash }: { wallet: Wallet; blockHash: string | null },
): Promise<WriteFacts> {
  const { chainId, walletAddress } = wallet;
  const where = { ...wallet, acceptedBy: { isNot: null } };
  const rows = await world.database.subscriptionConsent.findMany({ where, distinct: ['tokenKey'] });
  const escrow = world.registry.chain(chainId)?.escrow;
  const writes: WriteFacts[] = [];
  for (const { tokenKey } of rows) {
    const token = world.registry.token(tokenKey);
    if (!token || !escrow) continue;
    const asked = { chainId, token: contractAddress(token), owner: walletAddress, escrow, blockHash };
    const approvedAllowance = toDecimal(await readAllowance(world, asked));
    writes.push(async (tx) => {
      await tx.subscription.updateMany({
        where: { consent: { is: { ...wallet, tokenKey } } },
        data: { approvedAllowance },
      });
    });
  }
  return async (tx) => {
    for (const write of writes) await write(tx);
  };
}
