import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadRegistry } from '../../src/chains/registry.ts';
import type { RpcCall } from '../../src/chains/rpc-call.ts';
import { openSolanaNodes } from '../../src/chains/solana/open-solana-nodes.ts';
import { freePort } from '../setup/free-port.ts';

/** Responds to every request with the given response. */
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
      response.end(bodyOf(answer.body, id));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

function bodyOf(body: object | string, id: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify({ jsonrpc: '2.0', id, ...body });
}

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
  it('are called in order, and the first one that responds is used', async () => {
    answer = { status: 200, body: { result: 42 } };
    const calls: RpcCall[] = [];
    const nodes = nodesAt([`http://127.0.0.1:${await freePort()}`, url], (call) => calls.push(call));
    expect(await nodes.asking(103, (connection) => connection.getSlot())).toBe(42);
    expect(calls.map((call) => call.fault)).toEqual(['unreachable', null]);
  });

  it.each([
    ['a refusing status', { status: 503, body: 'no' }],
    ['a rate limit', { status: 429, body: 'slow down' }],
    ['a rate limit in a JSON-RPC body', { status: 200, body: { error: { code: 429, message: 'Too many requests' } } }],
    ['an empty object', { status: 200, body: '{}' }],
    ['JSON null', { status: 200, body: 'null' }],
    ['nonsense', { status: 200, body: 'nonsense' }],
    ['another shape', { status: 200, body: { result: 'forty-two' } }],
    ['`result: null`', { status: 200, body: { result: null } }],
    ['a node behind', { status: 200, body: { error: { code: -32005, message: 'Node is behind' } } }],
  ])('make the chain unavailable with %s, without revealing their URLs', async (_name, given) => {
    answer = given;
    const asked = nodesAt([url]).asking(103, (connection) => connection.getSlot());
    await expect(asked).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
    await expect(asked).rejects.not.toThrow(/127\.0\.0\.1/);
  });

  it.each([
    ['http', { status: 503, body: 'no' }],
    ['rate_limited', { status: 429, body: 'slow down' }],
    ['rate_limited', { status: 200, body: { error: { code: 429, message: 'Too many requests' } } }],
    ['garbage', { status: 200, body: '<html>' }],
    ['timeout', 'hang'],
  ] as const)('skip one after %s, so that the other one responds', async (fault, given) => {
    answer = { status: 200, body: { result: 42 } };
    const bad = createServer((_request, response) => {
      if (given !== 'hang') response.writeHead(given.status).end(bodyOf(given.body, 0));
    });
    await new Promise<void>((resolve) => bad.listen(0, '127.0.0.1', resolve));
    const calls: RpcCall[] = [];
    const badUrl = `http://127.0.0.1:${(bad.address() as AddressInfo).port}`;
    const nodes = nodesAt([badUrl, url], (call) => calls.push(call));
    for (let turn = 0; turn < 3; turn += 1) expect(await nodes.asking(103, (one) => one.getSlot())).toBe(42);
    bad.closeAllConnections();
    await new Promise((resolve) => bad.close(resolve));
    expect(calls.filter((call) => call.fault !== null).map((call) => call.fault)).toEqual([fault]);
    expect(calls).toHaveLength(4);
  });

  it('pass on an error of the request unchanged', async () => {
    answer = { status: 200, body: { error: { code: -32602, message: 'Invalid params' } } };
    const asked = nodesAt([url]).asking(103, (connection) => connection.getSlot());
    await expect(asked).rejects.toThrow(/Invalid params/);
    await expect(asked).rejects.not.toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
  });

  it('are unavailable for a chain without nodes or of another family', async () => {
    for (const chainId of [101, 1]) {
      const asked = nodesAt([url]).asking(chainId, (connection) => connection.getSlot());
      await expect(asked).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
    }
  });
});
