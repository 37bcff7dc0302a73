/** Each row of the table, with messages of real nodes. */
import { RpcRequestError } from 'viem';
import { describe, expect, it } from 'vitest';
import { callFault, classifyRpcError } from '../../../src/chains/evm/classify-answer.ts';
import { classifyResult } from '../../../src/chains/evm/result-shapes.ts';
import { type NodeAnswer, statusFault } from '../../../src/chains/node-answer.ts';

const HASH = `0x${'ab'.repeat(32)}`;

describe('a JSON-RPC error', () => {
  it.each<[NodeAnswer, number, string, unknown?]>([
    ['rate_limited', -32005, 'daily request count exceeded, request rate limited'],
    ['rate_limited', 429, 'Your app has exceeded its compute units per second capacity.'],
    ['rate_limited', -32007, '50/second request limit reached'],
    ['rate_limited', -32000, 'Too Many Requests'],
    ['reverted', 3, 'execution reverted: nonce too low', '0x08c379a0'],
    ['reverted', -32000, 'execution reverted'],
    ['reverted', -32015, 'VM execution error.', 'Reverted 0x08c379a0'],
    ['reverted', -32603, 'Error: VM Exception while processing transaction: revert'],
    ['reverted', -32603, 'internal error', { data: '0x4e487b71' }],
    ['reverted', -32000, 'gas required exceeds allowance (30000000)'],
    ['reverted', -32003, 'OutOfGas'],
    ['already_known', -32000, 'already known'],
    ['already_known', -32003, 'transaction already imported'],
    ['already_known', -32010, 'Transaction with the same hash was already imported.'],
    ['nonce_used', -32000, 'nonce too low: next nonce 12, tx nonce 11'],
    ['nonce_used', -32003, 'nonce too low'],
    ['nonce_used', -32010, 'OldNonce, Current nonce: 12, nonce of rejected tx: 11. old nonce'],
    ['underpriced', -32000, 'replacement transaction underpriced'],
    ['underpriced', -32000, 'transaction underpriced'],
    ['underpriced', -32003, 'max fee per gas less than block base fee'],
    ['no_funds', -32000, 'insufficient funds for gas * price + value: balance 0, tx cost 1'],
    ['missing', -32000, 'header not found'],
    ['missing', -32000, 'missing trie node 5c1e (path ) state 0x12 is not available'],
    ['missing', -32000, `hash ${HASH} is not currently canonical`],
    ['missing', -32001, 'Unable to find block'],
    ['missing', -39001, 'Unknown block'],
    ['missing', -32000, 'finalized block not found'],
    ['unsupported', -32601, 'the method eth_maxPriorityFeePerGas does not exist/is not available'],
    ['unsupported', -32602, 'invalid argument 0: hex string without 0x prefix'],
    ['rpc', -32603, 'Internal error'],
    ['rpc', -32000, 'something nobody has seen before'],
  ])('is %s: %i %s', (answer, code, message, data) => {
    expect(classifyRpcError({ code, message, data })).toBe(answer);
  });
});

describe('a reverted call', () => {
  const fault = (message: string, data?: unknown) => {
    const error = { code: 3, message, ...(data === undefined ? {} : { data }) };
    return callFault(new RpcRequestError({ body: {}, url: 'https://node.example/key', error }));
  };

  it.each([
    ['execution reverted', 'Reverted without a reason'],
    ['execution reverted: paused', 'Reverted without a reason; the node says: execution reverted: paused'],
    ['out of gas', 'Ran out of gas or into an invalid operation'],
    [
      'gas required exceeds allowance (30000)',
      'Ran out of gas or into an invalid operation; the node says: gas required exceeds allowance (30000)',
    ],
    [
      'execution reverted at https://user:word@node.example/v2/key?token=1\n\u001b[2J\u0000',
      'Reverted without a reason; the node says: execution reverted at (a URL) [2J',
    ],
  ])('without data keeps the node’s message: %j', (message, words) => {
    expect(fault(message)).toEqual({ kind: 'REVERT', data: null, message: words });
  });

  it('keeps its data and truncates the message', () => {
    expect(fault('execution reverted', '0x08c379a0')).toMatchObject({ data: '0x08c379a0' });
    const [long = ''] = [fault(`execution reverted: ${'x'.repeat(5_000)}`)].flatMap((classified) =>
      classified?.kind === 'REVERT' ? classified.message : [],
    );
    expect(long).toMatch(/x…$/);
    expect(long.length).toBeLessThan(250);
  });
});

describe('a status', () => {
  it.each<[NodeAnswer, number]>([
    ['rate_limited', 429],
    ['http', 500],
    ['http', 503],
    ['http', 401],
  ])('is %s: %i', (answer, status) => {
    expect(statusFault(status).answer).toBe(answer);
  });
});

describe('a result', () => {
  const block = { number: '0x5', hash: HASH, timestamp: '0x1', transactions: [] };

  it.each<['good' | 'missing' | 'garbage', string, unknown[], unknown]>([
    ['good', 'eth_getBalance', [], '0x0'],
    ['missing', 'eth_getBalance', [], null],
    ['garbage', 'eth_getBalance', [], undefined],
    ['garbage', 'eth_getBalance', [], 12],
    ['garbage', 'eth_getBalance', [], '0x'],
    ['good', 'eth_call', [], '0x'],
    ['garbage', 'eth_call', [], '0x123'],
    ['garbage', 'eth_call', [], 'balance'],
    ['good', 'eth_getBlockByNumber', ['0x5', false], block],
    ['good', 'eth_getBlockByNumber', ['0x5', false], null],
    ['missing', 'eth_getBlockByNumber', ['latest', false], null],
    ['garbage', 'eth_getBlockByNumber', ['0x6', false], block],
    ['garbage', 'eth_getBlockByNumber', ['latest', false], { ...block, hash: '0x' }],
    ['garbage', 'eth_getBlockByNumber', ['latest', false], []],
    ['good', 'eth_getTransactionReceipt', [HASH], null],
    ['garbage', 'eth_getTransactionReceipt', [HASH], {}],
    ['garbage', 'eth_getLogs', [{}], {}],
    ['missing', 'eth_getLogs', [{}], null],
    ['good', 'anvil_nodeInfo', [], { any: 'thing' }],
  ])('is %s: %s %j %j', (verdict, method, params, result) => {
    expect(classifyResult({ method, params }, result)).toBe(verdict);
  });
});
