/**
 * Checks credits and claims of the inbox against a node's own receipts, because the contract's state does not show the credit of
 * a single payment.
 */
import { isHex, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem';
import type { ChainFact } from '../../../prisma/client.ts';
import type { FoldingWorld } from '../facts/folding-world.ts';
import { emitterOf } from './credit-facts.ts';

/** Reads each receipt once; null if the node has none because it lags behind or a reorganization removed the transaction. */
export type Receipts = (txHash: string) => Promise<TransactionReceipt | null>;

type LogPlace = Pick<ChainFact, 'chainId' | 'txHash' | 'blockHash' | 'logIndex' | 'address'>;

/** Throws CHAIN_UNAVAILABLE when a receipt is read. */
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
 * Whether the node's receipts contain the confirmed credits and claims among these facts; true if there are none. Solana facts
 * are read from final transactions by the watcher, and there is no second source to check them against.
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

/** Whether this fact was emitted by the source of its chain's credits and claims. */
export function isOfEmitter(
  { registry }: Pick<FoldingWorld, 'registry'>,
  fact: Pick<ChainFact, 'chainId' | 'address'>,
): boolean {
  const emitter = emitterOf(registry, fact.chainId);
  return emitter !== null && (emitter.escrow === null || emitter.escrow === fact.address.toLowerCase());
}
