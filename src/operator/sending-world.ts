/** Dependencies of the pump. */
import type { Address, Hex, PublicClient } from 'viem';
import type { Database, DatabaseTransaction, OutgoingTransaction } from '../../prisma/client.ts';
import type { RevertVerdict } from '../escrow/classify-revert.ts';
import type { AdvisoryLocks } from '../platform/advisory-locks.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { CoinPrice, GasPaid } from './mined/gas-cost.ts';
import type { OperatorSigner } from './operator-signer.ts';
import type { OutgoingFailure, OutgoingOutcome, SendLimits } from './outgoing-transaction.ts';
import type { Relay } from './relay.ts';

/**
 * Called inside the pump's transaction as its last statement. `onSigned` and `onMined` receive the items of a batch at once. `onMined`: in
 * a block at the required depth and not reverted. `onFailed`: it will never have its effect, for the reason in the outcome's `error`.
 * `onWaiting`: it cannot be carried out until someone acts, for the reason in `error`, and the row's previous `waitsSince` is null the
 * first time.
 *
 * `onGasPaid` is called outside of the pump's transaction, before the hook that reports the outcome. It may be called again with the same
 * or, after a reorganization, with other costs, and the last call is the valid one. `bearsGas`: whether it also receives the cost of a
 * transaction of this purpose that belongs to no payment's transaction row.
 */
export type OutgoingHooks = {
  onSigned(tx: DatabaseTransaction, outgoing: readonly OutgoingOutcome[]): Promise<void>;
  onMined(tx: DatabaseTransaction, outgoing: readonly OutgoingOutcome[]): Promise<void>;
  onFailed(tx: DatabaseTransaction, outgoing: OutgoingFailure): Promise<void>;
  onWaiting?(tx: DatabaseTransaction, outgoing: OutgoingTransaction): Promise<void>;
  onGasPaid?(database: Database, paid: readonly GasPaid[]): Promise<void>;
  bearsGas?(purpose: string): boolean;
};

/** One sender on one chain, and the dependencies of its pump. */
export type SendingWorld = {
  database: Database;
  locks: AdvisoryLocks;
  clock: Clock;
  log: Log;
  client: PublicClient;
  signer: Pick<OperatorSigner, 'address' | 'signTransaction'>;
  chain: { chainId: number; confirmations: number; maxFeePerGasWei: bigint };
  hooks: OutgoingHooks;
  /** Returns the current price of the chain's coin; null if none is available. */
  coinPrice(): Promise<CoinPrice | null>;
  /** Describes the data of a revert. */
  describeRevert(data: Hex): string;
  /** Classifies the data of a revert by whether the call may succeed later. */
  classifyRevert(data: Hex): RevertVerdict;
  limits: SendLimits;
  /** Set if the signer is a sender key, which also sends relayed transactions. */
  relay?: Relay | undefined;
  /** The contracts with which relayed transactions are sent in batches. Null if the chain has no batch contract. */
  batching?: { batch: Address; escrow: Address } | null;
  /** Called by a turn if another turn has work to do at once. */
  goOn?: (() => void) | undefined;
};
