/**
 * EVM addresses from which nobody can move money again, for the program and for the pages. `chains` are those on which the address
 * would be paid; no node is queried. Code at an address is not a reason for refusal, because smart accounts are wallets.
 */
import { batchAddress } from './batch/batch-bytecode.ts';
import { deterministicDeployer } from './deterministic-deployer.ts';
import { firstEditionAddress } from './first-edition.ts';

/** The required part of a chain. */
export type SinkChain = {
  name: string;
  escrow: string | null;
  tokens: readonly { symbol: string; address: string }[];
};

export type EvmSink =
  | { kind: 'ESCROW'; chain: string }
  | { kind: 'TOKEN'; chain: string; symbol: string }
  | { kind: 'FIRST_EDITION' | 'BATCH' | 'DEPLOYER' | 'ZERO' | 'RESERVED' | 'PREDEPLOY' | 'PLACEHOLDER' };

/** Addresses below it are precompiles, system contracts and burn addresses of Ethereum and of chains that add their own. */
const FIRST_UNRESERVED = 0x10000n;
/** OP Stack chains deploy their own contracts at these addresses; no key exists to any of them on any chain. */
const PREDEPLOYS = { first: 0x4200000000000000000000000000000000000000n, count: 2048n };
/** The address that wallets and exchanges use for the native coin where a token contract is expected. */
const NATIVE_PLACEHOLDER = 0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeen;

/** Returns null if nothing is known against the address. */
export function findEvmSink(chains: readonly SinkChain[], address: string): EvmSink | null {
  return contractSink(chains, address) ?? reservedSink(BigInt(address));
}

function contractSink(chains: readonly SinkChain[], address: string): EvmSink | null {
  const isIt = (other: string) => other.toLowerCase() === address.toLowerCase();
  const escrow = chains.find((chain) => chain.escrow !== null && isIt(chain.escrow));
  if (escrow) return { kind: 'ESCROW', chain: escrow.name };
  if (isIt(firstEditionAddress)) return { kind: 'FIRST_EDITION' };
  if (isIt(batchAddress)) return { kind: 'BATCH' };
  if (isIt(deterministicDeployer.address)) return { kind: 'DEPLOYER' };
  for (const chain of chains) {
    const token = chain.tokens.find((one) => isIt(one.address));
    if (token) return { kind: 'TOKEN', chain: chain.name, symbol: token.symbol };
  }
  return null;
}

function reservedSink(value: bigint): EvmSink | null {
  if (value === 0n) return { kind: 'ZERO' };
  if (value < FIRST_UNRESERVED) return { kind: 'RESERVED' };
  if (value >= PREDEPLOYS.first && value < PREDEPLOYS.first + PREDEPLOYS.count) return { kind: 'PREDEPLOY' };
  return value === NATIVE_PLACEHOLDER ? { kind: 'PLACEHOLDER' } : null;
}
