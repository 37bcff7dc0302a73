import {
  type Account,
  type Address,
  BaseError,
  type Chain,
  concat,
  type Hex,
  keccak256,
  type PublicClient,
  type Transport,
  type WalletClient,
} from 'viem';
import { GatewayError } from '../errors.ts';
import { batchAddress, batchCreationCode, batchRuntimeCodeHash, batchSalt } from './batch/batch-bytecode.ts';
import { create2Fault } from './create2-rules.ts';
import { deterministicDeployer } from './deterministic-deployer.ts';
import { escrowAddress, escrowCreationCode, escrowRuntimeCodeHash, escrowSalt } from './escrow-bytecode.ts';

type Clients = {
  publicClient: PublicClient;
  /** The account that pays for the deployment. It needs no other permission. */
  walletClient: WalletClient<Transport, Chain | undefined, Account>;
};

/** Chains of this machine. Only on these is the deterministic deployer itself deployed if it is missing. */
export const localChainIds = { from: 31_337, to: 31_999 };

type Deployment = { name: string; address: Address; salt: Hex; creationCode: Hex; runtimeCodeHash: Hex };

const escrow: Deployment = {
  name: 'escrow',
  address: escrowAddress,
  salt: escrowSalt,
  creationCode: escrowCreationCode,
  runtimeCodeHash: escrowRuntimeCodeHash,
};

const batch: Deployment = {
  name: 'batch contract',
  address: batchAddress,
  salt: batchSalt,
  creationCode: batchCreationCode,
  runtimeCodeHash: batchRuntimeCodeHash,
};

/**
 * Deploys the escrow to its address, which is the same on every chain, with CREATE2 through the deterministic deployer, and checks
 * the hash of the code at that address. Idempotent: if the escrow is already deployed, nothing is sent.
 *
 * Throws INVALID_STATE on a chain with other CREATE2 rules or a public chain without the deployer, CONFLICT if other code
 * is at the address, CHAIN_UNAVAILABLE if the deployment cannot be sent, or is mined without leaving code.
 */
export async function deployEscrow(clients: Clients): Promise<Address> {
  return await deploy(clients, escrow);
}

/** Deploys the batch contract in the same way. It serves every escrow of its chain. */
export async function deployBatch(clients: Clients): Promise<Address> {
  return await deploy(clients, batch);
}

async function deploy({ publicClient, walletClient }: Clients, deployment: Deployment): Promise<Address> {
  const { name, address } = deployment;
  const chainId = await publicClient.getChainId();
  const fault = create2Fault(chainId);
  if (fault !== undefined) throw new GatewayError('INVALID_STATE', fault, { meta: { chainId } });
  if (await isDeployed(publicClient, deployment)) return address;
  await ensureDeployer({ publicClient, walletClient });
  try {
    const hash = await walletClient.sendTransaction({
      account: walletClient.account,
      chain: walletClient.chain ?? null,
      to: deterministicDeployer.address,
      data: concat([deployment.salt, deployment.creationCode]),
    });
    await publicClient.waitForTransactionReceipt({ hash });
  } catch (cause) {
    // Another deployment of the same code may have been first, so only the code at the address counts. The node's own message would
    // repeat the whole creation code.
    if (await isDeployed(publicClient, deployment)) return address;
    const reason = cause instanceof BaseError ? cause.shortMessage : 'unknown';
    throw new GatewayError('CHAIN_UNAVAILABLE', `The deployment of the ${name} could not be sent: ${reason}`, {
      meta: { address },
    });
  }
  if (await isDeployed(publicClient, deployment)) return address;
  throw new GatewayError('CHAIN_UNAVAILABLE', `The deployment of the ${name} was mined but left no code.`, {
    meta: { address },
  });
}

/** Returns whether the contract's code is at its address. Throws if other code is there. */
async function isDeployed(
  publicClient: PublicClient,
  { name, address, runtimeCodeHash }: Deployment,
): Promise<boolean> {
  const code = await publicClient.getCode({ address });
  if (code === undefined || code === '0x') return false;
  const found = keccak256(code);
  if (found === runtimeCodeHash) return true;
  throw new GatewayError(
    'CONFLICT',
    `The code at ${address} has hash ${found}; that of the ${name} is ${runtimeCodeHash}.`,
    {
      meta: { address, found, expected: runtimeCodeHash },
    },
  );
}

async function ensureDeployer({ publicClient, walletClient }: Clients): Promise<void> {
  const code: Hex = (await publicClient.getCode({ address: deterministicDeployer.address })) ?? '0x';
  if (code === deterministicDeployer.runtimeCode) return;
  const chainId = await publicClient.getChainId();
  if (chainId < localChainIds.from || chainId > localChainIds.to) {
    throw new GatewayError(
      'INVALID_STATE',
      `Chain ${chainId} has no deterministic deployer at ${deterministicDeployer.address}. Deploy it first.`,
      { meta: { chainId, deployer: deterministicDeployer.address } },
    );
  }
  const funding = await walletClient.sendTransaction({
    account: walletClient.account,
    chain: walletClient.chain ?? null,
    to: deterministicDeployer.signer,
    value: deterministicDeployer.cost,
  });
  await publicClient.waitForTransactionReceipt({ hash: funding });
  const hash = await publicClient.sendRawTransaction({ serializedTransaction: deterministicDeployer.transaction });
  await publicClient.waitForTransactionReceipt({ hash });
}
