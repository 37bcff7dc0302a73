/** Whether a node's own receipts have what the inbox says: no state of the contract tells of one payment's credit alone. */
import { isHex, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem';
import type { ChainFact } from '../../../prisma/client.ts';
import type { FoldingWorld } from '../facts/folding-world.ts';
import { emitterOf } from './credit-facts.ts';

/** Reads each receipt once; null where the node has none, because it lags or a reorganisation took the transaction. */
export type Receipts = (txHash: string) => Promise<TransactionReceipt | null>;

type LogPlace = Pick<ChainFact, 'chainId' | 'txHash' | 'blockHash' | 'logIndex' | 'address'>;

/** Throws CHAIN_UNAVAILABLE. */
export function openReceipts({ nodes }: Pick<FoldingWorld, 'nodes'>, chainId: number): Receipts {
  const read = new Map<string, Promise<TransactionReceipt | null>>();
  return (txHash) => {
    const known = read.get(txHash);
    if (known) return known;
    const asked = isHex(txHash) ? readReceipt(nodes, { chainId, hash: txHash }) : Promise.resolve(null);
    read.set(txHash, asked);
    return asked;
  };
}

async function readReceipt(
  nodes: FoldingWorld['nodes'],
  { chainId, hash }: { chainId: number; hash: `0x${string}` },
): Promise<TransactionReceipt | null> {
  return await nodes.asking(chainId, async (client) => {
    try {
      return await client.getTransactionReceipt({ hash });
    } catch (error) {
      if (error instanceof TransactionReceiptNotFoundError) return null;
      throw error;
    }
  });
}

/**
 * Of the confirmed credits and claims among these facts; true where there are none. On Solana facts are read off final
 * transactions by the watcher: there is no second witness to ask.
 */
export async function areEmitted(
  world: FoldingWorld,
  { facts, receipts }: { facts: readonly ChainFact[]; receipts: Receipts },
): Promise<boolean> {
  const asked = facts.filter((fact) => fact.status === 'CONFIRMED' && /^(Credited|Claimed)$/.test(fact.kind));
  const answers = await Promise.all(
    asked.map(async (fact) => {
      if (!isOfEmitter(world, fact)) return false;
      return emitterOf(world.registry, fact.chainId)?.escrow === null || (await isEmitted(fact, receipts));
    }),
  );
  return answers.every((answer) => answer);
}

export async function isEmitted(
  { txHash, blockHash, logIndex, address }: Omit<LogPlace, 'chainId'>,
  receipts: Receipts,
): Promise<boolean> {
  const receipt = await receipts(txHash);
  const place = `${blockHash}-${logIndex}-${address}`.toLowerCase();
  return (
    receipt?.logs.some((log) => `${log.blockHash}-${log.logIndex}-${log.address}`.toLowerCase() === place) ?? false
  );
}

/** Whether credits and claims of this fact's chain come from where the fact does. */
export function isOfEmitter(
  { registry }: Pick<FoldingWorld, 'registry'>,
  fact: Pick<ChainFact, 'chainId' | 'address'>,
): boolean {
  const emitter = emitterOf(registry, fact.chainId);
  return emitter !== null && (emitter.escrow === null || emitter.escrow === fact.address.toLowerCase());
}
