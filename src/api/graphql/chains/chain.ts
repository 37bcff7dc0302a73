/** Chains and tokens of this installation: the queries chains and tokens. */
import type { Chain, Token } from '../../../chains/registry.ts';
import { ChainFamilyEnum } from '../apps/app.ts';
import { builder } from '../server/builder.ts';

export const TokenRef = builder.objectRef<Token>('Token').implement({
  description: 'A token, or the coin of a chain.',
  fields: (t) => ({
    key: t.exposeString('key', { description: '`<SYMBOL>-<chainId>`; its name everywhere in this API.' }),
    chainId: t.exposeInt('chainId', { description: 'The chain.' }),
    symbol: t.exposeString('symbol', { description: 'Such as USDC.' }),
    name: t.exposeString('name', { description: 'Display name.' }),
    decimals: t.exposeInt('decimals', { description: 'Base units are 10^-decimals of a token.' }),
    address: t.exposeString('address', { description: 'Contract, mint or coin type; `native` for the coin.' }),
    permit: t.boolean({ description: 'Whether it has EIP-2612.', resolve: (token) => token.permit !== null }),
    receive: t.boolean({ description: 'Whether it has ERC-3009.', resolve: (token) => token.receive !== null }),
  }),
});

export const ChainRef = builder.objectRef<Chain>('Chain').implement({
  description: 'A chain that this installation knows.',
  fields: (t) => ({
    chainId: t.exposeInt('chainId', { description: 'The EVM number; Solana 101 to 103, Sui 784 to 786.' }),
    name: t.exposeString('name', { description: 'Display name.' }),
    family: t.expose('family', { type: ChainFamilyEnum, description: 'The kind of chain.' }),
    testnet: t.exposeBoolean('testnet', { description: 'Whether it is a test network.' }),
    explorerUrl: t.exposeString('explorerUrl', { nullable: true, description: 'A block explorer.' }),
    enabled: t.boolean({
      description: 'Whether this installation has a node for it.',
      resolve: (chain, _args, { world }) => world.registry.enabled().some(({ chainId }) => chainId === chain.chainId),
    }),
    confirmations: t.exposeInt('confirmations', {
      description: 'Number of confirmations after which an event counts.',
    }),
    escrow: t.exposeString('escrow', { nullable: true, description: 'The escrow contract.' }),
    nativeSymbol: t.string({ description: "The coin's symbol.", resolve: (chain) => chain.native.symbol }),
    tokens: t.field({
      type: [TokenRef],
      description: 'Tokens that payments can use, with the coin last.',
      resolve: (chain) => chain.tokens,
    }),
  }),
});

builder.queryField('chains', (t) =>
  t.field({
    type: [ChainRef],
    description: 'Chains by id; only those with a node unless all are asked for.',
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
    description: 'Tokens of one chain, or of all with a node.',
    authScopes: { public: true },
    args: { chainId: t.arg.int({ description: 'Only of this chain; none for an unknown one.' }) },
    resolve: (_root, { chainId }, { world }) =>
      chainId == null
        ? world.registry.enabled().flatMap((chain) => chain.tokens)
        : (world.registry.chain(chainId)?.tokens ?? []),
  }),
);
