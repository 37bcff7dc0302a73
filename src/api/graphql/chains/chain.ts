/** Chains and tokens of this installation: the queries chains and tokens. */
import type { Chain, Token } from '../../../chains/registry.ts';
import { ChainFamilyEnum } from '../apps/app.ts';
import { builder } from '../server/builder.ts';

export const TokenRef = builder.objectRef<Token>('Token').implement({
  description: 'A token, or the native coin of a chain.',
  fields: (t) => ({
    key: t.exposeString('key', {
      description: 'Key that identifies the token in this API, in the form `<SYMBOL>-<chainId>`.',
    }),
    chainId: t.exposeInt('chainId', { description: 'Numeric chain ID.' }),
    symbol: t.exposeString('symbol', { description: 'Symbol of the token, such as USDC.' }),
    name: t.exposeString('name', { description: 'Display name.' }),
    decimals: t.exposeInt('decimals', {
      description: 'Number of decimal places. A base unit is 10^-decimals of a token.',
    }),
    address: t.exposeString('address', {
      description: 'Contract address, mint or coin type of the token; `native` for the native coin.',
    }),
    permit: t.boolean({
      description: 'Whether the token supports permits (EIP-2612).',
      resolve: (token) => token.permit !== null,
    }),
    receive: t.boolean({
      description: 'Whether the token supports transfers by signature (ERC-3009).',
      resolve: (token) => token.receive !== null,
    }),
  }),
});

export const ChainRef = builder.objectRef<Chain>('Chain').implement({
  description: 'A chain that this installation knows.',
  fields: (t) => ({
    chainId: t.exposeInt('chainId', {
      description:
        'Numeric chain ID. EVM chains use their EIP-155 IDs, Solana uses 101 to 103, and Sui uses 784 to 786.',
    }),
    name: t.exposeString('name', { description: 'Display name.' }),
    family: t.expose('family', { type: ChainFamilyEnum, description: 'The kind of chain.' }),
    testnet: t.exposeBoolean('testnet', { description: 'Whether it is a test network.' }),
    explorerUrl: t.exposeString('explorerUrl', {
      nullable: true,
      description: 'URL of a block explorer. Null if none is known.',
    }),
    enabled: t.boolean({
      description: 'Whether this installation has a node for the chain.',
      resolve: (chain, _args, { world }) => world.registry.enabled().some(({ chainId }) => chainId === chain.chainId),
    }),
    confirmations: t.exposeInt('confirmations', {
      description: 'Number of confirmations after which an on-chain event is applied.',
    }),
    escrow: t.exposeString('escrow', { nullable: true, description: 'The escrow contract.' }),
    nativeSymbol: t.string({
      description: "Symbol of the chain's native coin.",
      resolve: (chain) => chain.native.symbol,
    }),
    tokens: t.field({
      type: [TokenRef],
      description: 'Tokens that payments can use, with the native coin last.',
      resolve: (chain) => chain.tokens,
    }),
  }),
});

builder.queryField('chains', (t) =>
  t.field({
    type: [ChainRef],
    description: 'Chains, ordered by ID. Without `all`, only chains for which this installation has a node.',
    authScopes: { public: true },
    args: {
      all: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether to include chains without a node.',
      }),
    },
    resolve: (_root, { all }, { world }) => (all ? world.registry.chains() : world.registry.enabled()),
  }),
);

builder.queryField('tokens', (t) =>
  t.field({
    type: [TokenRef],
    description: 'Tokens of one chain, or of all chains that have a node.',
    authScopes: { public: true },
    args: {
      chainId: t.arg.int({ description: 'Only tokens of this chain. Returns no tokens if the chain is unknown.' }),
    },
    resolve: (_root, { chainId }, { world }) =>
      chainId == null
        ? world.registry.enabled().flatMap((chain) => chain.tokens)
        : (world.registry.chain(chainId)?.tokens ?? []),
  }),
);
