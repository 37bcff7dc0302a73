/**
 * Addresses that can take part in a payment, and *sinks*: addresses from which money can never be moved again, such as the zero address, a
 * precompile, the escrow or a token's contract. The contract itself refuses only the escrow and the payment's own token (`SinkParty`). The
 * gateway also refuses all other sinks that it knows, when an address is set and when it is used.
 *
 * A fault is worded so that it can follow a field's name: "is the zero address, to which nobody has a key".
 */
import { type EvmSink, findEvmSink } from '../escrow/evm-sink.ts';
import type { Chain } from './chain.ts';
import { parseEvmAddress } from './evm/evm-address.ts';
import { parseSolanaAddress, solanaWalletFault } from './solana/solana-address.ts';

type Family = Chain['family'];

/** `address` in its canonical form, or why it cannot be one. */
export type PayableAddress = { address: string; fault: null } | { address: null; fault: string };

/** On Sui, addresses below it are reserved packages and objects. */
const FIRST_UNRESERVED = 0x10000n;

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

/** Returns why money that an address receives on one of `chains` would be lost. Null if no reason is known. */
export function findSink(
  chains: readonly Chain[],
  { family, address }: { family: Family; address: string },
): string | null {
  const own = chains.filter((chain) => chain.family === family);
  switch (family) {
    case 'EVM': {
      const sink = findEvmSink(own, address);
      return sink && evmFault(sink);
    }
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

function evmFault(sink: EvmSink): string {
  switch (sink.kind) {
    case 'ESCROW':
      return `is the escrow contract on ${sink.chain}`;
    case 'FIRST_EDITION':
      return 'is the escrow contract of the first edition, which gives nothing back';
    case 'BATCH':
      return 'is the batch contract, which keeps nothing and gives nothing back';
    case 'DEPLOYER':
      return 'is the deterministic deployer, a contract that gives nothing back';
    case 'TOKEN':
      return `is the contract of ${sink.symbol} on ${sink.chain}`;
    case 'ZERO':
      return 'is the zero address, to which nobody has a key';
    case 'RESERVED':
      return 'is reserved for precompiles and system contracts, and nobody has a key to it';
    case 'PREDEPLOY':
      return 'is a predeployed contract of OP Stack chains, and nobody has a key to it';
    case 'PLACEHOLDER':
      return 'stands for the native coin, and nobody has a key to it';
    default:
      return sink satisfies never;
  }
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

/** The package of a coin's type, `<package>::<module>::<name>`. */
function packageOf(coinType: string): bigint | null {
  const digits = /^0x[0-9a-fA-F]{1,64}(?=::)/.exec(coinType)?.[0];
  return digits === undefined ? null : BigInt(digits);
}
