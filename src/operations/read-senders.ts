import { isAddress } from 'viem';
import type { Database } from '../../prisma/client.ts';
import type { EvmNodes } from '../chains/evm/nodes.ts';
import type { Registry } from '../chains/registry.ts';
import type { RpcSettings } from '../config.ts';

export type SenderBalance = {
  chainId: number;
  sender: string;
  /** Null while the node does not answer. */
  wei: bigint | null;
  isLow: boolean;
};

/** A hundredth of the coin where nothing else is set. */
const LOW_BALANCE_WEI = 10_000_000_000_000_000n;

/** What every key that sends has of each enabled chain's coin: the given keys, and those that have sent before. */
export async function readSenders(
  world: { database: Database; nodes: EvmNodes; registry: Registry; config: { rpc: readonly RpcSettings[] } },
  { keys }: { keys: readonly string[] },
): Promise<SenderBalance[]> {
  const known = await world.database.operatorNonce.findMany({ select: { chainId: true, address: true } });
  const chains = world.registry.enabled().filter((chain) => chain.family === 'EVM');
  const asked = chains.flatMap(({ chainId }) => {
    const used = known.filter((row) => row.chainId === chainId).map((row) => row.address);
    const senders = new Set([...keys, ...used].map((address) => address.toLowerCase()));
    return [...senders].map((sender) => ({ chainId, sender }));
  });
  return await Promise.all(
    asked.map(async ({ chainId, sender }) => {
      const wei = isAddress(sender)
        ? await world.nodes.asking(chainId, (client) => client.getBalance({ address: sender })).catch(() => null)
        : null;
      const limit = world.config.rpc.find((one) => one.chainId === chainId)?.lowBalanceWei ?? LOW_BALANCE_WEI;
      return { chainId, sender, wei, isLow: wei !== null && wei < limit };
    }),
  );
}
