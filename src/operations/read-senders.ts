import { isAddress } from 'viem';
import type { Database } from '../../prisma/client.ts';
import type { EvmNodes } from '../chains/evm/nodes.ts';
import type { Registry } from '../chains/registry.ts';
import type { SolanaNodes } from '../chains/solana/open-solana-nodes.ts';
import type { RpcSettings } from '../config/config.ts';

export type SenderBalance = {
  chainId: number;
  sender: string;
  /** Balance in wei, on Solana in lamports. Null while the node does not respond. */
  left: bigint | null;
  /** Decimals of the chain's native coin. */
  decimals: number;
  isLow: boolean;
};

/** Default threshold: a hundredth of the native coin. */
const LOW_BALANCE_WEI = 10_000_000_000_000_000n;
/** Default threshold on Solana: the fees of ten thousand payouts, or the rent of about twenty token accounts. */
const LOW_BALANCE_LAMPORTS = 50_000_000n;

type SendersWorld = {
  database: Database;
  nodes: EvmNodes;
  solanaNodes?: SolanaNodes | undefined;
  registry: Registry;
  config: { rpc: readonly RpcSettings[] };
};

/**
 * Returns the native balance of every sending key on each enabled chain of its family: the given keys, and the keys that have sent
 * transactions before. A key that is not an EVM address counts as a Solana key.
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
