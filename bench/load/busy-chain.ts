/** A local chain with a history: many approvals of the escrow, several in each block. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestClient, createWalletClient, defineChain, http, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { approveData } from '../../src/chains/evm/erc20.ts';
import { type EvmNodes, openEvmNodes } from '../../src/chains/evm/nodes.ts';
import { loadRegistry, type Registry } from '../../src/chains/registry.ts';
import type { RpcSettings } from '../../src/config/config.ts';
import { startEvmNode } from '../../src/local/evm-node.ts';
import { localAccounts } from '../../src/local/local-accounts.ts';
import { localChain } from '../../src/local/local-chains.ts';
import { furnishChain } from '../../src/local/set-up/furnish-chain.ts';
import { freePort } from '../../test/setup/free-port.ts';

const CHAIN_ID = 31337;
/** Approvals of each payer in one block. */
const PER_BLOCK = 20;

export type BusyChain = {
  chainId: number;
  events: number;
  head: bigint;
  rpc: RpcSettings;
  registry: Registry;
  nodes: EvmNodes;
  stop(): Promise<void>;
};

export async function openBusyChain(request: { events: number }): Promise<BusyChain> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-chain-'));
  const node = await startEvmNode({ chainId: CHAIN_ID, port: await freePort(), stateFile: join(folder, 'evm') });
  const stop = async () => {
    await node.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const { escrow, tokens } = await furnishChain({ rpcUrl: node.rpcUrl, chainId: CHAIN_ID });
    const token = tokens.find(({ address }) => address !== 'native');
    if (!token || token.address === 'native') throw new Error('The chain has no token.');
    const { events, head } = await approveOften(node.rpcUrl, { ...request, escrow, token: token.address });
    const rpc: RpcSettings = {
      chainId: CHAIN_ID,
      urls: [node.rpcUrl],
      confirmations: undefined,
      pollingIntervalMs: 100,
      relayMinimumUsd: '0',
      maxFeePerGasWei: 500_000_000_000n,
      startBlock: 0n,
    };
    const chainsFile = join(folder, 'chains.json');
    writeFileSync(chainsFile, JSON.stringify([localChain(CHAIN_ID)]));
    const registry = loadRegistry({ chainsFile, rpc: [rpc] });
    return { chainId: CHAIN_ID, events, head, rpc, registry, nodes: openEvmNodes({ registry, rpc: [rpc] }), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function approveOften(
  rpcUrl: string,
  request: { events: number; escrow: `0x${string}`; token: `0x${string}` },
): Promise<{ events: number; head: bigint }> {
  const chain = defineChain({
    id: CHAIN_ID,
    name: 'Bench',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  });
  const settings = { chain, transport: http(rpcUrl) };
  const node = createTestClient({ mode: 'anvil', ...settings }).extend(publicActions);
  const wallets = localAccounts.payers.map(({ privateKey }) =>
    createWalletClient({ account: privateKeyToAccount(privateKey), ...settings }),
  );
  const nonces = await Promise.all(
    wallets.map(({ account }) => node.getTransactionCount({ address: account.address })),
  );
  await node.setAutomine(false);
  let events = 0;
  while (events < request.events) {
    for (const [index, wallet] of wallets.entries()) {
      for (let count = 0; count < PER_BLOCK; count += 1) {
        const nonce = nonces[index] ?? 0;
        nonces[index] = nonce + 1;
        events += 1;
        const data = approveData(request.escrow, BigInt(events));
        await wallet.sendTransaction({ to: request.token, data, nonce, gas: 100_000n });
      }
    }
    await node.mine({ blocks: 1 });
  }
  await node.setAutomine(true);
  return { events, head: await node.getBlockNumber({ cacheTime: 0 }) };
}
