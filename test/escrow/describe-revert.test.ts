/** What refusals say in words: of our contracts, of tokens, of the language, and of contracts that nobody here knows. */
import { readFileSync } from 'node:fs';
import { type Abi, type AbiParameter, concat, encodeErrorResult, type Hex, zeroHash } from 'viem';
import { describe, expect, it, test } from 'vitest';
import { batchAbi } from '../../src/escrow/batch/batch-abi.ts';
import { classifyRevert } from '../../src/escrow/classify-revert.ts';
import { describeRevert } from '../../src/escrow/describe-revert.ts';
import { escrowAbi } from '../../src/escrow/escrow-abi.ts';
import { usdcTokenAbi, usdtTokenAbi } from '../../src/local/test-tokens.ts';

const party = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const build = new URL('../../node_modules/@openzeppelin/contracts/build/contracts/', import.meta.url);

/** The interface of a contract as OpenZeppelin publishes it. */
function published(contract: string): Abi {
  return JSON.parse(readFileSync(new URL(`${contract}.json`, build), 'utf8')).abi;
}

function exampleOf({ type }: AbiParameter): unknown {
  if (type === 'address') return party;
  if (type === 'string') return 'words';
  if (type === 'bytes32') return zeroHash;
  if (type === 'bytes4') return '0x12345678';
  return /^uint(8|16|24|32|40|48)$/.test(type) ? 7 : 7n;
}

describe('an error of', () => {
  const tokens = ['ERC20', 'ERC20Permit', 'ERC20Pausable', 'ERC20Capped', 'ERC3009', 'SafeERC20', 'Ownable'];
  const libraries = ['Address', 'Errors', 'ECDSA', 'ReentrancyGuard', 'AccessControl', 'ERC1967Proxy', 'ShortStrings'];
  test.each<[string, Abi]>([
    ['the escrow', escrowAbi],
    ['the batch contract', batchAbi],
    ['the local USDC', usdcTokenAbi],
    ['the local USDT', usdtTokenAbi],
    ...[...tokens, ...libraries].map((name): [string, Abi] => [`OpenZeppelin’s ${name}`, published(name)]),
  ])('%s is told by its name with its numbers', (_, abi) => {
    const atDeployment = new Set(['ERC20InvalidCap', 'MissingPrecompile', 'ERC1967ProxyUninitialized']);
    for (const item of abi) {
      if (item.type !== 'error' || atDeployment.has(item.name)) continue;
      const values = item.inputs.map(exampleOf);
      const data = encodeErrorResult({ abi: [item], errorName: item.name, args: values });
      expect(describeRevert(data)).toContain(`${item.name}(${values.map(String).join(', ')})`);
    }
  });

  test.each([
    [0x11n, 'Panic(17): an arithmetic operation overflowed or underflowed'],
    [0x01n, 'Panic(1): an assertion failed'],
    [0x32n, 'Panic(50): an index was out of bounds'],
    [0x77n, 'Panic(119)'],
  ])('Solidity, Panic(%s), is described by its meaning', (code, words) => {
    const abi = [{ type: 'error', name: 'Panic', inputs: [{ name: 'code', type: 'uint256' }] }] as const;
    expect(describeRevert(encodeErrorResult({ abi, errorName: 'Panic', args: [code] }))).toBe(words);
  });
});

describe('a reason in words', () => {
  const abi = [{ type: 'error', name: 'Error', inputs: [{ name: 'reason', type: 'string' }] }] as const;
  const reason = (text: string) => describeRevert(encodeErrorResult({ abi, errorName: 'Error', args: [text] }));

  it('is reported unchanged', () => {
    expect(reason('ERC20: transfer amount exceeds allowance')).toBe('ERC20: transfer amount exceeds allowance');
  });

  it('is truncated if it is too long, and printed as one line', () => {
    expect(reason('x'.repeat(5_000))).toBe(`${'x'.repeat(299)}…`);
    expect(reason('first\n\u001b[31msecond\u0000\u202e')).toBe('first [31msecond');
    expect(reason('')).toBe('Reverted with an empty reason.');
  });
});

describe('an error that no ABI here has', () => {
  it('is shown with its selector and its data', () => {
    const data = concat(['0xdeadbeef', `0x${'00'.repeat(31)}2a`]);
    expect(describeRevert(data)).toBe(`Reverted with the unknown error 0xdeadbeef, data 0x${'00'.repeat(31)}2a.`);
    expect(describeRevert('0xdeadbeef')).toBe('Reverted with the unknown error 0xdeadbeef, no data.');
  });

  it('is shown with the first bytes of much data, and their number', () => {
    const data: Hex = `0xdeadbeef${'ab'.repeat(10_000)}`;
    expect(describeRevert(data)).toBe(
      `Reverted with the unknown error 0xdeadbeef, data 0x${'ab'.repeat(96)}… (10000 bytes).`,
    );
  });

  it('is shown with its bytes where its data does not fit its selector, and where it has no whole selector', () => {
    const cut = encodeErrorResult({ abi: escrowAbi, errorName: 'SinkParty', args: [party] }).slice(0, 20) as Hex;
    expect(describeRevert(cut)).toBe(`Reverted with SinkParty and data that do not fit it: 0x${cut.slice(10)}.`);
    expect(describeRevert('0x1234')).toBe('Reverted with the bytes 0x1234.');
    expect(describeRevert('0x')).toBe('Reverted without data.');
  });
});

describe('a party that the contract refuses', () => {
  test.each([
    ['SinkParty', /^SinkParty\(0x70997970C51812dc3A010C7d01b50e0d17dc79C8\): the escrow and the token cannot be/],
    ['ArbiterIsOperator', /^ArbiterIsOperator\(0x70997970C51812dc3A010C7d01b50e0d17dc79C8\): the operator cannot be/],
  ] as const)('%s is final, and is said in English', (errorName, words) => {
    const data = encodeErrorResult({ abi: escrowAbi, errorName, args: [party] });
    expect(describeRevert(data)).toMatch(words);
    expect(classifyRevert(data)).toBe('IMPOSSIBLE');
  });
});
