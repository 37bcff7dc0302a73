/**
 * Addresses that can take part in a payment, and *sinks*: addresses out of which nobody can move money again, such as the
 * zero address, a precompile, the escrow or a token's contract. The contract itself refuses only the escrow and the
 * payment's own token (`SinkParty`). The gateway also refuses whatever else it knows, when an address is set and when it is
 * used.
 *
 * A fault is worded as what follows a field's name: "is the zero address, to which nobody has a key".
 */
import { batchAddress } from '../escrow/batch/batch-bytecode.ts';
import { deterministicDeployer } from '../escrow/deterministic-deployer.ts';
import type { Chain } from './chain.ts';
import { parseEvmAddress } from './evm/evm-address.ts';
import { parseSolanaAddress, solanaWalletFault } from './solana/solana-address.ts';

type Family = Chain['family'];

/** `address` in its canonical form, or why it cannot be one. */
export type PayableAddress = { address: string; fault: null } | { address: null; fault: string };

/** Below it lie precompiles, system contracts and burn addresses: of Ethereum, and of every chain that adds its own. */
const FIRST_UNRESERVED = 0x10000n;
/** OP Stack chains deploy their own contracts at these addresses; nobody has a key to one of them anywhere. */
const PREDEPLOYS = { first: 0x4200000000000000000000000000000000000000n, count: 2048n };
/** What wallets and exchanges write where a token's contract is expected. */
const NATIVE_PLACEHOLDER = 0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeen;

/**
 * Reads an address that will be paid, or will pay, on any of `chains`; those of other families do not count. An EVM address
 * in mixed case needs a valid checksum.
 */
export function readPayable(
  chains: readonly Chain[],
  { family, text }: { family: Family; text: string },
): PayableAddress {
  const address = canonical(family, text);
  if (address === null) return { address: null, fault: formats[family] };
  const fault = findSink(chains, { family, address });
  return fault === null ? { address, fault } : { address: null, fault };
}

/** Why money that an address gets on one of `chains` would be lost; null where nothing is known against it. */
export function findSink(
  chains: readonly Chain[],
  { family, address }: { family: Family; address: string },
): string | null {
  const own = chains.filter((chain) => chain.family === family);
  switch (family) {
    case 'EVM':
      return contractFault(own, address) ?? reservedFault(BigInt(address));
    case 'SOLANA':
      return tokenFault(own, 'mint', (token) => token === address) ?? solanaWalletFault(address);
    case 'SUI':
      return suiFault(BigInt(address)) ?? tokenFault(own, 'package', (token) => packageOf(token) === BigInt(address));
    default:
      return family satisfies never;
  }
}

const formats: Record<Family, string> = {
  EVM: '0x and 40 hex digits; a checksum, if there is one, must be right',
  SOLANA: 'base58 of 32 bytes',
  SUI: '0x and 64 hex digits',
};

function canonical(family: Family, text: string): string | null {
  switch (family) {
    case 'EVM':
      return parseEvmAddress(text);
    case 'SOLANA':
      return parseSolanaAddress(text);
    case 'SUI':
      return /^0x[0-9a-fA-F]{64}$/.test(text) ? text.toLowerCase() : null;
    default:
      return family satisfies never;
  }
}

function contractFault(chains: readonly Chain[], address: string): string | null {
  const isIt = (other: string) => other.toLowerCase() === address.toLowerCase();
  const escrow = chains.find((chain) => chain.escrow !== null && isIt(chain.escrow));
  if (escrow) return `is the escrow contract on ${escrow.name}`;
  if (isIt(batchAddress)) return 'is the batch contract, which keeps nothing and gives nothing back';
  if (isIt(deterministicDeployer.address)) return 'is the deterministic deployer, a contract that gives nothing back';
  return tokenFault(chains, 'contract', isIt);
}

function reservedFault(value: bigint): string | null {
  if (value === 0n) return 'is the zero address, to which nobody has a key';
  if (value < FIRST_UNRESERVED) return 'is reserved for precompiles and system contracts, and nobody has a key to it';
  if (value >= PREDEPLOYS.first && value < PREDEPLOYS.first + PREDEPLOYS.count) {
    return 'is a predeployed contract of OP Stack chains, and nobody has a key to it';
  }
  return value === NATIVE_PLACEHOLDER ? 'stands for the native coin, and nobody has a key to it' : null;
}

function tokenFault(chains: readonly Chain[], what: string, isIt: (address: string) => boolean): string | null {
  for (const chain of chains) {
    const token = chain.tokens.find((one) => isIt(one.address));
    if (token) return `is the ${what} of ${token.symbol} on ${chain.name}`;
  }
  return null;
}

function suiFault(value: bigint): string | null {
  if (value === 0n) return 'is the zero address, to which nobody has a key';
  return value < FIRST_UNRESERVED ? 'is reserved for packages and objects of Sui, and nobody has a key to it' : null;
}

/** Of a coin's type, `<package>::<module>::<name>`. */
function packageOf(coinType: string): bigint | null {
  const digits = /^0x[0-9a-fA-F]{1,64}(?=::)/.exec(coinType)?.[0];
  return digits === undefined ? null : BigInt(digits);
}
