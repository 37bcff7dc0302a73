/**
 * The settings that the supervisor passes to the indexer in SLUICE_INDEXER, as one JSON value. The indexer reads no other setting of
 * Sluice, so that the same build always indexes the same chains, contracts and first blocks.
 */
export type IndexedChain = {
  chainId: number;
  rpcUrls: string[];
  /** Announces new blocks sooner than polling. Ponder polls while the connection is down. */
  wsUrl?: string;
  pollingIntervalMs: number;
  startBlock: number;
  /** Number of blocks between two progress rows. */
  progressInterval: number;
  escrow: `0x${string}`;
  tokens: `0x${string}`[];
};

export function readChainSettings(text: string | undefined): IndexedChain[] {
  if (text === undefined) throw new Error('SLUICE_INDEXER is missing: the indexer is started by its supervisor.');
  return JSON.parse(text);
}

/** Ponder's name for a chain. */
export function chainName(chain: Pick<IndexedChain, 'chainId'>): string {
  return `chain${chain.chainId}`;
}
