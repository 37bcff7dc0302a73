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
  /** Its account pays for the deployment; it needs no other right. */
  walletClient: WalletClient<Transport, Chain | undefined, Account>;
};

/** Chains of this machine: only there is the deterministic deployer itself deployed where it is missing. */
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
 * Puts the escrow at its address, the same on every chain, with CREATE2 through the deterministic deployer, and checks
 * the hash of the code that lies there. Idempotent: where the escrow already is, nothing is sent.
 *
 * Throws INVALID_STATE on a chain with other CREATE2 rules or a public chain without the deployer, CONFLICT if other code
 * lies at the address, CHAIN_UNAVAILABLE if the deployment cannot be sent, or is mined and leaves no code.
 */
export async function deployEscrow(clients: Clients): Promise<Address> {
  return await deploy(clients, escrow);
}

/** The same for the batch contract, which serves every escrow of its chain. */
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
    // Another deployment of the same code may have been first: only what lies there counts. The node's own words would
    // repeat the whole creation code.
    if (await isDeployed(publicClient, deployment)) return address;
    const reason = cause instanceof BaseError ? cause.shortMessage : 'unknown';
    throw new GatewayError('CHAIN_UNAVAILABLE', `The deployment of the ${name} could not be sent: ${reason}`, {
      meta: { address },
    });
  }
  if (await isDeployed(publicClient, deployment)) return address;
  throw new GatewayError('CHAIN_UNAVAILABLE', `The deployment of the ${name} was mined and left no code.`, {
    meta: { address },
  });
}

/** Whether the contract's code is at its address; other code there is an error, not an answer. */
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
      `Chain ${chainId} lacks the deterministic deployer at ${deterministicDeployer.address}; it must be deployed first.`,
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
