import { type ContractErrorName, decodeErrorResult, type Hex } from 'viem';
import { escrowAbi } from './escrow-abi.ts';
import { escrowStatuses } from './read-escrow-state.ts';

/**
 * Whether the same call may succeed later, according to its revert:
 *
 * - PASSES: it may succeed later. Too early, too little gas, a token that is paused or lacks balance or allowance.
 * - BEHIND: it may succeed once the payment has reached the state that the call needs. Calls are made only for states that have been
 *   seen, so the node is behind, or a reorganization has removed a step that is usually mined again.
 * - OVERTAKEN: never, because another call has already changed the payment's state, as the contract's events show.
 * - LATE: never, because its deadline has passed.
 * - IMPOSSIBLE: never, and it never could, because the contract does not accept the key or the amount.
 */
export type RevertVerdict = 'PASSES' | 'BEHIND' | 'OVERTAKEN' | 'LATE' | 'IMPOSSIBLE';

type ErrorName = ContractErrorName<typeof escrowAbi>;

/** Verdicts by the contract's error. States only advance, so what holds for a later state continues to hold. */
const verdicts = {
  AlreadyDisputed: 'OVERTAKEN',
  ConsentAlreadyRevoked: 'OVERTAKEN',
  // The recipient or someone else has claimed it already.
  NothingToClaim: 'OVERTAKEN',
  AuthorizeByPassed: 'LATE',
  CaptureByPassed: 'LATE',
  DisputeWindowOver: 'LATE',
  ConsentOver: 'LATE',
  NotPayer: 'IMPOSSIBLE',
  NotOperatorOrMerchant: 'IMPOSSIBLE',
  NotArbiter: 'IMPOSSIBLE',
  UnexpectedCoin: 'IMPOSSIBLE',
  ZeroAmount: 'IMPOSSIBLE',
  AmountAboveLeft: 'IMPOSSIBLE',
  WrongValue: 'IMPOSSIBLE',
  NativeCoinNotPullable: 'IMPOSSIBLE',
  ZeroParty: 'IMPOSSIBLE',
  FeeAboveMax: 'IMPOSSIBLE',
  FeeRecipientMissing: 'IMPOSSIBLE',
  ShareAboveMax: 'IMPOSSIBLE',
  CaptureByBeforeAuthorizeBy: 'IMPOSSIBLE',
  TimelockTooLong: 'IMPOSSIBLE',
  DisputeWindowAboveTimelock: 'IMPOSSIBLE',
  DisputeTimeoutOutOfBounds: 'IMPOSSIBLE',
  ArbiterMismatch: 'IMPOSSIBLE',
  ArbiterIsOperator: 'IMPOSSIBLE',
  SinkParty: 'IMPOSSIBLE',
  TermsDifferFromConsent: 'IMPOSSIBLE',
  AmountAboveCap: 'IMPOSSIBLE',
  WrongIntentId: 'IMPOSSIBLE',
  InvalidPeriodLength: 'IMPOSSIBLE',
  PeriodOutOfRange: 'IMPOSSIBLE',
  InvalidClaimTarget: 'IMPOSSIBLE',
  CaptureByNotPassed: 'PASSES',
  CaptureByTooLate: 'PASSES',
  TimelockNotOver: 'PASSES',
  DisputeTimeoutNotOver: 'PASSES',
  GasBelowFloor: 'PASSES',
  ReentrancyGuardReentrantCall: 'PASSES',
  SafeERC20FailedOperation: 'PASSES',
  WrongBalance: 'PASSES',
  ClaimFailed: 'PASSES',
  // A deposit may still be topped up, may be returned by anyone once it is late, and can be sent once its recipient accepts it.
  DepositTooLow: 'PASSES',
  DepositNotSent: 'PASSES',
  NothingToReturn: 'PASSES',
  NotOperator: 'PASSES',
  NotDisputed: 'BEHIND',
  // The signer may be an account whose contract is deployed later, or whose rules change.
  InvalidOperatorSignature: 'PASSES',
  InvalidPayerSignature: 'PASSES',
  // Another sender has submitted this charge to the contract. It is paid, and the indexer will report it.
  PeriodAlreadyCharged: 'PASSES',
  PeriodNotOpen: byArguments(([now, , before]) => (integer(now) >= integer(before) ? 'LATE' : 'PASSES')),
  // Less than expected is left after another refund. More is left if the node has not seen the last refund yet.
  WrongLeft: byArguments(([actual, expected]) => (integer(actual) < integer(expected) ? 'OVERTAKEN' : 'BEHIND')),
  WrongStatus: byArguments(([, actual, required]) => statusVerdict(integer(actual), integer(required))),
} satisfies Record<ErrorName, VerdictRule>;

/** Returns the verdict on a revert of a call to the escrow. Errors that are not the contract's own count as PASSES. */
export function classifyRevert(data: Hex): RevertVerdict {
  try {
    const { errorName, args } = decodeErrorResult({ abi: escrowAbi, data });
    const rule: VerdictRule = verdictRules.get(errorName) ?? 'PASSES';
    return typeof rule === 'string' ? rule : rule(args ?? []);
  } catch {
    return 'PASSES';
  }
}

/** Read by a name that may also be one of the compiler's own errors. */
const verdictRules: ReadonlyMap<string, VerdictRule> = new Map<string, VerdictRule>(Object.entries(verdicts));

type VerdictRule = RevertVerdict | ((args: readonly unknown[]) => RevertVerdict);

/**
 * If a payment that must be new is not, another sender has submitted this authorization to the contract. It is paid, and the indexer will
 * report it. If a payment is not in the state that the call needs, it may still reach it when it is behind; otherwise it has passed it.
 */
function statusVerdict(actual: bigint, required: bigint): RevertVerdict {
  const [is, needed] = [escrowStatuses[Number(actual)], escrowStatuses[Number(required)]];
  if (is === undefined || needed === undefined || needed === 'NONE') return 'PASSES';
  if (is === 'NONE' || (is === 'AUTHORIZED' && needed === 'CAPTURED')) return 'BEHIND';
  return 'OVERTAKEN';
}

function byArguments(classify: (args: readonly unknown[]) => RevertVerdict): VerdictRule {
  return classify;
}

/** The decoder returns small integers as numbers and larger ones as bigint. */
function integer(value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return BigInt(value);
  throw new Error('An argument of an error is not a number.');
}
