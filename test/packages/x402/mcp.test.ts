/** A paid tool of a real MCP server, called by its real client. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createBuyer } from '../../../packages/x402/src/client/index.ts';
import { createX402 } from '../../../packages/x402/src/index.ts';
import { callPaidTool, paidTool } from '../../../packages/x402/src/mcp/index.ts';
import { openEvm } from '../../setup/chains/evm.ts';
import { openStockGateway, secretKey } from './stock-gateway.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 });

const evm = await openEvm();
const gateway = await openStockGateway(evm);
const x402 = createX402({
  apiUrl: gateway.url,
  secretKey,
  publicUrl: 'https://mcp.example.com',
  settleTimeoutMs: 1_500,
  onError: () => undefined,
});
const server = new McpServer({ name: 'weather', version: '1.0.0' });
const url = 'https://mcp.example.com';
let runs = 0;

const paid = x402.pay({
  price: '0.01',
  discovery: { input: { city: 'Berlin' }, output: { example: { degrees: 21 } } },
});
const tool = {
  toolName: 'forecast',
  description: 'The forecast of a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
server.registerTool(
  'forecast',
  { description: tool.description, inputSchema: { city: z.string() } },
  paidTool(paid, tool, ({ city }: { city: string }) => {
    runs += 1;
    if (city === 'Atlantis') return { isError: true, content: [{ type: 'text', text: 'There is no such city.' }] };
    return { content: [{ type: 'text', text: `${city}: 21 degrees` }] };
  }),
);
const client = new Client({ name: 'test', version: '1.0.0' });
const [near, far] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(far), client.connect(near)]);

const buyer = createBuyer({
  signer: privateKeyToAccount(evm.payers[0].privateKey),
  budget: {
    ...{ perCall: '0.01', perDay: '1', hosts: ['mcp.example.com'] },
    tokens: [{ network: `eip155:${evm.chainId}`, asset: evm.usdc.address, decimals: 6 }],
  },
});

it('an unpaid call returns the requirements, which describe the tool', async () => {
  const result = await client.callTool({ name: 'forecast', arguments: { city: 'Berlin' } });
  expect(result).toMatchObject({
    isError: true,
    structuredContent: {
      x402Version: 2,
      resource: { url: 'https://mcp.example.com/tools/forecast' },
      accepts: [{ scheme: 'exact', amount: '10000' }],
      extensions: { bazaar: { info: { input: { type: 'mcp', ...tool, example: { city: 'Berlin' } } } } },
    },
  });
  expect(runs).toBe(0);
});

it('a call is paid from the budget and has a receipt', async () => {
  const call = { name: 'forecast', arguments: { city: 'Berlin' } };
  const result = await callPaidTool(client, { buyer, url }, call);
  expect(result.content).toEqual([{ type: 'text', text: 'Berlin: 21 degrees' }]);
  expect(result._meta?.['x402/payment-response']).toMatchObject({ success: true });
  expect(await buyer.receipts()).toMatchObject([{ method: 'tools/call forecast', status: 'charged' }]);
  expect(runs).toBe(1);
});

it('a call is paid once although its first results are lost or pending', async () => {
  const payments = new Set<unknown>();
  let isLost = false;
  const losing: Pick<Client, 'callTool'> = {
    callTool: async (params, ...rest) => {
      const payment = params._meta?.['x402/payment'];
      if (payment === undefined) return await client.callTool(params, ...rest);
      payments.add(JSON.stringify(payment));
      gateway.fault = isLost ? 'none' : 'every settle lost';
      const result = await client.callTool(params, ...rest);
      if (isLost) return result;
      isLost = true;
      throw new Error('The connection was closed.');
    },
  };
  const result = await callPaidTool(losing, { buyer, url }, { name: 'forecast', arguments: { city: 'Oslo' } });
  expect(result.content).toEqual([{ type: 'text', text: 'Oslo: 21 degrees' }]);
  expect(payments.size).toBe(1);
  expect(await buyer.receipts()).toMatchObject([{ status: 'charged' }, { status: 'charged' }]);
});

it('a tool that fails is not charged', async () => {
  const settled = gateway.calls['/x402/settle'];
  const result = await callPaidTool(client, { buyer, url }, { name: 'forecast', arguments: { city: 'Atlantis' } });
  expect(result).toMatchObject({ isError: true, content: [{ text: 'There is no such city.' }] });
  expect(gateway.calls['/x402/settle']).toBe(settled);
});
