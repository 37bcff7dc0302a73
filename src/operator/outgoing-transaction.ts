/**
 * A transaction that one of our keys is to send, from the decision to finality. The table is the queue.
 *
 * - purpose: what it is for; unique, so that one effect is asked for once.
 * - attempt: one signed version of it. A replacement keeps the nonce and raises the fees, and whichever attempt is
 *   mined resolves the transaction.
 * - abandoned: not wanted any more after it has a nonce. Its nonce is then used up by a transfer of nothing to oneself.
 *   So is one that was told as FAILED or CANCELLED and lost its block: it is SIGNED again, for later nonces wait for it;
 *   one that was FINAL is sent again as it was, where the chain replaced a final block and its nonce is free;
 *   and a nonce that somebody else with the key had used, when a reorganisation took theirs, by a row made for it.
 *
 * ```
 * QUEUED ──signed, nonce taken──► SIGNED ──a node took it──► SENT ──in a block──► MINED ──finalized──► FINAL
 *   │  ▲                            │                          │ ▲                   │
 *   │  └─────somebody used its nonce┴──────────────────────────┘ └─its block is gone─┤
 *   └─simulation failed for good──► FAILED ◄─────────reverted, at the required depth──┤
 *                                   CANCELLED ◄──the transfer to oneself was mined────┘
 * ```
 *
 * A revert is for good where the contract's error says that the call can never succeed (`judgeRevert`): at once, by the
 * first simulation or receipt that says so. Any other simulation is tried again, up to the limit. What another call has
 * overtaken ends CANCELLED instead of FAILED, from a simulation and from a receipt.
 *
 * Authority: this table until FINAL. Success is told by the chain's events, never by this noun; failure is told by
 * receipts at depth, for a reverted transaction leaves no event.
 */
import type { OutgoingTransaction } from '../../prisma/client.ts';
import type { RevertVerdict } from '../escrow/judge-revert.ts';

export type Fees = { maxFeePerGasWei: bigint; maxPriorityFeePerGasWei: bigint };

/** What the hooks are told of a transaction. */
export type OutgoingOutcome = Pick<
  OutgoingTransaction,
  'id' | 'chainId' | 'sender' | 'purpose' | 'transactionId' | 'txHash' | 'gasUsed' | 'error'
>;

/** `verdict`: of the revert that ended it; none where it was given up, or its nonce used up, for another reason. */
export type OutgoingFailure = OutgoingOutcome & { verdict?: RevertVerdict };

/** A transaction that another one has overtaken is no failure of ours: nothing is to be done about it. */
export function failedStatus(verdict: RevertVerdict): 'CANCELLED' | 'FAILED' {
  return verdict === 'OVERTAKEN' ? 'CANCELLED' : 'FAILED';
}

export type SendLimits = {
  /** Transactions of one sender that have a nonce and are not in a block. */
  inFlight: number;
  /** An unmined attempt is handed to the nodes again after this long. */
  resendAfterMs: number;
  /** An unmined transaction at the head of the line gets higher fees after this long. */
  replaceAfterMs: number;
  /** Attempts per nonce; after that the last one stays. */
  attempts: number;
};

export const sendLimits: SendLimits = { inFlight: 16, resendAfterMs: 15_000, replaceAfterMs: 30_000, attempts: 20 };

/** A node takes no transaction with more (EIP-7825), and one that none takes would hold up all that come after it. */
export const MAX_TRANSACTION_GAS = 2n ** 24n;

/** What a transfer of nothing to oneself needs. */
export const TRANSFER_GAS = 21_000n;

/** Failed simulations after which a transaction is given up, unless its purpose says otherwise. */
export const defaultMaxFailures = 5;

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

/** The wait before the simulation is tried again: 1 s, 2 s, 4 s, at most 60 s. `failures` counts from 1. */
export function retryDelayMs(failures: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 16), LONGEST_RETRY_MS);
}

/** The fees of a first attempt: what the chain asks, never above the cap; null while the cap is below the base fee. */
export function firstFees(suggested: Fees, baseFeeWei: bigint, capWei: bigint): Fees | null {
  if (baseFeeWei > capWei) return null;
  return within(suggested, capWei);
}

/**
 * The fees of a replacement: both raised by at least 12.5 %, or to what the chain asks; null where the cap leaves no
 * room, for nodes refuse a smaller step.
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
