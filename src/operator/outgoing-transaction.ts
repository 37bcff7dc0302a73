/**
 * A transaction that one of the installation's keys sends, from the request to finality. The table is the queue.
 *
 * - purpose: what it is for. It is unique, so that one effect is requested once.
 * - attempt: one signed version of it. A replacement keeps the nonce and raises the fees, and whichever attempt is
 *   mined resolves the transaction.
 * - abandoned: no longer wanted, but with a nonce that is already assigned, which an empty transfer to the sender uses up. The same
 *   happens to one that was reported as FAILED or CANCELLED and lost its block: it is SIGNED again, because later nonces wait for it. One
 *   that was FINAL is sent again unchanged if the chain replaced a final block and its nonce is free. If another holder of the key had used
 *   a nonce and a reorganization removed that transaction, a separate row uses the nonce up.
 *
 * ```
 * QUEUED ──signed, nonce taken──► SIGNED ──a node took it──► SENT ──in a block──► MINED ──finalized──► FINAL
 *   │  ▲                            │                          │ ▲                   │
 *   │  └─────somebody used its nonce┴──────────────────────────┘ └─its block is gone─┤
 *   └─simulation failed for good──► FAILED ◄─────────reverted, at the required depth──┤
 *                                   CANCELLED ◄──the transfer to oneself was mined────┘
 * ```
 *
 * A revert is permanent if the contract's error means that the call can never succeed (`classifyRevert`); the first such simulation or
 * receipt decides. Any other failed simulation is retried, up to the limit. A transaction that another call has overtaken ends
 * CANCELLED instead of FAILED, whether a simulation or a receipt shows it.
 *
 * This table is authoritative until FINAL. Success is reported by the chain's events, never from here. Failure is reported from receipts
 * at the required depth, because a reverted transaction leaves no event.
 */
import type { OutgoingTransaction } from '../../prisma/client.ts';
import type { RevertVerdict } from '../escrow/classify-revert.ts';

export type Fees = { maxFeePerGasWei: bigint; maxPriorityFeePerGasWei: bigint };

/** What the hooks receive about a transaction. */
export type OutgoingOutcome = Pick<
  OutgoingTransaction,
  'id' | 'chainId' | 'sender' | 'purpose' | 'transactionId' | 'txHash' | 'gasUsed' | 'error'
>;

/** `verdict` is that of the revert that ended it. There is none if it was abandoned, or its nonce used up, for another reason. */
export type OutgoingFailure = OutgoingOutcome & { verdict?: RevertVerdict };

/** A transaction that another one has overtaken is not a failure. Nothing needs to be done about it. */
export function failedStatus(verdict: RevertVerdict): 'CANCELLED' | 'FAILED' {
  return verdict === 'OVERTAKEN' ? 'CANCELLED' : 'FAILED';
}

/**
 * The number of simulations that may end with BEHIND, which take about five minutes in all. A step that a reorganization removed is usually
 * mined again by then.
 */
const BEHIND_LIMIT = 24;
const LONGEST_BEHIND_RETRY_MS = 15_000;

/** Whether a transaction is given up after this many failed simulations, the last of which ended with `verdict`. */
export function isGivenUp(
  verdict: RevertVerdict,
  { failures, maxFailures }: { failures: number; maxFailures: number },
): boolean {
  if (verdict === 'BEHIND') return failures >= Math.max(maxFailures, BEHIND_LIMIT);
  return verdict !== 'PASSES' || failures >= maxFailures;
}

/** The delay after the failed simulation number `failures`. */
export function simulationDelayMs(verdict: RevertVerdict, failures: number): number {
  const delayMs = retryDelayMs(failures);
  return verdict === 'BEHIND' ? Math.min(delayMs, LONGEST_BEHIND_RETRY_MS) : delayMs;
}

export type SendLimits = {
  /** Maximum number of transactions of one sender that have a nonce and are not in a block. */
  inFlight: number;
  /** An unmined attempt is sent to the nodes again after this time. */
  resendAfterMs: number;
  /** The first unmined transaction in nonce order gets higher fees after this time. */
  replaceAfterMs: number;
  /** Maximum number of attempts for a nonce. The last one then stays. */
  attempts: number;
};

export const sendLimits: SendLimits = { inFlight: 16, resendAfterMs: 15_000, replaceAfterMs: 30_000, attempts: 20 };

/** Nodes refuse a transaction with more gas (EIP-7825), and a refused transaction would block all later ones. */
export const MAX_TRANSACTION_GAS = 2n ** 24n;

/** Gas of an empty transfer to the sender. */
export const TRANSFER_GAS = 21_000n;

/** Number of failed simulations after which a transaction is abandoned, unless it has a limit of its own. */
export const defaultMaxFailures = 5;

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

/** The wait before the simulation is tried again: 1 s, 2 s, 4 s, at most 60 s. `failures` counts from 1. */
export function retryDelayMs(failures: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 16), LONGEST_RETRY_MS);
}

/** The fees of a first attempt: the suggested fees, never above the cap. Null while the cap is below the base fee. */
export function firstFees(suggested: Fees, baseFeeWei: bigint, capWei: bigint): Fees | null {
  if (baseFeeWei > capWei) return null;
  return within(suggested, capWei);
}

/**
 * The fees of a replacement: both raised by at least 12.5 %, or to the suggested fees. Null if the cap leaves no room, because nodes
 * refuse a smaller increase.
 */
export function raisedFees(last: Fees, suggested: Fees, capWei: bigint): Fees | null {
  const least = {
    maxFeePerGasWei: raised(last.maxFeePerGasWei),
    maxPriorityFeePerGasWei: raised(last.maxPriorityFeePerGasWei),
  };
  if (least.maxFeePerGasWei > capWei || least.maxPriorityFeePerGasWei > capWei) return null;
  return within(
    {
      maxFeePerGasWei: larger(least.maxFeePerGasWei, suggested.maxFeePerGasWei),
      maxPriorityFeePerGasWei: larger(least.maxPriorityFeePerGasWei, suggested.maxPriorityFeePerGasWei),
    },
    capWei,
  );
}

function within(fees: Fees, capWei: bigint): Fees {
  const maxFeePerGasWei = smaller(fees.maxFeePerGasWei, capWei);
  return { maxFeePerGasWei, maxPriorityFeePerGasWei: smaller(fees.maxPriorityFeePerGasWei, maxFeePerGasWei) };
}

function raised(wei: bigint): bigint {
  return (wei * 1125n + 999n) / 1000n;
}

function larger(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}

function smaller(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}
