import { decodeErrorResult, type Hex } from 'viem';
import { escrowAbi } from './escrow-abi.ts';

const LONGEST = 300;

/** Of errors whose name and numbers do not say what to change. */
const meanings: ReadonlyMap<string, string> = new Map([
  [
    'SinkParty',
    'the escrow and the token cannot be payer, merchant or fee recipient, because neither could pay it out',
  ],
  ['ArbiterIsOperator', 'the operator cannot be the arbiter of its own payments'],
]);

/**
 * A revert's data in words: the contract's custom error with its numbers (and its meaning where they do not give it), a
 * require's reason, or the bare data.
 */
export function describeRevert(data: Hex): string {
  try {
    const { errorName, args } = decodeErrorResult({ abi: escrowAbi, data });
    const values = (args ?? []).map((value: unknown) => String(value));
    const name: string = errorName;
    if (name === 'Error') return values[0] ?? name;
    const call = `${name}(${values.join(', ')})`;
    const meaning = meanings.get(name);
    return (meaning === undefined ? call : `${call}: ${meaning}`).slice(0, LONGEST);
  } catch {
    return `Reverted with ${data.slice(0, 10)}`;
  }
}
