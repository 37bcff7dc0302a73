/**
 * A batch: many calls of one escrow in one transaction, by `contracts/PaymentBatch.sol`. An item is a call that anyone may make, with
 * its gas cap and its goal, which is the state that the call should produce. A failed item never undoes the others.
 *
 * The outcome of an item, in the batch's event, is the result of its call: DONE, FAILED, or NOT_TRIED if too little gas was left for
 * the cap. It does not say whether the goal is reached: an item whose goal someone else reached first is FAILED, and the escrow's state
 * shows it (`evaluateItem`). An item that was not tried is put into the next batch unchanged.
 */
import {
  type Address,
  decodeEventLog,
  decodeFunctionData,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  hexToBytes,
  isAddressEqual,
  type Log,
  toFunctionSelector,
} from 'viem';
import type { Call } from '../calldata.ts';
import type { RecurringConsent } from '../consent.ts';
import { escrowAbi } from '../escrow-abi.ts';
import type { EscrowStatus } from '../read-escrow-state.ts';
import type { PaymentTerms } from '../terms.ts';
import { batchAbi } from './batch-abi.ts';
import { batchAddress } from './batch-bytecode.ts';

/** Reached when the payment has this status (any except NONE if it is null), or when nothing is left of the credit. */
export type BatchGoal =
  | { kind: 'PAYMENT'; id: Hex; status: EscrowStatus | null }
  | { kind: 'CREDIT'; recipient: Address; token: Address };

/** `data` is the call as it would be sent to the escrow itself. */
export type BatchItem = { data: Hex; goal: BatchGoal };

/** `gasCap` is the gas that the call gets. */
export type CappedItem = BatchItem & { gasCap: bigint };

const outcomes = ['NOT_TRIED', 'DONE', 'FAILED'] as const;
export type BatchOutcome = (typeof outcomes)[number];

const selectorsOf = (names: readonly string[]): ReadonlySet<Hex> =>
  new Set(
    escrowAbi
      .filter((item) => item.type === 'function')
      .filter((item) => names.includes(item.name))
      .map((item) => toFunctionSelector(item)),
  );

/** The functions of the escrow that collect money. */
export const collectingSelectors = selectorsOf(['charge', 'authorizeFromDeposit']);
/** The functions of the escrow that the batch contract calls. */
export const batchSelectors = selectorsOf([
  'settle',
  'reclaim',
  'resolveByTimeout',
  'charge',
  'claimFor',
  'authorizeFromDeposit',
]);

type OfPayment = { id: Hex; terms: PaymentTerms };

export function settleItem({ id, terms }: OfPayment): BatchItem {
  const data = encodeFunctionData({ abi: escrowAbi, functionName: 'settle', args: [terms] });
  return { data, goal: { kind: 'PAYMENT', id, status: 'SETTLED' } };
}

export function reclaimItem({ id, terms }: OfPayment): BatchItem {
  const data = encodeFunctionData({ abi: escrowAbi, functionName: 'reclaim', args: [terms] });
  return { data, goal: { kind: 'PAYMENT', id, status: 'RECLAIMED' } };
}

export function resolveByTimeoutItem({ id, terms }: OfPayment): BatchItem {
  const data = encodeFunctionData({ abi: escrowAbi, functionName: 'resolveByTimeout', args: [terms] });
  return { data, goal: { kind: 'PAYMENT', id, status: 'RESOLVED' } };
}

/** `operatorSignature` is over `chargeTypedData`, not over the terms. */
export function chargeItem(
  request: OfPayment & { consent: RecurringConsent; period: number; operatorSignature: Hex; consentSignature: Hex },
): BatchItem {
  const { id, consent, period, terms, operatorSignature, consentSignature } = request;
  const args = [consent, period, terms, operatorSignature, consentSignature] as const;
  const data = encodeFunctionData({ abi: escrowAbi, functionName: 'charge', args });
  return { data, goal: { kind: 'PAYMENT', id, status: null } };
}

/** `token` is the zero address for the native coin. */
export function claimForItem({ recipient, token }: { recipient: Address; token: Address }): BatchItem {
  const data = encodeFunctionData({ abi: escrowAbi, functionName: 'claimFor', args: [recipient, token] });
  return { data, goal: { kind: 'CREDIT', recipient, token } };
}

export function depositItem({ id, terms, operatorSignature }: OfPayment & { operatorSignature: Hex }): BatchItem {
  const args = [terms, operatorSignature] as const;
  const data = encodeFunctionData({ abi: escrowAbi, functionName: 'authorizeFromDeposit', args });
  return { data, goal: { kind: 'PAYMENT', id, status: null } };
}

type Execution = {
  batch: Address;
  escrow: Address;
  gasFloor: bigint;
  items: readonly Pick<CappedItem, 'data' | 'gasCap'>[];
};

/** `gasFloor`: with less gas on entry the call reverts, so that an estimate finds a limit with which each item is tried. */
export function executeCall({ batch, escrow, gasFloor, items }: Execution): Call {
  const list = items.map(({ gasCap, data }) => ({ gasCap, data }));
  const data = encodeFunctionData({ abi: batchAbi, functionName: 'execute', args: [escrow, gasFloor, list] });
  return { to: batch, data, value: 0n };
}

/** Returns the escrow and the items' calls of a call that `executeCall` has made. */
export function decodeCall(data: Hex): { escrow: Address; calls: Hex[] } {
  const { args } = decodeFunctionData({ abi: batchAbi, data });
  const [escrow, , items] = args;
  return { escrow, calls: items.map((item) => item.data) };
}

/** What a simulated `execute` returns: each item's outcome, and the gas that its call used. */
export function decodeExecution(data: Hex): { outcome: BatchOutcome; gasUsed: bigint }[] {
  const [bytes, gasUsed] = decodeFunctionResult({ abi: batchAbi, functionName: 'execute', data });
  return decodeOutcomes(bytes).map((outcome, index) => ({ outcome, gasUsed: gasUsed[index] ?? 0n }));
}

/**
 * Returns the outcomes of a mined batch transaction in the order of its items. Null if its receipt has none, because it reverted or ran
 * out of gas and nothing was done. `count` must be the number of items.
 */
export function readOutcomes(
  receipt: { logs: readonly Pick<Log, 'address' | 'topics' | 'data'>[] },
  { batch, escrow, count }: { batch: Address; escrow: Address; count: number },
): BatchOutcome[] | null {
  // A recipient's code may execute a batch of its own within this one, and the event of that batch comes first.
  for (const log of receipt.logs.toReversed()) {
    if (!isAddressEqual(log.address, batch)) continue;
    const { args } = decodeEventLog({ abi: batchAbi, eventName: 'Executed', topics: log.topics, data: log.data });
    if (!isAddressEqual(args.escrow, escrow)) continue;
    const read = decodeOutcomes(args.outcomes);
    if (read.length !== count) throw new Error(`The batch has ${read.length} outcomes for ${count} items.`);
    return read;
  }
  return null;
}

/** The number of calls among which a mined transaction divides its gas: those of its batch, and otherwise one. */
export function countCalls(receipt: { logs: readonly Pick<Log, 'address' | 'topics' | 'data'>[] }): number {
  const log = receipt.logs.findLast(({ address }) => isAddressEqual(address, batchAddress));
  if (!log) return 1;
  const { args } = decodeEventLog({ abi: batchAbi, eventName: 'Executed', topics: log.topics, data: log.data });
  return Math.max(decodeOutcomes(args.outcomes).length, 1);
}

function decodeOutcomes(bytes: Hex): BatchOutcome[] {
  return [...hexToBytes(bytes)].map((byte) => {
    const outcome = outcomes[byte];
    if (outcome === undefined) throw new Error(`The batch returned the unknown outcome ${byte}.`);
    return outcome;
  });
}
