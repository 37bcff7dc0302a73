/** A local chain whose processes are killed at random moments keeps everything that it has reported. */
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Address,
  createPublicClient,
  createTestClient,
  createWalletClient,
  type Hash,
  http,
  parseAbi,
  parseEther,
  type TransactionReceipt,
  webSocket,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { isAlive, isRunningWith, stopProcess } from '../../src/local/child-process.ts';
import { startEvmNode } from '../../src/local/evm-node.ts';
import { localAccounts } from '../../src/local/local-accounts.ts';
import { checkoutFolder } from '../../src/local/local-settings.ts';
import { furnishChain } from '../../src/local/set-up/furnish-chain.ts';
import { freePort } from '../setup/free-port.ts';
import { onTeardown } from '../setup/teardown.ts';

const chainId = 31338;
const tokenAbi = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function transfer(address, uint256) returns (bool)',
]);
const receiver: Address = '0x00000000000000000000000000000000000000ee';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-durable-'));
  onTeardown(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The same numbers for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function openClients(rpcUrl: string) {
  const transport = http(rpcUrl, { retryCount: 0 });
  const options = { transport, cacheTime: 0, pollingInterval: 20 };
  const wallets = localAccounts.payers.map(({ privateKey }) =>
    createWalletClient({ account: privateKeyToAccount(privateKey), ...options }),
  );
  return { reader: createPublicClient(options), wallets, control: createTestClient({ mode: 'anvil', ...options }) };
}

type Clients = ReturnType<typeof openClients>;

/** Sends transfers until it is stopped, and remembers every receipt. */
async function transferOn(
  { reader, wallets }: Clients,
  options: { index: number; token: Address; seen: Map<Hash, TransactionReceipt>; isOver: () => boolean },
): Promise<void> {
  const wallet = wallets[options.index % wallets.length];
  if (!wallet) throw new Error('There is no payer.');
  while (!options.isOver()) {
    try {
      const nonce = await reader.getTransactionCount({ address: wallet.account.address });
      const call = { address: options.token, abi: tokenAbi, functionName: 'transfer' } as const;
      const hash = await wallet.writeContract({ ...call, args: [receiver, 1n], chain: null, gas: 100_000n, nonce });
      options.seen.set(hash, await reader.getTransactionReceipt({ hash }));
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** Blocks, receipts, logs and state at one moment, with all observed receipts. */
async function expectIntact(reader: Clients['reader'], token: Address, seen: Map<Hash, TransactionReceipt>) {
  for (const [hash, receipt] of seen) {
    const now = await reader.getTransactionReceipt({ hash });
    expect(now).toEqual(receipt);
    expect(now.logs).toHaveLength(1);
  }
  const logs = await reader.getLogs({ address: token, fromBlock: 0n, toBlock: 'latest' });
  const moved = logs.filter(({ topics }) => topics[2]?.endsWith(receiver.slice(2)));
  const balance = await reader.readContract({
    address: token,
    abi: tokenAbi,
    functionName: 'balanceOf',
    args: [receiver],
  });
  expect(BigInt(moved.length)).toBe(balance);
  expect(moved.length).toBeGreaterThanOrEqual(seen.size);
  for (const hash of seen.keys()) expect(moved.some(({ transactionHash }) => transactionHash === hash)).toBe(true);
  const head = await reader.getBlockNumber();
  let parent = await reader.getBlock({ blockNumber: 0n });
  for (let number = 1n; number <= head; number += 1n) {
    const block = await reader.getBlock({ blockNumber: number });
    expect(block.parentHash).toBe(parent.hash);
    parent = block;
  }
}

test('a node that is killed at random moments keeps everything that it has reported', async () => {
  const seed = Number(process.env.TEST_SEED ?? 20_261_123);
  const random = randomOf(seed);
  const options = { chainId, port: await freePort(), stateFile: join(newFolder(), 'chain'), blockTimeSeconds: 1 };
  let node = await startEvmNode(options);
  onTeardown(() => node.stop());
  const { tokens } = await furnishChain({ rpcUrl: node.rpcUrl, chainId });
  const token = tokens[0]?.address;
  if (token === undefined || token === 'native') throw new Error('There is no token.');
  const clients = openClients(node.rpcUrl);
  const genesis = await clients.reader.getBlock({ blockNumber: 0n });
  const seen = new Map<Hash, TransactionReceipt>();
  let over = false;
  const senders = clients.wallets.map((_, index) => transferOn(clients, { index, token, seen, isOver: () => over }));
  for (let kills = 0; kills < 12; kills += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100 + random() * 900));
    await stopProcess(node.pid, 'SIGKILL', 5000);
    await node.ended;
    node = await startEvmNode(options);
    expect((await clients.reader.getBlock({ blockNumber: 0n })).hash, `seed ${seed}`).toBe(genesis.hash);
  }
  over = true;
  await Promise.all(senders);
  expect(seen.size).toBeGreaterThan(20);
  await expectIntact(clients.reader, token, seen);
  await node.stop();
  node = await startEvmNode(options);
  await expectIntact(clients.reader, token, seen);
}, 240_000);

/** A chain in its own process, like `npm start`. */
async function startElsewhere(options: { port: number; stateFile: string }): Promise<ChildProcess> {
  const script = join(newFolder(), 'start.mjs');
  writeFileSync(
    script,
    `const { startEvmNode } = await import(${JSON.stringify(join(checkoutFolder, 'src', 'local', 'evm-node.ts'))});
     await startEvmNode(${JSON.stringify({ chainId, ...options })});
     console.log('started');
     setInterval(() => undefined, 1000);`,
  );
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTeardown(async () => {
    child.kill('SIGKILL');
    // Ends the process of a failed test, which the next start would otherwise end.
    const pidFile = `${options.stateFile}.pid`;
    const nodePid = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0;
    if (nodePid > 0 && isRunningWith(nodePid, options.stateFile)) await stopProcess(nodePid, 'SIGKILL', 5000);
  });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return child;
}

async function killNow(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

test('a chain continues after its process is killed, even with an incomplete last line', async () => {
  const seed = Number(process.env.TEST_SEED ?? 7);
  const random = randomOf(seed);
  const options = { chainId, port: await freePort(), stateFile: join(newFolder(), 'chain') };
  const clients = openClients(`http://127.0.0.1:${options.port}`);
  const seen = new Map<Hash, TransactionReceipt>();
  let child = await startElsewhere(options);
  const { tokens } = await furnishChain({ rpcUrl: `http://127.0.0.1:${options.port}`, chainId });
  const token = tokens[0]?.address;
  if (token === undefined || token === 'native') throw new Error('There is no token.');
  let over = false;
  const senders = clients.wallets.map((_, index) => transferOn(clients, { index, token, seen, isOver: () => over }));
  for (let kills = 0; kills < 3; kills += 1) {
    await new Promise((resolve) => setTimeout(resolve, 200 + random() * 800));
    const nodePid = Number(readFileSync(`${options.stateFile}.pid`, 'utf8'));
    await killNow(child);
    // The first round leaves the node running. The others kill it too, and leave an incomplete, unreported line.
    if (kills > 0) {
      await stopProcess(nodePid, 'SIGKILL', 5000);
      const [journal] = readdirSync(join(options.stateFile, '..')).filter((name) => name.includes('.journal-'));
      appendFileSync(join(options.stateFile, '..', journal ?? ''), '{"calls":[],"blocks":[{"number":');
    }
    child = await startElsewhere(options);
    expect(isAlive(nodePid), `seed ${seed}`).toBe(false);
  }
  over = true;
  await Promise.all(senders);
  expect(seen.size).toBeGreaterThan(5);
  await expectIntact(clients.reader, token, seen);
  await killNow(child);
  const node = await startEvmNode(options);
  onTeardown(() => node.stop());
  await expectIntact(clients.reader, token, seen);
}, 240_000);

test('changes without a transaction, from impersonated accounts and reverted ones survive a kill', async () => {
  const options = { chainId, port: await freePort(), stateFile: join(newFolder(), 'chain') };
  const output: string[] = [];
  let node = await startEvmNode(options);
  onTeardown(() => node.stop());
  const { reader, control, wallets } = openClients(node.rpcUrl);
  const [wallet] = wallets;
  if (!wallet) throw new Error('There is no payer.');
  const somebody: Address = '0x00000000000000000000000000000000000000aa';
  await control.setBalance({ address: somebody, value: parseEther('5') });
  await control.setBalance({ address: wallet.account.address, value: parseEther('5') });
  await control.impersonateAccount({ address: somebody });
  const nameless = createWalletClient({ account: somebody, transport: http(node.rpcUrl) });
  const inItsName = await nameless.sendTransaction({ to: receiver, value: 1n, chain: null });
  await control.stopImpersonatingAccount({ address: somebody });
  const ahead = BigInt(Math.floor(Date.now() / 1000) + 5000);
  await control.setNextBlockTimestamp({ timestamp: ahead });
  await control.mine({ blocks: 3 });
  await control.setAutomine(false);
  const together = await Promise.all(
    [0, 1].map((nonce) => wallet.sendTransaction({ to: receiver, value: 1n, chain: null, nonce, gas: 21_000n })),
  );
  await control.mine({ blocks: 1 });
  await control.setAutomine(true);
  const point = await control.snapshot();
  await wallet.sendTransaction({ to: receiver, value: 1n, chain: null });
  await control.revert({ id: point });
  const before = await reader.getBlock();
  const receipts = await Promise.all([inItsName, ...together].map((hash) => reader.getTransactionReceipt({ hash })));
  for (let kills = 0; kills < 2; kills += 1) {
    await stopProcess(node.pid, 'SIGKILL', 5000);
    await node.ended;
    node = await startEvmNode({ ...options, log: (line) => output.push(line) });
    expect(await reader.getBlock()).toEqual(before);
    for (const receipt of receipts) {
      expect(await reader.getTransactionReceipt({ hash: receipt.transactionHash })).toEqual(receipt);
    }
    expect(await reader.getBalance({ address: receiver })).toBe(3n);
    expect(await reader.getBalance({ address: somebody })).toBeLessThan(parseEther('5'));
    expect(output).toEqual([]);
  }
  expect(before.timestamp).toBeGreaterThanOrEqual(ahead);
  const next = await wallet.sendTransaction({ to: receiver, value: 1n, chain: null });
  expect((await reader.getTransactionReceipt({ hash: next })).blockNumber).toBe(before.number + 1n);
}, 120_000);

test('a websocket subscriber receives blocks and can send', async () => {
  const options = { chainId, port: await freePort(), stateFile: join(newFolder(), 'chain') };
  const node = await startEvmNode(options);
  onTeardown(() => node.stop());
  const transport = webSocket(node.rpcUrl.replace('http', 'ws'));
  const socket = createPublicClient({ transport });
  const notified: bigint[] = [];
  const stop = socket.watchBlockNumber({ onBlockNumber: (number) => notified.push(number) });
  const control = createTestClient({ mode: 'anvil', transport });
  await expect
    .poll(
      async () => {
        await control.mine({ blocks: 1 });
        return notified.length;
      },
      { timeout: 20_000 },
    )
    .toBeGreaterThan(1);
  stop();
  const client = await socket.transport.getRpcClient();
  client.close();
});

const MINED_AT_ONCE = 100;

test('the chain is saved as a snapshot when its journal is as long as the chain', async () => {
  const folder = newFolder();
  const options = { chainId, port: await freePort(), stateFile: join(folder, 'chain') };
  let node = await startEvmNode(options);
  onTeardown(() => node.stop());
  const { reader, control } = openClients(node.rpcUrl);
  // A single call that mines all of them would exceed the client's timeout on a busy machine.
  for (let mined = 0; mined < 1999; mined += MINED_AT_ONCE) {
    await control.mine({ blocks: Math.min(MINED_AT_ONCE, 1999 - mined) });
  }
  expect(readdirSync(folder)).toContain('chain.journal-1');
  await control.mine({ blocks: 1 });
  await expect.poll(() => readdirSync(folder), { timeout: 20_000 }).toContain('chain.journal-2');
  await control.mine({ blocks: 1 });
  const before = await reader.getBlock();
  await stopProcess(node.pid, 'SIGKILL', 5000);
  await node.ended;
  node = await startEvmNode(options);
  expect(await reader.getBlock()).toEqual(before);
  expect(readdirSync(folder).toSorted()).toEqual(['chain.journal-2', 'chain.pid', 'chain.snapshot-2']);
}, 120_000);
