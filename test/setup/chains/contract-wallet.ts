/**
 * A smart contract wallet: its owner's key signs for it (ERC-1271), and it executes its owner's calls. It also accepts the owner's signature
 * wrapped with the owner's index, 192 bytes in total, which is the form that wallets with several owners use.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type Address, encodeAbiParameters, encodeFunctionData, getAddress, type Hex, isHex } from 'viem';
import { z } from 'zod';
import type { TestEvm } from './evm.ts';

const source = `
pragma solidity ^0.8.28;

contract Wallet {
    address public owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        // The ABI encoding of (uint256 ownerIndex, bytes signature).
        if (signature.length == 192) signature = signature[96:161];
        if (signature.length != 65) return 0xffffffff;
        address signer =
            ecrecover(digest, uint8(signature[64]), bytes32(signature[0:32]), bytes32(signature[32:64]));
        return signer != address(0) && signer == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }

    function execute(address target, bytes calldata data) external {
        require(msg.sender == owner, "not the owner");
        (bool ok,) = target.call(data);
        require(ok, "refused");
    }

    function changeOwner(address next) external {
        require(msg.sender == owner, "not the owner");
        owner = next;
    }
}`;

const abi = [
  { type: 'constructor', inputs: [{ type: 'address' }], stateMutability: 'nonpayable' },
  {
    type: 'function',
    name: 'execute',
    inputs: [{ type: 'address' }, { type: 'bytes' }],
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    name: 'changeOwner',
    inputs: [{ type: 'address' }],
    outputs: [],
    stateMutability: 'nonpayable',
  },
] as const;

type Key = { address: Address; privateKey: Hex };

export type ContractWallet = Awaited<ReturnType<typeof deployContractWallet>>;

/** An owner's signature in the wrapped form. */
export function wrappedSignature(signature: Hex): Hex {
  return encodeAbiParameters([{ type: 'uint256' }, { type: 'bytes' }], [0n, signature]);
}

/** Deploys a wallet for `owner`, who pays for the gas. */
export async function deployContractWallet(evm: TestEvm, owner: Key) {
  const client = evm.walletFor(owner.privateKey);
  const mined = async (hash: Hex) => {
    const receipt = await evm.publicClient.waitForTransactionReceipt({ hash });
    if (receipt.status !== 'success') throw new Error(`Reverted: ${hash}`);
    return receipt;
  };
  const { contractAddress } = await mined(
    await client.deployContract({ abi, bytecode: compiled(), args: [owner.address] }),
  );
  if (!contractAddress) throw new Error('The wallet was not deployed.');
  const address = getAddress(contractAddress);
  const call = async (data: Hex) => {
    await mined(await client.sendTransaction({ to: address, data }));
  };
  return {
    address,
    /** Executes a call of the owner. */
    execute: (target: Address, data: Hex) =>
      call(encodeFunctionData({ abi, functionName: 'execute', args: [target, data] })),
    /** Replaces the owner's key. Signatures of the old key become invalid. */
    changeOwner: (next: Address) => call(encodeFunctionData({ abi, functionName: 'changeOwner', args: [next] })),
  };
}

const outputSchema = z.object({
  contracts: z.object({
    'Wallet.sol': z.object({ Wallet: z.object({ evm: z.object({ bytecode: z.object({ object: z.string() }) }) }) }),
  }),
});

function compiled(): Hex {
  const compiler = join(import.meta.dirname, '../../..', 'contracts', 'solc.cjs');
  const input = JSON.stringify({
    language: 'Solidity',
    sources: { 'Wallet.sol': { content: source } },
    settings: { evmVersion: 'prague', outputSelection: { '*': { '*': ['evm.bytecode.object'] } } },
  });
  const output = execFileSync(process.execPath, [compiler, '--standard-json'], { input, encoding: 'utf8' });
  const { contracts } = outputSchema.parse(JSON.parse(output));
  const bytecode = `0x${contracts['Wallet.sol'].Wallet.evm.bytecode.object}`;
  if (!isHex(bytecode)) throw new Error(output);
  return bytecode;
}
