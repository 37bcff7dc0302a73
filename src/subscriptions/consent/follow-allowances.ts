import { type Address, getAddress, type Hex, isAddress } from 'viem';
import type { Database, DatabaseTransaction, Prisma } from '../../../prisma/client.ts';
import { contractAddress } from '../../chains/chain.ts';
import { evmBlockHash } from '../../chains/evm/evm-block-hash.ts';
import type { EvmNodes } from '../../chains/evm/nodes.ts';
import { inParallel } from '../../chains/in-parallel.ts';
import type { Registry } from '../../chains/registry.ts';
import { readAllowance } from '../../customers/read-authorization.ts';
import { holderOf } from '../../customers/wallet-authorization.ts';
import type { FactGroup, FactHandler, WriteFacts } from '../../facts/fact-handler.ts';
import { toDecimal } from '../../prices/base-units.ts';

type World = { database: Database; registry: Registry; nodes: EvmNodes };
type Allowance = { walletAddress: string; tokenKey: string; approvedAllowance: Prisma.Decimal };

/** The number of allowances read concurrently. */
const READ_AT_ONCE = 8;

/**
 * How subscriptions handle Approval and Transfer for the projector: an allowance was granted, changed, used by a charge or
 * revoked. The event shows only whose allowance may have changed; its current value is read from the tokens. Writes
 * `approvedAllowance` of the subscriptions that are charged from that wallet on that chain.
 */
export function followAllowances(world: World): FactHandler {
  return {
    gathers: true,
    async prepare(group: FactGroup) {
      const holders = new Set(group.facts.map(holderOf).filter((holder) => holder !== null));
      return await allowancesOf(world, {
        chainId: group.chainId,
        wallets: [...holders].map((holder) => getAddress(holder)),
        blockHash: evmBlockHash(group.view.confirmed.hash),
      });
    },
  };
}

/** Reads the allowances of a wallet's subscriptions at the newest block, and writes them. Throws CHAIN_UNAVAILABLE. */
export async function refreshAllowances(
  world: World,
  request: { chainId: number; walletAddress: string },
): Promise<void> {
  const { chainId, walletAddress } = request;
  const isRead = world.registry.enabled().some((chain) => chain.chainId === chainId && chain.family === 'EVM');
  if (!isRead || !isAddress(walletAddress)) return;
  const write = await allowancesOf(world, { chainId, wallets: [walletAddress], blockHash: null });
  await write(world.database);
}

async function allowancesOf(
  world: World,
  { chainId, wallets, blockHash }: { chainId: number; wallets: readonly Address[]; blockHash: Hex | null },
): Promise<WriteFacts> {
  const consents = await world.database.subscriptionConsent.findMany({
    where: { chainId, walletAddress: { in: [...wallets] }, acceptedBy: { isNot: null } },
    distinct: ['walletAddress', 'tokenKey'],
    select: { walletAddress: true, tokenKey: true },
  });
  const escrow = world.registry.chain(chainId)?.escrow;
  const read = await inParallel(READ_AT_ONCE, consents, async ({ walletAddress, tokenKey }) => {
    const token = world.registry.token(tokenKey);
    if (!token || !escrow || !isAddress(walletAddress)) return null;
    const asked = { chainId, token: contractAddress(token), owner: walletAddress, escrow, blockHash };
    return { walletAddress, tokenKey, approvedAllowance: toDecimal(await readAllowance(world, asked)) };
  });
  return async (tx) => {
    for (const one of read) if (one) await writeAllowance(tx, { chainId, ...one });
  };
}

async function writeAllowance(
  tx: DatabaseTransaction,
  { approvedAllowance, ...consent }: Allowance & { chainId: number },
): Promise<void> {
  // An unlimited allowance never changes, so a charge does not rewrite the wallet's other subscriptions.
  const isOld = { OR: [{ approvedAllowance: null }, { approvedAllowance: { not: approvedAllowance } }] };
  await tx.subscription.updateMany({ where: { consent: { is: consent }, ...isOld }, data: { approvedAllowance } });
}
