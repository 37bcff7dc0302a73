import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadRegistry } from '../../src/chains/registry.ts';
import type { RpcCall } from '../../src/chains/rpc-call.ts';
import { openSolanaNodes } from '../../src/chains/solana/open-solana-nodes.ts';
import { freePort } from '../setup/free-port.ts';

/** Answers every question as it is told. */
let server: Server;
let url: string;
let answer: { status: number; body: object | string };
beforeAll(async () => {
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      const { id } = JSON.parse(text);
      response.end(
        typeof answer.body === 'string' ? answer.body : JSON.stringify({ jsonrpc: '2.0', id, ...answer.body }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

function nodesAt(urls: string[], observe?: (call: RpcCall) => void) {
  const rpc = [
    {
      chainId: 103,
      urls,
      confirmations: undefined,
      pollingIntervalMs: 100,
      relayMinimumUsd: '0',
      maxFeePerGasWei: 1n,
      startBlock: undefined,
    },
  ];
  return openSolanaNodes({ registry: loadRegistry({ rpc }), rpc, observe });
}

describe('the nodes of a Solana chain', () => {
  it('are asked in order, and the first that answers is used', async () => {
    answer = { status: 200, body: { result: 42 } };
    const calls: RpcCall[] = [];
    const nodes = nodesAt([`http://127.0.0.1:${await freePort()}`, url], (call) => calls.push(call));
    expect(await nodes.asking(103, (connection) => connection.getSlot())).toBe(42);
    expect(calls.map((call) => call.fault)).toEqual(['unreachable', null]);
  });

  it.each([
    ['a refusing status', { status: 503, body: 'no' }],
    ['a rate limit', { status: 429, body: 'slow down' }],
    ['nonsense', { status: 200, body: 'nonsense' }],
    ['another shape', { status: 200, body: { result: 'forty-two' } }],
    ['a node behind', { status: 200, body: { error: { code: -32005, message: 'Node is behind' } } }],
  ])('make the chain unavailable with %s, and do not tell where they are', async (_name, given) => {
    answer = given;
    const asked = nodesAt([url]).asking(103, (connection) => connection.getSlot());
    await expect(asked).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
    await expect(asked).rejects.not.toThrow(/127\.0\.0\.1/);
  });

  it('pass on a refusal of what was asked as what it is', async () => {
    answer = { status: 200, body: { error: { code: -32602, message: 'Invalid params' } } };
    const asked = nodesAt([url]).asking(103, (connection) => connection.getSlot());
    await expect(asked).rejects.toThrow(/Invalid params/);
    await expect(asked).rejects.not.toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
  });

  it('are unavailable for a chain that has none, or is of another family', async () => {
    for (const chainId of [101, 1]) {
      const asked = nodesAt([url]).asking(chainId, (connection) => connection.getSlot());
      await expect(asked).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
    }
  });
});
