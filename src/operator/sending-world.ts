/** What the pump needs from the world. */
import type { Hex, PublicClient } from 'viem';
import type { Database, DatabaseTransaction, OutgoingTransaction } from '../../prisma/client.ts';
import type { RevertVerdict } from '../escrow/judge-revert.ts';
import type { AdvisoryLocks } from '../platform/advisory-locks.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { OperatorSigner } from './operator-signer.ts';
import type { OutgoingFailure, OutgoingOutcome, SendLimits } from './outgoing-transaction.ts';

/**
 * Called inside the pump's transaction as its last statement. `onMined`: in a block at the required depth and not
 * reverted. `onFailed`: it will never have its effect; the outcome's `error` says why. `onWaiting`: it cannot be carried
 * out until somebody acts; `error` says why, and `waitsSince` of the row as it was is null the first time.
 */
export type OutgoingHooks = {
  onSigned(tx: DatabaseTransaction, outgoing: OutgoingOutcome): Promise<void>;
  onMined(tx: DatabaseTransaction, outgoing: OutgoingOutcome): Promise<void>;
  onFailed(tx: DatabaseTransaction, outgoing: OutgoingFailure): Promise<void>;
  onWaiting?(tx: DatabaseTransaction, outgoing: OutgoingTransaction): Promise<void>;
};

/** One sender on one chain, and everything its pump asks. */
export type SendingWorld = {
  database: Database;
  locks: AdvisoryLocks;
  clock: Clock;
  log: Log;
  client: PublicClient;
  signer: Pick<OperatorSigner, 'address' | 'signTransaction'>;
  chain: { chainId: number; confirmations: number; maxFeePerGasWei: bigint };
  hooks: OutgoingHooks;
  /** A revert's data in words. */
  describeRevert(data: Hex): string;
  /** Whether what reverted may succeed later. */
  judgeRevert(data: Hex): RevertVerdict;
  limits: SendLimits;
  /** Called by a turn after which another one has something to do at once. */
  goOn?: (() => void) | undefined;
};
