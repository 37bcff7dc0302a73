import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPublicClient, createTestClient, http, parseAbi } from 'viem';
import { expect, test } from 'vitest';
import { ConfigError } from '../../src/config.ts';
import { isAlive, stopProcess } from '../../src/local/child-process.ts';
import { startEvmNode } from '../../src/local/evm-node.ts';
import { furnishChain } from '../../src/local/furnish-chain.ts';
import { localAccounts } from '../../src/local/local-accounts.ts';
import { freePort } from '../setup/free-port.ts';
import { onTeardown } from '../setup/teardown.ts';

const balanceAbi = parseAbi(['function balanceOf(address) view returns (uint256)']);

function stateFileOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-evm-'));
  onTeardown(async () => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'chain.json');
}

async function start(options: {
  port: number;
  stateFile: string;
  blockTimeSeconds?: number;
  log?: (s: string) => void;
}) {
  const node = await startEvmNode({ chainId: 31338, ...options });
  onTeardown(() => node.stop());
  const client = createPublicClient({ transport: http(node.rpcUrl), cacheTime: 0, pollingInterval: 30 });
  return { node, client };
}

test('a restarted node goes on with its chain, and furnishing it twice changes nothing', async () => {
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
  const [usdc, usdt, native] = furnished.tokens;
  expect([usdc?.key, usdt?.key, native?.key]).toEqual(['USDC-31338', 'USDT-31338', 'ETH-31338']);
  expect(native?.address).toBe('native');
  for (const token of furnished.tokens) {
    if (token.address === 'native') continue;
    const call = { address: token.address, abi: balanceAbi, functionName: 'balanceOf' } as const;
    for (const payer of localAccounts.payers) {
      expect(await second.client.readContract({ ...call, args: [payer.address] })).toBe(1_000_000_000_000n);
    }
    expect(await second.client.readContract({ ...call, args: [localAccounts.merchant.address] })).toBe(0n);
  }
  expect((await second.client.getCode({ address: furnished.escrow }))?.length).toBeGreaterThan(1000);
});

test('a chain begins with its first genesis, though the node adds another at each start', async () => {
  const [port, stateFile] = [await freePort(), stateFileOfTest()];
  const first = await start({ port, stateFile });
  const genesis = await first.client.getBlock({ blockNumber: 0n });
  await first.node.stop();
  const state = JSON.parse(readFileSync(stateFile, 'utf8'));
  const [block] = state.blocks;
  for (let later = 1n; later <= 9n; later += 1n) {
    const timestamp = `0x${(genesis.timestamp + later).toString(16)}`;
    state.blocks.push({ ...block, header: { ...block.header, timestamp } });
  }
  writeFileSync(stateFile, JSON.stringify({ ...state, blocks: state.blocks.reverse() }));

  const second = await start({ port, stateFile });
  expect((await second.client.getBlock({ blockNumber: 0n })).hash).toBe(genesis.hash);
});

test('a node that its parent left running is found again', async () => {
  const [port, stateFile] = [await freePort(), stateFileOfTest()];
  const first = await start({ port, stateFile });
  const second = await start({ port, stateFile });
  expect(second.node.pid).toBe(first.node.pid);
  await second.node.stop();
  expect(isAlive(first.node.pid)).toBe(false);
});

test('a torn state file is replaced by its last whole copy', async () => {
  const [port, stateFile] = [await freePort(), stateFileOfTest()];
  const first = await start({ port, stateFile });
  await createTestClient({ mode: 'anvil', transport: http(first.node.rpcUrl) }).mine({ blocks: 7 });
  await first.node.stop();
  const whole = readFileSync(stateFile, 'utf8');
  writeFileSync(`${stateFile}.copy`, whole);
  writeFileSync(stateFile, whole.slice(0, whole.length / 2));
  const said: string[] = [];
  const second = await start({ port, stateFile, log: (line) => said.push(line) });
  expect(await second.client.getBlockNumber()).toBe(7n);
  expect(said.join()).toContain('was torn');
});

test('a killed node starts again from what it wrote', async () => {
  const [port, stateFile] = [await freePort(), stateFileOfTest()];
  const first = await start({ port, stateFile });
  await createTestClient({ mode: 'anvil', transport: http(first.node.rpcUrl) }).mine({ blocks: 3 });
  await expect.poll(() => blocksIn(stateFile), { timeout: 20_000 }).toBe(3);
  await stopProcess(first.node.pid, 'SIGKILL', 5000);
  await first.node.ended;
  const second = await start({ port, stateFile });
  expect(await second.client.getBlockNumber()).toBe(3n);
});

test('a port that somebody else holds is an error that names the setting', async () => {
  const server = createServer((_, response) => response.end('not a chain'));
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const started = startEvmNode({ chainId: 31338, port, stateFile: stateFileOfTest() });
  await expect(started).rejects.toThrow(ConfigError);
  await expect(started).rejects.toThrow(`LOCAL_EVM_PORT_31338: port ${port} is taken`);
  server.close();
});

test('a chain that nobody uses still mines blocks, so that time passes on it', async () => {
  const { client } = await start({ port: await freePort(), stateFile: stateFileOfTest(), blockTimeSeconds: 1 });
  await expect.poll(() => client.getBlockNumber(), { timeout: 20_000 }).toBeGreaterThan(1n);
});

function blocksIn(stateFile: string): number {
  if (!existsSync(stateFile)) return 0;
  try {
    return Number(JSON.parse(readFileSync(stateFile, 'utf8')).best_block_number);
  } catch {
    return 0;
  }
}

test('a chain whose time was moved ahead goes on there after a restart, and beats on', async () => {
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
