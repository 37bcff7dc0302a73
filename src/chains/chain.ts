/**
 * Chains and tokens as data. A chain is named by its documented numeric id everywhere in code and tables: the EVM number;
 * Solana 101 mainnet-beta, 102 testnet, 103 devnet; Sui 784 mainnet, 785 testnet, 786 devnet and local. A token is named
 * by its key, `<SYMBOL>-<chainId>`. The contracts are authoritative for balances, and this file for what is offered.
 */
import { type Address, isAddress, zeroAddress } from 'viem';
import { z } from 'zod';

export const NATIVE = 'native';

/** An EIP-712 domain's name and version, as the token's own contract has them. */
const signingDomain = z.strictObject({ name: z.string().min(1), version: z.string().min(1) });

export const tokenShape = z.strictObject({
  key: z.string().min(1).max(64),
  chainId: z.int().positive(),
  symbol: z.string().min(1).max(16),
  name: z.string().min(1).max(64),
  decimals: z.int().min(0).max(36),
  /** The contract or mint; "native" for the chain's coin. */
  address: z.string().min(1),
  /** EIP-2612, or null. */
  permit: signingDomain.nullable(),
  /** ERC-3009 receiveWithAuthorization, or null. */
  receive: signingDomain.nullable(),
  /** Whether an allowance must be set to zero before it can be changed. */
  resetsAllowance: z.boolean(),
});

export type Token = z.infer<typeof tokenShape>;

const evmAddress = z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)]);

export const chainShape = z.strictObject({
  chainId: z.int().positive().max(2_147_483_647),
  name: z.string().min(1).max(64),
  family: z.enum(['EVM', 'SOLANA', 'SUI']),
  testnet: z.boolean(),
  local: z.boolean(),
  explorerUrl: z.url().nullable(),
  native: z.strictObject({ symbol: z.string().min(1).max(16), decimals: z.int().min(0).max(36) }),
  /** Number of confirmations, counting the including block, after which a state is reported as final. */
  confirmations: z.int().positive().max(10_000),
  escrow: evmAddress.nullable(),
  tokens: z.array(tokenShape).max(200),
});

export type Chain = z.infer<typeof chainShape>;

/** Returns the chain's tokens and, last, its coin. */
export function withNative(chain: Pick<Chain, 'chainId' | 'native' | 'tokens'>): Token[] {
  if (chain.tokens.some((token) => token.address === NATIVE)) return chain.tokens;
  const { symbol, decimals } = chain.native;
  const coin: Token = {
    key: `${symbol}-${chain.chainId}`,
    chainId: chain.chainId,
    symbol,
    name: symbol,
    decimals,
    address: NATIVE,
    permit: null,
    receive: null,
    resetsAllowance: false,
  };
  return [...chain.tokens, coin];
}

/** Returns the token's address for contract calls, which is zero for the chain's coin. Throws for a token of another family. */
export function contractAddress(token: Token): Address {
  if (token.address === NATIVE) return zeroAddress;
  if (!isAddress(token.address, { strict: false })) throw new Error(`${token.key} is not a token of an EVM chain.`);
  return token.address;
}

/** Whether an app of this mode may be paid on this chain: live money for live apps, test and local chains for test apps. */
export function takesPayment(chain: Chain, mode: 'TEST' | 'LIVE'): boolean {
  return (chain.testnet || chain.local) === (mode === 'TEST');
}
