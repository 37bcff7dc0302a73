/** What folding a payment's facts needs, what it reads before its transaction, and what it changes. */
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

/** Everything that was read before the transaction that applies it. */
export type PaymentEvidence = {
  terms: PaymentTerms;
  /** All valid facts at the confirmed height, which agree with the contract. */
  facts: PaymentFact[];
  /** Gas used, by transaction hash, for the transactions that a node still has. */
  gasUsed: ReadonlyMap<string, bigint>;
  group: FactGroup;
};

export type RecordedSteps = {
  /** Facts that were not recorded before, in chain order. */
  added: PaymentFact[];
  /** Steps whose evidence is gone. */
  removed: Transaction[];
  /** The number of steps that are still in the chain, but at another position. */
  moved: number;
};

export type PaymentChange = {
  evidence: PaymentEvidence;
  /** The intent before the change. */
  intent: PaymentIntent;
  state: PaymentState;
  steps: RecordedSteps;
};
