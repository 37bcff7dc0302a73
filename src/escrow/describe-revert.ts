import { decodeErrorResult, type Hex } from 'viem';
import { escrowAbi } from './escrow-abi.ts';

const LONGEST = 300;

/** A revert's data in words: the contract's custom error with its numbers, a require's reason, or the bare data. */
export function describeRevert(data: Hex): string {
  try {
    const { errorName, args } = decodeErrorResult({ abi: escrowAbi, data });
    const values = (args ?? []).map((value: unknown) => String(value));
    const name: string = errorName;
    if (name === 'Error') return values[0] ?? name;
    return `${name}(${values.join(', ')})`.slice(0, LONGEST);
  } catch {
    return `Reverted with ${data.slice(0, 10)}`;
  }
}
