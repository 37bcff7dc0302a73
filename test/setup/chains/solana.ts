/** A local Solana for one test file, with tokens and funded accounts. It advances only by transactions and by calls of the test. */
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { base58 } from '@scure/base';
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { Connection, Keypair, PublicKey, type Transaction } from '@solana/web3.js';
import { loadRegistry, type Registry } from '../../../src/chains/registry.ts';
import type { RpcSettings } from '../../../src/config/config.ts';
import { ConfigError } from '../../../src/config/config-error.ts';
import { furnishSolana } from '../../../src/local/solana/furnish-solana.ts';
import { LOCAL_SOLANA_CHAIN_ID, localMints, localSolanaChain } from '../../../src/local/solana/local-solana-chain.ts';
import { type LocalSolanaAccount, localSolanaAccounts } from '../../../src/local/solana/solana-accounts.ts';
import { type SolanaNode, type SolanaNodeOptions, startSolanaNode } from '../../../src/local/solana/solana-node.ts';
import { freePort } from '../free-port.ts';
import { onTeardown } from '../teardown.ts';

export type TestMint = { key: string; decimals: number; mint: PublicKey; program: PublicKey };

export type TestSolana = {
  chainId: number;
  node: SolanaNode;
  rpcUrl: string;
  /** Reads at the commitment `confirmed`, which includes every landed transaction. */
  connection: Connection;
  /** Each has 1,000 SOL and a million units of both tokens. */
  payers: [LocalSolanaAccount, LocalSolanaAccount, LocalSolanaAccount];
  /** Has 1,000 SOL. */
  operator: LocalSolanaAccount;
  merchant: LocalSolanaAccount;
  feeRecipient: LocalSolanaAccount;
  /** A mint of the original Token program with 6 decimals. */
  usdc: TestMint;
  /** A mint of Token-2022 with 6 decimals. */
  pyusd: TestMint;
  /** The chain's entry in CHAINS_FILE. */
  chain: ReturnType<typeof localSolanaChain>;
  registry: Registry;
  rpcSettings: RpcSettings;
  keypairOf(account: LocalSolanaAccount): Keypair;
  /** Advances the given number of slots, by default as many as finalize every landed transaction. */
  advance(slots?: number): void;
  /** Signs and sends a transaction. Resolves when it has landed, and throws if it has failed. */
  send(transaction: Transaction, signers: Keypair[]): Promise<string>;
  /** The balance of the owner's associated token account in base units. Zero if there is no such account. */
  tokenBalance(mint: TestMint, owner: string | PublicKey): Promise<bigint>;
};

/** The number of slots until a transaction is final. */
export const FINALIZED_AFTER = 4;

/** Stopped when the test file ends. */
export async function openSolana(options: Partial<SolanaNodeOptions> = {}): Promise<TestSolana> {
  const node = await startOnFreePorts({ slotMs: 0, confirmedAfter: 0, finalizedAfter: FINALIZED_AFTER, ...options }, 5);
  onTeardown(node.stop);
  await furnishSolana({ rpcUrl: node.rpcUrl });
  node.advance(FINALIZED_AFTER);
  const connection = new Connection(node.rpcUrl, 'confirmed');
  onTeardown(async () => closeWebsocket(connection));
  const chain = localSolanaChain();
  const rpcSettings: RpcSettings = {
    chainId: LOCAL_SOLANA_CHAIN_ID,
    urls: [node.rpcUrl],
    confirmations: undefined,
    pollingIntervalMs: 50,
    relayMinimumUsd: '0',
    maxFeePerGasWei: 0n,
    startBlock: undefined,
  };
  return {
    chainId: LOCAL_SOLANA_CHAIN_ID,
    node,
    rpcUrl: node.rpcUrl,
    connection,
    ...localSolanaAccounts,
    usdc: mintOf('USDC'),
    pyusd: mintOf('PYUSD'),
    chain,
    registry: await registryOf(chain, rpcSettings),
    rpcSettings,
    keypairOf: ({ secretKey }) => Keypair.fromSecretKey(base58.decode(secretKey)),
    advance: (slots = FINALIZED_AFTER) => node.advance(slots),
    send: (transaction, signers) => send(connection, transaction, signers),
    tokenBalance: async ({ mint, program }, owner) => {
      const account = getAssociatedTokenAddressSync(mint, new PublicKey(owner), true, program);
      if (!(await connection.getAccountInfo(account))) return 0n;
      return BigInt((await connection.getTokenAccountBalance(account)).value.amount);
    },
  };
}

/**
 * Closes the connection's websocket. Otherwise, it stays open for half a second after its last subscription, and if its node stops in that time,
 * it tries to reconnect forever.
 */
export function closeWebsocket(connection: Connection): void {
  const websocket: { close(): void; setAutoReconnect(isOn: boolean): void } = Reflect.get(connection, '_rpcWebSocket');
  websocket.setAutoReconnect(false);
  websocket.close();
}

async function send(connection: Connection, transaction: Transaction, signers: Keypair[]): Promise<string> {
  const { blockhash } = await connection.getLatestBlockhash('processed');
  transaction.recentBlockhash = blockhash;
  transaction.sign(...signers);
  const signature = await connection.sendRawTransaction(transaction.serialize());
  for (;;) {
    const status = (await connection.getSignatureStatuses([signature])).value[0];
    if (status?.err) throw new Error(JSON.stringify(status.err));
    if (status) return signature;
    await delay(10);
  }
}

function mintOf(symbol: string): TestMint {
  const found = localMints.find((candidate) => candidate.symbol === symbol);
  if (!found) throw new Error(`The local Solana has no ${symbol}.`);
  const { decimals, keypair, program } = found;
  return { key: `${symbol}-${LOCAL_SOLANA_CHAIN_ID}`, decimals, mint: keypair.publicKey, program };
}

async function registryOf(chain: object, settings: RpcSettings): Promise<Registry> {
  const folder = await mkdtemp(join(tmpdir(), `sluice-test-${process.pid}-`));
  onTeardown(() => rm(folder, { recursive: true, force: true }));
  const chainsFile = join(folder, 'chains.json');
  writeFileSync(chainsFile, JSON.stringify([chain]));
  return loadRegistry({ chainsFile, rpc: [settings] });
}

/** The node uses two consecutive ports, so it fails to start if only the first of them is free. */
async function startOnFreePorts(options: Omit<SolanaNodeOptions, 'port'>, attempts: number): Promise<SolanaNode> {
  try {
    return await startSolanaNode({ ...options, port: await freePort() });
  } catch (error) {
    if (attempts > 1 && error instanceof ConfigError) return startOnFreePorts(options, attempts - 1);
    throw error;
  }
}
