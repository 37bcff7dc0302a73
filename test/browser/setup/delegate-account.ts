/**
 * An account with its own key that executes several calls in one transaction, as smart wallets have done since EIP-7702: its key delegates
 * the account to code that makes the calls, and either all of them take effect or none.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type Address, createWalletClient, encodeFunctionData, type Hex, http, isHex, publicActions } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { z } from 'zod';
import { checkoutFolder } from '../../../src/local/local-settings.ts';

export type AccountCall = { to: Address; data: Hex; value: bigint };

const source = `
pragma solidity ^0.8.28;

contract Delegate {
    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    function execute(Call[] calldata calls) external payable {
        require(msg.sender == address(this), "not the account");
        for (uint256 i = 0; i < calls.length; i++) {
            (bool ok, bytes memory answer) = calls[i].to.call{value: calls[i].value}(calls[i].data);
            if (!ok) assembly { revert(add(answer, 32), mload(answer)) }
        }
    }

    receive() external payable {}
}`;

const abi = [
  {
    type: 'function',
    name: 'execute',
    inputs: [
      {
        type: 'tuple[]',
        name: 'calls',
        components: [
          { type: 'address', name: 'to' },
          { type: 'uint256', name: 'value' },
          { type: 'bytes', name: 'data' },
        ],
      },
    ],
    outputs: [],
    stateMutability: 'payable',
  },
] as const;

const codes = new Map<string, Promise<Address>>();

/** Returns the hash of the single transaction (type 4) as soon as it has been sent. */
export async function sendDelegated(
  { account, rpcUrl }: { account: PrivateKeyAccount; rpcUrl: string },
  calls: AccountCall[],
): Promise<Hex> {
  const client = createWalletClient({ account, transport: http(rpcUrl) }).extend(publicActions);
  const deployed = codes.get(rpcUrl) ?? deploy({ account, rpcUrl });
  codes.set(rpcUrl, deployed);
  // The deployment uses one of the account's nonces, too.
  const code = await deployed.catch((error: unknown) => {
    codes.delete(rpcUrl);
    throw error;
  });
  const chainId = await client.getChainId();
  const nonce = await client.getTransactionCount({ address: account.address, blockTag: 'pending' });
  // The transaction itself uses the account's next nonce, so its authorization must use the one after that.
  const authorization = await account.signAuthorization({ address: code, chainId, nonce: nonce + 1 });
  return await client.sendTransaction({
    chain: null,
    nonce,
    authorizationList: [authorization],
    to: account.address,
    data: encodeFunctionData({ abi, functionName: 'execute', args: [calls] }),
  });
}

async function deploy({ account, rpcUrl }: { account: PrivateKeyAccount; rpcUrl: string }): Promise<Address> {
  const client = createWalletClient({ account, transport: http(rpcUrl) }).extend(publicActions);
  const hash = await client.deployContract({ chain: null, abi: [], bytecode: compiled() });
  const { contractAddress } = await client.waitForTransactionReceipt({ hash });
  if (!contractAddress) throw new Error('The delegate was not deployed.');
  return contractAddress;
}

const outputSchema = z.object({
  contracts: z.object({
    'Delegate.sol': z.object({ Delegate: z.object({ evm: z.object({ bytecode: z.object({ object: z.string() }) }) }) }),
  }),
});

function compiled(): Hex {
  const input = JSON.stringify({
    language: 'Solidity',
    sources: { 'Delegate.sol': { content: source } },
    settings: { evmVersion: 'prague', outputSelection: { '*': { '*': ['evm.bytecode.object'] } } },
  });
  const compiler = join(checkoutFolder, 'contracts', 'solc.cjs');
  const output = execFileSync(process.execPath, [compiler, '--standard-json'], { input, encoding: 'utf8' });
  const bytecode = `0x${outputSchema.parse(JSON.parse(output)).contracts['Delegate.sol'].Delegate.evm.bytecode.object}`;
  if (!isHex(bytecode)) throw new Error(output);
  return bytecode;
}
