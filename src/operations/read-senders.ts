import { isAddress } from 'viem';
import type { Database } from '../../prisma/client.ts';
import type { EvmNodes } from '../chains/evm/nodes.ts';
import type { Registry } from '../chains/registry.ts';
import type { SolanaNodes } from '../chains/solana/open-solana-nodes.ts';
import type { RpcSettings } from '../config/config.ts';

export type SenderBalance = {
  chainId: number;
  sender: string;
  /** In wei, on Solana in lamports; null while the node does not answer. */
  left: bigint | null;
  /** Of the chain's coin. */
  decimals: number;
  isLow: boolean;
};

/** A hundredth of the coin where nothing else is set. */
const LOW_BALANCE_WEI = 10_000_000_000_000_000n;
/** The fees of ten thousand payouts, or the rent of some twenty token accounts. */
const LOW_BALANCE_LAMPORTS = 50_000_000n;

type SendersWorld = {
  database: Database;
  nodes: EvmNodes;
  solanaNodes?: SolanaNodes | undefined;
  registry: Registry;
  config: { rpc: readonly RpcSettings[] };
};

/**
 * What every key that sends has of the coin of each enabled chain of its family: the given keys, and those that have sent
 * before. Keys on Solana are known by being no address of EVM chains.
 */
export async function readSenders(
  world: SendersWorld,
  { keys }: { keys: readonly string[] },
): Promise<SenderBalance[]> {
  const known = await world.database.operatorNonce.findMany({ select: { chainId: true, address: true } });
  const asked = world.registry.enabled().flatMap(({ chainId, family }) => {
    const used = known.filter((row) => row.chainId === chainId).map((row) => row.address);
    if (family === 'SOLANA') return solanaKeys(keys).map((sender) => ({ chainId, sender, isSolana: true }));
    if (family !== 'EVM') return [];
    const senders = [...keys, ...used].filter((key) => isAddress(key)).map((key) => key.toLowerCase());
    return [...new Set(senders)].map((sender) => ({ chainId, sender, isSolana: false }));
  });
  return await Promise.all(
    asked.map(async ({ chainId, sender, isSolana }) => {
      const left = await (isSolana ? readLamports : readWei)(world, { chainId, sender }).catch(() => null);
      const set = world.config.rpc.find((one) => one.chainId === chainId)?.lowBalanceWei;
      const limit = set ?? (isSolana ? LOW_BALANCE_LAMPORTS : LOW_BALANCE_WEI);
      return { chainId, sender, left, decimals: isSolana ? 9 : 18, isLow: left !== null && left < limit };
    }),
  );
}

function solanaKeys(keys: readonly string[]): string[] {
  return keys.filter((key) => !isAddress(key));
}

type Asked = { chainId: number; sender: string };

async function readWei({ nodes }: SendersWorld, { chainId, sender }: Asked): Promise<bigint | null> {
  if (!isAddress(sender)) return null;
  return await nodes.asking(chainId, (client) => client.getBalance({ address: sender }));
}

async function readLamports({ solanaNodes }: SendersWorld, { chainId, sender }: Asked): Promise<bigint | null> {
  if (!solanaNodes) return null;
  const { PublicKey } = await import('@solana/web3.js');
  const key = new PublicKey(sender);
  return BigInt(await solanaNodes.asking(chainId, (connection) => connection.getBalance(key, 'confirmed')));
}
