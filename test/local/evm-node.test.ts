import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPublicClient, createTestClient, http, parseAbi } from 'viem';
import { expect, test } from 'vitest';
import { ConfigError } from '../../src/config/config-error.ts';
import { startEvmNode } from '../../src/local/evm-node.ts';
import { localAccounts } from '../../src/local/local-accounts.ts';
import { furnishChain } from '../../src/local/set-up/furnish-chain.ts';
import { freePort } from '../setup/free-port.ts';
import { onTeardown } from '../setup/teardown.ts';

const balanceAbi = parseAbi(['function balanceOf(address) view returns (uint256)']);

function stateFileOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-evm-'));
  onTeardown(async () => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'chain.json');
}

async function start(options: { port: number; stateFile: string; blockTimeSeconds?: number }) {
  const node = await startEvmNode({ chainId: 31338, ...options });
  onTeardown(() => node.stop());
  const client = createPublicClient({ transport: http(node.rpcUrl), cacheTime: 0, pollingInterval: 30 });
  return { node, client };
}

test('a restarted node continues its chain, and preparing it twice changes nothing', async () => {
  const [port, stateFile] = [await freePort(), stateFileOfTest()];
  const first = await start({ port, stateFile });
  const furnished = await furnishChain({ rpcUrl: first.node.rpcUrl, chainId: 31338 });
  const before = await first.client.getBlock();
  expect(await furnishChain({ rpcUrl: first.node.rpcUrl, chainId: 31338 })).toEqual(furnished);
  expect(await first.client.getBlockNumber()).toBe(before.number);
  await first.node.stop();

  const second = await start({ port, stateFile });
  expect(second.node.pid).not.toBe(first.node.pid);
  expect((await second.client.getBlock({ blockNumber: before.number })).hash).toBe(before.hash);
  expect(await furnishChain({ rpcUrl: second.node.rpcUrl, chainId: 31338 })).toEqual(furnished);
  expect(await second.client.getBlockNumber()).toBe(before.number);
  const [, , native] = furnished.tokens;
  expect(furnished.tokens.map(({ key }) => key)).toEqual(['USDC-31338', 'USDT-31338', 'ETH-31338', 'DAI-31338']);
  expect(native?.address).toBe('native');
  for (const token of furnished.tokens) {
    if (token.address === 'native') continue;
    const call = { address: token.address, abi: balanceAbi, functionName: 'balanceOf' } as const;
    for (const payer of localAccounts.payers) {
      expect(await second.client.readContract({ ...call, args: [payer.address] })).toBe(
        1_000_000n * 10n ** BigInt(token.decimals),
      );
    }
    expect(await second.client.readContract({ ...call, args: [localAccounts.merchant.address] })).toBe(0n);
  }
  expect((await second.client.getCode({ address: furnished.escrow }))?.length).toBeGreaterThan(1000);
});

test('a chain that an earlier version kept in one file continues from its oldest genesis', async () => {
  const [port, stateFile] = [await freePort(), stateFileOfTest()];
  const first = await start({ port, stateFile });
  const genesis = await first.client.getBlock({ blockNumber: 0n });
  await createTestClient({ mode: 'anvil', transport: http(first.node.rpcUrl) }).mine({ blocks: 100 });
  const newest = await first.client.getBlock();
  await first.node.stop();
  const state = JSON.parse(readFileSync(`${stateFile}.snapshot-2`, 'utf8'));
  const block = state.blocks.find(({ header }: { header: { number: string } }) => BigInt(header.number) === 0n);
  const timestamp = `0x${(genesis.timestamp + 9n).toString(16)}`;
  const later = { ...block, header: { ...block.header, timestamp } };
  for (const name of ['snapshot-2', 'journal-2']) rmSync(`${stateFile}.${name}`);
  writeFileSync(stateFile, JSON.stringify({ ...state, blocks: [later, ...state.blocks] }));

  const second = await start({ port, stateFile });
  expect((await second.client.getBlock({ blockNumber: 0n })).hash).toBe(genesis.hash);
  expect((await second.client.getBlock()).hash).toBe(newest.hash);
});

test('an occupied port is an error that names the setting', async () => {
  const server = createServer((_, response) => response.end('not a chain'));
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const started = startEvmNode({ chainId: 31338, port, stateFile: stateFileOfTest() });
  await expect(started).rejects.toThrow(ConfigError);
  await expect(started).rejects.toThrow(`LOCAL_EVM_PORT_31338: port ${port} is in use by another process`);
  server.close();
});

test('an unused chain still mines blocks, so that its time advances', async () => {
  const { client } = await start({ port: await freePort(), stateFile: stateFileOfTest(), blockTimeSeconds: 1 });
  await expect.poll(() => client.getBlockNumber(), { timeout: 20_000 }).toBeGreaterThan(1n);
});

test('a chain whose time was advanced continues there after a restart and keeps mining', async () => {
  const [port, stateFile] = [await freePort(), stateFileOfTest()];
  const first = await start({ port, stateFile, blockTimeSeconds: 1 });
  const ahead = createTestClient({ mode: 'anvil', transport: http(first.node.rpcUrl) });
  await ahead.increaseTime({ seconds: 86_400 });
  await ahead.mine({ blocks: 1 });
  const { number, timestamp } = await first.client.getBlock();
  expect(Number(timestamp)).toBeGreaterThan(Date.now() / 1000 + 86_000);
  await first.node.stop();

  const second = await start({ port, stateFile, blockTimeSeconds: 1 });
  await expect.poll(() => second.client.getBlockNumber(), { timeout: 30_000 }).toBeGreaterThan(number + 1n);
  expect((await second.client.getBlock()).timestamp).toBeGreaterThanOrEqual(timestamp);
});
