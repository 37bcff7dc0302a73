/** A local EVM chain for one test file, with contracts, tokens and funded accounts. */
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Account,
  type Address,
  createClient,
  createPublicClient,
  createTestClient,
  createWalletClient,
  defineChain,
  type Hex,
  http,
  type PublicClient,
  type TestClient,
  type Transport,
  type WalletClient,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { loadRegistry, type Registry } from '../../../src/chains/registry.ts';
import type { RpcSettings } from '../../../src/config/config.ts';
import { ConfigError } from '../../../src/config/config-error.ts';
import { type EvmNode, startEvmNode } from '../../../src/local/evm-node.ts';
import { type LocalAccount, localAccounts } from '../../../src/local/local-accounts.ts';
import { localChain } from '../../../src/local/local-chains.ts';
import { furnishChain } from '../../../src/local/set-up/furnish-chain.ts';
import { freePort } from '../free-port.ts';
import { onTeardown } from '../teardown.ts';

type TestToken = { key: string; symbol: string; decimals: number; address: Address };
type TestChain = ReturnType<typeof chainOf>;

export type TestEvm = {
  chainId: number;
  rpcUrl: string;
  chain: TestChain;
  publicClient: PublicClient<Transport, TestChain>;
  testClient: TestClient<'anvil', Transport, TestChain>;
  walletFor(privateKey: Hex): WalletClient<Transport, TestChain, Account>;
  escrow: Address;
  /** A token with 6 decimals, EIP-2612 and ERC-3009. */
  usdc: TestToken;
  /** A token with 6 decimals and neither standard. An allowance must be reset to zero before it can be changed. */
  usdt: TestToken;
  /** Each has gas and a million units of both tokens. */
  payers: [LocalAccount, LocalAccount, LocalAccount];
  operator: LocalAccount;
  arbiter: LocalAccount;
  merchant: LocalAccount;
  feeRecipient: LocalAccount;
  /** Mines empty blocks, by default a single one. Their timestamps are `secondsBetween` apart, by default one second. */
  mine(blocks?: number, secondsBetween?: number): Promise<void>;
  /** Replaces the last `depth` blocks with the same number of empty blocks. */
  reorg(depth: number): Promise<void>;
  /** Advances the chain's clock and mines a block at the new time. */
  passTime(seconds: number): Promise<void>;
  /** A registry with this chain, its tokens and its node. */
  registry: Registry;
  rpcSettings: RpcSettings;
  stop(): Promise<void>;
};

/** Mines each transaction immediately. The chain follows the machine's clock until it is moved. Stopped when the test file ends. */
export async function openEvm(options: { chainId?: number; slotsInAnEpoch?: number } = {}): Promise<TestEvm> {
  const chainId = options.chainId ?? 31337;
  const folder = join(tmpdir(), `sluice-test-${process.pid}-${crypto.randomUUID().slice(0, 8)}`);
  const node = await startOnFreePort({ ...options, chainId, stateFile: join(folder, 'evm') }, 3);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= node.stop().then(() => rmSync(folder, { recursive: true, force: true }));
    return stopped;
  };
  onTeardown(stop);
  const { escrow, tokens } = await furnishChain({ rpcUrl: node.rpcUrl, chainId });
  const find = (symbol: string): TestToken => {
    const token = tokens.find((candidate) => candidate.symbol === symbol);
    if (!token || token.address === 'native') throw new Error(`The chain has no ${symbol}.`);
    return { key: token.key, symbol, decimals: token.decimals, address: token.address };
  };
  const rpcSettings = rpcSettingsOf(node);
  const chainsFile = join(folder, 'chains.json');
  writeFileSync(chainsFile, JSON.stringify([localChain(chainId)]));
  const registry = loadRegistry({ chainsFile, rpc: [rpcSettings] });
  const tokensBySymbol = { usdc: find('USDC'), usdt: find('USDT') };
  return { ...openClients(node), ...localAccounts, ...tokensBySymbol, escrow, registry, rpcSettings, stop };
}

function rpcSettingsOf(node: EvmNode): RpcSettings {
  return {
    chainId: node.chainId,
    urls: [node.rpcUrl],
    confirmations: undefined,
    pollingIntervalMs: 50,
    relayMinimumUsd: '0',
    maxFeePerGasWei: 500_000_000_000n,
    startBlock: undefined,
  };
}

type ReorgRpcSchema = [{ Method: 'anvil_reorg'; Parameters: [depth: number, transactions: never[]]; ReturnType: null }];

type NodeOptions = { chainId: number; stateFile: string; slotsInAnEpoch?: number };

async function startOnFreePort(options: NodeOptions, attempts: number): Promise<EvmNode> {
  try {
    return await startEvmNode({ ...options, port: await freePort() });
  } catch (error) {
    if (attempts > 1 && error instanceof ConfigError) return startOnFreePort(options, attempts - 1);
    throw error;
  }
}

function openClients(node: EvmNode) {
  const chain = chainOf(node);
  const settings = { chain, transport: http(node.rpcUrl), pollingInterval: 30, cacheTime: 0 };
  const testClient = createTestClient({ mode: 'anvil', ...settings });
  // viem's types of the node's methods do not include this one.
  const reorgClient = createClient<Transport, undefined, undefined, ReorgRpcSchema>({ transport: settings.transport });
  return {
    chainId: node.chainId,
    rpcUrl: node.rpcUrl,
    chain,
    publicClient: createPublicClient(settings),
    testClient,
    walletFor: (privateKey: Hex) => createWalletClient({ account: privateKeyToAccount(privateKey), ...settings }),
    mine: (blocks = 1, secondsBetween = 1) => testClient.mine({ blocks, interval: secondsBetween }),
    reorg: async (depth: number) => {
      await reorgClient.request({ method: 'anvil_reorg', params: [depth, []] });
    },
    passTime: async (seconds: number) => {
      await testClient.increaseTime({ seconds });
      await testClient.mine({ blocks: 1 });
    },
  };
}

function chainOf(node: EvmNode) {
  return defineChain({
    id: node.chainId,
    name: `Local ${node.chainId}`,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [node.rpcUrl] } },
    contracts: { multicall3: { address: '0xcA11bde05977b3631167028862bE2a173976CA11' } },
  });
}
