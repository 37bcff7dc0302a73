/** What folding a payment's facts needs from the world, what it reads before its transaction, and what it changes. */
import type { Database, PaymentIntent, PaymentTerms, Transaction } from '../../../prisma/client.ts';
import type { EvmNodes } from '../../chains/evm/nodes.ts';
import type { Registry } from '../../chains/registry.ts';
import type { FactGroup } from '../../facts/fact-handler.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { PaymentFact, PaymentState } from '../fold.ts';
import type { PaymentHooks } from './payment-hooks.ts';

export type FoldingWorld = {
  database: Database;
  clock: Clock;
  registry: Registry;
  nodes: EvmNodes;
  hooks: PaymentHooks;
  log: Log;
};

/** What was read before the transaction that applies it. */
export type PaymentEvidence = {
  terms: PaymentTerms;
  /** All that stands at the confirmed height, and agrees with the contract. */
  facts: PaymentFact[];
  /** Gas used, by transaction hash, of transactions that a node still knows. */
  gasUsed: ReadonlyMap<string, bigint>;
  group: FactGroup;
};

export type RecordedSteps = {
  /** Facts that were not recorded before, in chain order. */
  added: PaymentFact[];
  /** Steps whose evidence is gone. */
  removed: Transaction[];
  /** Steps that stand, at another place of the chain than before. */
  moved: number;
};

export type PaymentChange = {
  evidence: PaymentEvidence;
  /** As it was before. */
  intent: PaymentIntent;
  state: PaymentState;
  steps: RecordedSteps;
};
