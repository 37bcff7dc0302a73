/** What the payment verbs need, and which payment a caller may act on. */
import type { Address } from 'viem';
import type { Database } from '../../../prisma/client.ts';
import type { Scope } from '../../auth/principal.ts';
import type { EvmNodes } from '../../chains/evm/nodes.ts';
import type { Registry } from '../../chains/registry.ts';
import type { SolanaNodes } from '../../chains/solana/open-solana-nodes.ts';
import type { Clock } from '../../platform/clock.ts';
import type { IdempotencyRequest } from '../../platform/idempotency/idempotency-request.ts';

export type ActionWorld = {
  database: Database;
  clock: Clock;
  registry: Registry;
  /** The account that captures, voids and refunds; it is named in the terms. */
  operator: { address: Address };
};

/** Without `solanaNodes`, kept shares on Solana are not delivered. */
export type ChainActionWorld = ActionWorld & { nodes: EvmNodes; solanaNodes?: SolanaNodes | undefined };

/** A request for one payment of the caller. */
export type PaymentRequest = { scope: Scope; id: string; idempotency?: IdempotencyRequest | undefined };
