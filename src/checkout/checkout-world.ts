/** The dependencies of taking a payment. */
import type { Database } from '../../prisma/client.ts';
import type { EvmNodes } from '../chains/evm/nodes.ts';
import type { Registry } from '../chains/registry.ts';
import type { SolanaNodes } from '../chains/solana/open-solana-nodes.ts';
import type { Config } from '../config/config.ts';
import type { OperatorSigner } from '../operator/operator-signer.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { PriceBook } from '../prices/price-source.ts';

export type CheckoutWorld = {
  database: Database;
  clock: Clock;
  registry: Registry;
  nodes: EvmNodes;
  solanaNodes: SolanaNodes;
  prices: PriceBook;
  operator: OperatorSigner;
  /** Receives the terms of each deposit address, which are needed to return its money if the database is lost. */
  log?: Log | undefined;
  config: Pick<Config, 'publicUrl' | 'quoteSeconds' | 'feeRecipient' | 'arbiter' | 'rpc' | 'solana'>;
};
