/** What the contract's refusals of parties say, in words and as verdicts. */
import { encodeErrorResult } from 'viem';
import { describe, expect, test } from 'vitest';
import { describeRevert } from '../../src/escrow/describe-revert.ts';
import { escrowAbi } from '../../src/escrow/escrow-abi.ts';
import { judgeRevert } from '../../src/escrow/judge-revert.ts';

const party = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

describe('a party that the contract refuses', () => {
  test.each([
    ['SinkParty', /^SinkParty\(0x70997970C51812dc3A010C7d01b50e0d17dc79C8\): the escrow and the token cannot be/],
    ['ArbiterIsOperator', /^ArbiterIsOperator\(0x70997970C51812dc3A010C7d01b50e0d17dc79C8\): the operator cannot be/],
  ] as const)('%s is final, and is said in English', (errorName, words) => {
    const data = encodeErrorResult({ abi: escrowAbi, errorName, args: [party] });
    expect(describeRevert(data)).toMatch(words);
    expect(judgeRevert(data)).toBe('IMPOSSIBLE');
  });
});
