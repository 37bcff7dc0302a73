import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEvmNodes } from '../../src/chains/evm/nodes.ts';
import { loadRegistry } from '../../src/chains/registry.ts';
import { freePort } from '../setup/free-port.ts';

/** Responds to every request with the given error. */
let server: Server;
let url: string;
let fault: { code: number; message: string; data?: string };
beforeAll(async () => {
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const { id } = JSON.parse(text);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id, error: fault }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

function nodesAt(urls: string[]) {
  const rpc = [
    {
      chainId: 1,
      urls,
      confirmations: undefined,
      pollingIntervalMs: 100,
      relayMinimumUsd: '0',
      maxFeePerGasWei: 1n,
      startBlock: undefined,
    },
  ];
  return openEvmNodes({ registry: loadRegistry({ rpc }), rpc });
}

describe('the nodes of a chain', () => {
  it('are called in order, and the chain is unavailable if none of them responds', async () => {
    const nodes = nodesAt([`http://127.0.0.1:${await freePort()}`]);
    const asked = nodes.asking(1, (client) => client.getBlockNumber());
    await expect(asked).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
    await expect(asked).rejects.not.toThrow(/127\.0\.0\.1/);
  });

  it('pass on a revert unchanged', async () => {
    fault = { code: 3, message: 'execution reverted', data: '0x08c379a0' };
    const to = '0x0000000000000000000000000000000000000001';
    const asked = nodesAt([url]).asking(1, (client) => client.call({ to, data: '0x12345678' }));
    await expect(asked).rejects.toThrow(/reverted/);
    await expect(asked).rejects.not.toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
  });

  it('are unavailable for a chain without nodes', async () => {
    const asked = nodesAt([url]).asking(137, (client) => client.getBlockNumber());
    await expect(asked).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
  });
});
