import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  type Account,
  type Address,
  concat,
  createPublicClient,
  createTestClient,
  createWalletClient,
  type Hex,
  http,
  parseEther,
  publicActions,
  type TestClient,
  type Transport,
  walletActions,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { deployBatch, deployEscrow } from '../../escrow/deploy-escrow.ts';
import { deterministicDeployer } from '../../escrow/deterministic-deployer.ts';
import { escrowAddress } from '../../escrow/escrow-bytecode.ts';
import { localAccounts } from '../local-accounts.ts';
import { type LocalToken, localTokens } from '../local-tokens.ts';
import { usdcTokenAbi } from '../test-tokens.ts';

export type FurnishedChain = { escrow: Address; tokens: LocalToken[] };

export type FurnishChainOptions = {
  rpcUrl: string;
  chainId: number;
  /** Accounts that receive gas and a million of each token. Defaults to the local payers. */
  fund?: Address[];
  /** Whether to deploy the escrow and the batch contract. Defaults to true. */
  deployEscrow?: boolean;
};

const multicall3Address: Address = '0xcA11bde05977b3631167028862bE2a173976CA11';
const enoughGas = parseEther('1000');
const enoughTokens = 1_000_000n;

/**
 * Sets up a local chain with what public chains have: Multicall3, the deterministic deployer, the escrow, the batch contract and three
 * tokens. Gives gas and tokens to the payers. All addresses are derived from the code, and contracts that already exist stay unchanged.
 */
export async function furnishChain(options: FurnishChainOptions): Promise<FurnishedChain> {
  const client = openClient(options.rpcUrl);
  await ensureMulticall3(client);
  await ensureDeployer(client);
  const escrow = options.deployEscrow === false ? escrowAddress : await deployContracts(options.rpcUrl);
  const tokens = localTokens(options.chainId);
  const accounts = options.fund ?? localAccounts.funded;
  for (const token of tokens) await ensureToken(client, token, accounts);
  await ensureGas(client, accounts);
  return { escrow, tokens };
}

type FurnishingClient = ReturnType<typeof openClient>;

function openClient(rpcUrl: string) {
  const account = privateKeyToAccount(localAccounts.deployer.privateKey);
  const client: TestClient<'anvil', Transport, undefined, Account> = createTestClient({
    mode: 'anvil',
    account,
    transport: http(rpcUrl),
    pollingInterval: 30,
    cacheTime: 0,
  });
  return client.extend(publicActions).extend(walletActions);
}

function openClients(rpcUrl: string) {
  const account = privateKeyToAccount(localAccounts.deployer.privateKey);
  const settings = { transport: http(rpcUrl), pollingInterval: 30, cacheTime: 0 };
  return { publicClient: createPublicClient(settings), walletClient: createWalletClient({ account, ...settings }) };
}

async function deployContracts(rpcUrl: string): Promise<Address> {
  const clients = openClients(rpcUrl);
  const escrow = await deployEscrow(clients);
  await deployBatch(clients);
  return escrow;
}

/** Nobody has the key from which its real address derives, so the code is deployed elsewhere and copied to that address. */
async function ensureMulticall3(client: FurnishingClient): Promise<void> {
  if (await hasCode(client, multicall3Address)) return;
  const receipt = await send(client, { data: await multicall3CreationCode() });
  const bytecode = receipt.contractAddress ? await client.getCode({ address: receipt.contractAddress }) : undefined;
  if (bytecode === undefined) throw new Error('Multicall3 was deployed but has no code.');
  await client.setCode({ address: multicall3Address, bytecode });
}

/** viem contains the creation code but does not export it. */
async function multicall3CreationCode(): Promise<Hex> {
  const entry = createRequire(import.meta.url).resolve('viem/package.json');
  const module: unknown = await import(join(dirname(entry), '_esm', 'constants', 'contracts.js'));
  const hex = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]+$/i)]);
  return z.object({ multicall3Bytecode: hex }).parse(module).multicall3Bytecode;
}

async function ensureDeployer(client: FurnishingClient): Promise<void> {
  if (await hasCode(client, deterministicDeployer.address)) return;
  await client.setCode({ address: deterministicDeployer.address, bytecode: deterministicDeployer.runtimeCode });
}

async function ensureToken(client: FurnishingClient, token: LocalToken, accounts: Address[]): Promise<void> {
  if (token.address === 'native') return;
  const { address } = token;
  if (!(await hasCode(client, address))) {
    await send(client, { to: deterministicDeployer.address, data: concat([token.salt, token.creationCode]) });
    if (!(await hasCode(client, address))) throw new Error(`${token.key} was deployed but has no code at ${address}.`);
  }
  const enough = enoughTokens * 10n ** BigInt(token.decimals);
  for (const account of accounts) {
    const call = { address, abi: usdcTokenAbi } as const;
    const balance = await client.readContract({ ...call, functionName: 'balanceOf', args: [account] });
    if (balance >= enough / 2n) continue;
    const hash = await client.writeContract({ ...call, chain: null, functionName: 'mint', args: [account, enough] });
    await client.waitForTransactionReceipt({ hash });
  }
}

async function ensureGas(client: FurnishingClient, accounts: Address[]): Promise<void> {
  for (const address of accounts) {
    const balance = await client.getBalance({ address });
    if (balance < enoughGas / 2n) await client.setBalance({ address, value: enoughGas });
  }
}

async function hasCode(client: FurnishingClient, address: Address): Promise<boolean> {
  const code = await client.getCode({ address });
  return code !== undefined && code !== '0x';
}

async function send(client: FurnishingClient, request: { to?: Address; data: Hex }) {
  const hash = await client.sendTransaction({ ...request, chain: null });
  return client.waitForTransactionReceipt({ hash });
}
