import { AbiErrorSignatureNotFoundError, decodeErrorResult, type Hex, size, slice, toFunctionSelector } from 'viem';
import { formatAbiItem } from 'viem/utils';
import { knownErrors } from './known-errors.ts';

const LONGEST = 300;
/** Length of an unknown error's data that is shown: three words, which cover most errors. */
const LONGEST_DATA_BYTES = 96;
const SELECTOR_BYTES = 4;

/** Explanations of errors whose name and arguments do not say what to change. */
const meanings: ReadonlyMap<string, string> = new Map([
  [
    'SinkParty',
    'the escrow and the token cannot be payer, merchant or fee recipient, because neither could pay it out',
  ],
  ['ArbiterIsOperator', 'the operator cannot be the arbiter of its own payments'],
]);

/** Descriptions by the code of a `Panic(uint256)`, as the Solidity documentation lists them. */
const panics: ReadonlyMap<string, string> = new Map([
  ['1', 'an assertion failed'],
  ['17', 'an arithmetic operation overflowed or underflowed'],
  ['18', 'a number was divided by zero'],
  ['33', 'a value does not fit its enum'],
  ['34', 'a byte array in storage is wrongly encoded'],
  ['49', 'an empty array was popped'],
  ['50', 'an index was out of bounds'],
  ['65', 'too much memory was allocated'],
  ['81', 'a function pointer was zero'],
]);

/**
 * Describes a revert's data on one line of at most 300 characters: a known error with its arguments (and its meaning if they do not
 * give it), a require's reason, or the bytes themselves if the error is unknown. The contract controls this data, so control
 * characters, which a terminal interprets and the database refuses, are removed.
 */
export function describeRevert(data: Hex): string {
  if (size(data) === 0) return 'Reverted without data.';
  if (size(data) < SELECTOR_BYTES) return `Reverted with the bytes ${data}.`;
  try {
    const { errorName: name, args } = decodeErrorResult({ abi: knownErrors, data });
    const values = (args ?? []).map((value: unknown) => String(value));
    if (name === 'Error') return plain(values[0] ?? '') || 'Reverted with an empty reason.';
    const meaning = name === 'Panic' ? panics.get(values[0] ?? '') : meanings.get(name);
    const call = `${name}(${values.join(', ')})`;
    return plain(meaning === undefined ? call : `${call}: ${meaning}`);
  } catch (error) {
    const selector = slice(data, 0, SELECTOR_BYTES);
    if (error instanceof AbiErrorSignatureNotFoundError) {
      return `Reverted with the unknown error ${selector}, ${size(data) > SELECTOR_BYTES ? 'data ' : ''}${printData(data)}.`;
    }
    return `Reverted with ${nameOf(selector)} and data that do not fit it: ${printData(data)}.`;
  }
}

function nameOf(selector: Hex): string {
  const known = knownErrors.find(
    (item) => item.type === 'error' && toFunctionSelector(formatAbiItem(item)) === selector,
  );
  if (known?.type === 'error') return known.name;
  return `the error ${selector}`;
}

function printData(data: Hex): string {
  const bytes = size(data) - SELECTOR_BYTES;
  if (bytes === 0) return 'no data';
  if (bytes <= LONGEST_DATA_BYTES) return slice(data, SELECTOR_BYTES);
  return `${slice(data, SELECTOR_BYTES, SELECTOR_BYTES + LONGEST_DATA_BYTES)}… (${bytes} bytes)`;
}

function plain(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\s]+/gu, ' ').trim();
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1)}…`;
}
