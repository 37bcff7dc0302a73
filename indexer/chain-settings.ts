/**
 * What the supervisor tells the indexer: SLUICE_INDEXER, one JSON value. The indexer reads no other setting of ours, so
 * that the same build always means the same chains, contracts and first blocks.
 */
export type IndexedChain = {
  chainId: number;
  rpcUrls: string[];
  /** Tells of new blocks sooner than polling; Ponder polls while it is dead. */
  wsUrl?: string;
  pollingIntervalMs: number;
  startBlock: number;
  /** Blocks between two rows of progress. */
  progressInterval: number;
  escrow: `0x${string}`;
  tokens: `0x${string}`[];
};

export function readChainSettings(text: string | undefined): IndexedChain[] {
  if (text === undefined) throw new Error('SLUICE_INDEXER is missing: the indexer is started by its supervisor.');
  return JSON.parse(text);
}

/** Ponder's name of a chain. */
export function chainName(chain: Pick<IndexedChain, 'chainId'>): string {
  return `chain${chain.chainId}`;
}
