/**
 * Accounts in CAIP-10 form: `<namespace>:<reference>:<address>`, where the first two identify the chain by CAIP-2. Internally,
 * chains have the service's numeric ids; CAIP names are exchanged with wallets only.
 *
 * | family | namespace | reference | address, canonical |
 * |---|---|---|---|
 * | EVM | eip155 | the chain id | checksummed |
 * | Solana | solana | the genesis hash's first 32 characters | base58 of 32 bytes |
 * | Sui | sui | mainnet, testnet, devnet | 0x and 64 digits, lower case |
 */
import { base58 } from '@scure/base';
import { parseEvmAddress } from './evm/evm-address.ts';

export const namespaces = ['eip155', 'solana', 'sui'] as const;
export type Namespace = (typeof namespaces)[number];

/** A chain with its CAIP-2 name and the service's id. */
export type ChainName = { namespace: Namespace; reference: string; caip2: string; chainId: number };
export type AccountName = ChainName & { address: string; caip10: string };

const solanaReferences: Record<string, number> = {
  '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': 101,
  '4uhcVJyU9pJkvQyS88uRDiswHXSGkY3z': 102,
  EtWTRABZaYq6iMfeYKouRu166VU2xqa1: 103,
};
const suiReferences: Record<string, number> = { mainnet: 784, testnet: 785, devnet: 786 };

/** Returns null if it is not a CAIP-2 name of a known family. */
export function parseChainName(text: string): ChainName | null {
  const [namespace, reference, ...rest] = text.split(':');
  if (reference === undefined || rest.length > 0) return null;
  const chainId = numberOf(namespace, reference);
  if (chainId === undefined || !isNamespace(namespace)) return null;
  return { namespace, reference, caip2: text, chainId };
}

/** Returns null if it is not a CAIP-10 name of a known family, or if its address is invalid. */
export function parseAccountName(text: string): AccountName | null {
  const at = text.lastIndexOf(':');
  const chain = at === -1 ? null : parseChainName(text.slice(0, at));
  return chain && accountOn(chain, text.slice(at + 1));
}

/** Returns the canonical form of an address of a chain's family, or null if it is invalid. */
export function accountOn(chain: ChainName, address: string): AccountName | null {
  const canonical = canonicalAddress(chain.namespace, address);
  return canonical === null ? null : { ...chain, address: canonical, caip10: `${chain.caip2}:${canonical}` };
}

function numberOf(namespace: string | undefined, reference: string): number | undefined {
  switch (namespace) {
    case 'eip155':
      return /^[1-9]\d{0,9}$/.test(reference) && Number(reference) <= 2_147_483_647 ? Number(reference) : undefined;
    case 'solana':
      return Object.hasOwn(solanaReferences, reference) ? solanaReferences[reference] : undefined;
    case 'sui':
      return Object.hasOwn(suiReferences, reference) ? suiReferences[reference] : undefined;
    default:
      return undefined;
  }
}

function canonicalAddress(namespace: Namespace, address: string): string | null {
  switch (namespace) {
    case 'eip155':
      return parseEvmAddress(address);
    case 'solana':
      return isSolanaAddress(address) ? address : null;
    case 'sui':
      return /^0x[0-9a-fA-F]{1,64}$/.test(address) ? `0x${address.slice(2).toLowerCase().padStart(64, '0')}` : null;
    default:
      return namespace satisfies never;
  }
}

function isSolanaAddress(address: string): boolean {
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(address)) return false;
  return base58.decode(address).length === 32;
}

function isNamespace(text: string | undefined): text is Namespace {
  return (namespaces as readonly (string | undefined)[]).includes(text);
}
