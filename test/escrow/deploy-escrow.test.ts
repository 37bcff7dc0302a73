import { type Account, createTestClient, createWalletClient, http, keccak256, publicActions } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batchAddress, batchRuntimeCodeHash } from '../../src/escrow/batch/batch-bytecode.ts';
import { deployBatch, deployEscrow } from '../../src/escrow/deploy-escrow.ts';
import { deterministicDeployer } from '../../src/escrow/deterministic-deployer.ts';
import { escrowAbi } from '../../src/escrow/escrow-abi.ts';
import { escrowAddress } from '../../src/escrow/escrow-bytecode.ts';
import { type EvmNode, startEvmNode } from '../../src/local/evm-node.ts';
import { freePort } from '../setup/free-port.ts';

const account: Account = mnemonicToAccount('test test test test test test test test test test test junk');

function clientsOf(rpcUrl: string) {
  const transport = http(rpcUrl);
  const publicClient = createTestClient({ mode: 'anvil', transport, pollingInterval: 10, cacheTime: 0 }).extend(
    publicActions,
  );
  return { publicClient, walletClient: createWalletClient({ transport, account, pollingInterval: 10 }) };
}

describe('deploying the escrow', () => {
  const nodes: EvmNode[] = [];
  let local: ReturnType<typeof clientsOf>;
  let elsewhere: ReturnType<typeof clientsOf>;
  let otherRules: ReturnType<typeof clientsOf>;

  beforeAll(async () => {
    const start = async (chainId: number) => {
      const node = await startEvmNode({ chainId, port: await freePort() });
      nodes.push(node);
      return clientsOf(node.rpcUrl);
    };
    [local, elsewhere, otherRules] = await Promise.all([start(31_337), start(8_453), start(324)]);
  });

  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
  });

  it('deploys the deterministic deployer on a local chain that lacks it, and gets the same address', async () => {
    await local.publicClient.setCode({ address: deterministicDeployer.address, bytecode: '0x' });
    await expect(deployEscrow(local)).resolves.toBe(escrowAddress);
    await expect(local.publicClient.getCode({ address: deterministicDeployer.address })).resolves.toBe(
      deterministicDeployer.runtimeCode,
    );
    const [, name, version, chainId, contract] = await local.publicClient.readContract({
      address: escrowAddress,
      abi: escrowAbi,
      functionName: 'eip712Domain',
    });
    expect({ name, version, chainId, contract }).toEqual({
      name: 'Sluice',
      version: '2',
      chainId: 31_337n,
      contract: escrowAddress,
    });
  });

  it('gets the same address and code on another chain, even in concurrent deployments', async () => {
    const both = await Promise.allSettled([deployEscrow(elsewhere), deployEscrow(elsewhere)]);
    expect(both.some((result) => result.status === 'fulfilled' && result.value === escrowAddress)).toBe(true);
    const [here, there] = await Promise.all([
      local.publicClient.getCode({ address: escrowAddress }),
      elsewhere.publicClient.getCode({ address: escrowAddress }),
    ]);
    expect(there).toBe(here);
  });

  it('does not send a transaction if the escrow is already deployed', async () => {
    const before = await local.publicClient.getTransactionCount({ address: account.address });
    await expect(deployEscrow(local)).resolves.toBe(escrowAddress);
    expect(await local.publicClient.getTransactionCount({ address: account.address })).toBe(before);
  });

  it('rejects different code at the address', async () => {
    const code = await local.publicClient.getCode({ address: escrowAddress });
    await local.publicClient.setCode({ address: escrowAddress, bytecode: '0x00' });
    await expect(deployEscrow(local)).rejects.toMatchObject({ name: 'GatewayError', code: 'CONFLICT' });
    await local.publicClient.setCode({ address: escrowAddress, bytecode: code ?? '0x' });
  });

  it('refuses by name a chain that derives CREATE2 addresses by rules of its own, and sends nothing there', async () => {
    await expect(deployEscrow(otherRules)).rejects.toMatchObject({
      name: 'GatewayError',
      code: 'INVALID_STATE',
      message: expect.stringContaining('Chain 324 (ZKsync Era) derives CREATE2 addresses by rules of its own'),
    });
    expect(await otherRules.publicClient.getTransactionCount({ address: account.address })).toBe(0);
  });

  it('does not pay for the deterministic deployer on a chain that is not local', async () => {
    await elsewhere.publicClient.setCode({ address: escrowAddress, bytecode: '0x' });
    await elsewhere.publicClient.setCode({ address: deterministicDeployer.address, bytecode: '0x' });
    await expect(deployEscrow(elsewhere)).rejects.toMatchObject({ name: 'GatewayError', code: 'INVALID_STATE' });
  });

  it('brings the batch contract to one address on every chain, once', async () => {
    await elsewhere.publicClient.setCode({
      address: deterministicDeployer.address,
      bytecode: deterministicDeployer.runtimeCode,
    });
    for (const clients of [local, elsewhere]) {
      await expect(deployBatch(clients)).resolves.toBe(batchAddress);
      const code = await clients.publicClient.getCode({ address: batchAddress });
      expect(keccak256(code ?? '0x')).toBe(batchRuntimeCodeHash);
    }
    const before = await local.publicClient.getTransactionCount({ address: account.address });
    await expect(deployBatch(local)).resolves.toBe(batchAddress);
    expect(await local.publicClient.getTransactionCount({ address: account.address })).toBe(before);
    await local.publicClient.setCode({ address: batchAddress, bytecode: '0x00' });
    await expect(deployBatch(local)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('that of the batch contract is'),
    });
  });
});
