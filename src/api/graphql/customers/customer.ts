/** The CustomerAccount and CustomerWallet types. */
import type { Chain } from '../../../chains/registry.ts';
import { ChainFamilyEnum } from '../apps/app.ts';
import { builder, NodeRef } from '../server/builder.ts';

const RELATED_LIMIT = 50;

const ChainInfo = builder.objectRef<Chain>('ChainInfo').implement({
  description: 'Chain data for a wallet.',
  fields: (t) => ({
    chainId: t.exposeInt('chainId', { description: 'Numeric chain ID.' }),
    name: t.exposeString('name', { description: 'Name of the chain.' }),
    family: t.expose('family', { type: ChainFamilyEnum, description: 'EVM, SOLANA or SUI.' }),
    testnet: t.exposeBoolean('testnet', { description: 'Whether it is a test network.' }),
    explorerUrl: t.exposeString('explorerUrl', { nullable: true, description: 'URL of a public block explorer.' }),
  }),
});

const WalletAuthorizationTypeEnum = builder.enumType('WalletAuthorizationType', {
  description: 'How a wallet authorized the escrow to charge it.',
  values: {
    PERMIT: { value: 'PERMIT', description: 'By a signed EIP-2612 permit.' },
    APPROVAL: { value: 'APPROVAL', description: 'By a call of ERC-20 `approve`.' },
  } as const,
});

export const CustomerWalletRef = builder.prismaObject('CustomerWallet', {
  description: "A customer's address on one chain.",
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    customerAccountId: t.expose('customerAccountId', { type: 'UUID', description: 'The customer.' }),
    chainId: t.exposeInt('chainId', { description: 'Numeric chain ID.' }),
    walletAddress: t.expose('walletAddress', {
      type: 'Address',
      description: 'Address of the wallet, with its checksum.',
    }),
    hasActiveAuthorization: t.exposeBoolean('hasActiveAuthorization', {
      description:
        'Whether the escrow has a positive allowance for any registered token, or an active recurring consent.',
    }),
    authorizationType: t.expose('authorizationType', {
      type: WalletAuthorizationTypeEnum,
      nullable: true,
      description: 'How the wallet authorized the escrow.',
    }),
    authorizationTxHash: t.exposeString('authorizationTxHash', {
      nullable: true,
      description: 'Hash of the transaction that authorized the escrow. Null if there was none.',
    }),
    authorizedAt: t.expose('authorizedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Block time of the authorization.',
    }),
    chain: t.field({
      type: ChainInfo,
      nullable: true,
      description: 'The chain. Null if it is no longer registered.',
      select: { chainId: true },
      resolve: (wallet, _args, context) => context.world.registry.chain(wallet.chainId) ?? null,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which it was linked.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
  }),
});

type Counts = { paymentIntents: number; subscriptions: number; invoices: number };
const CustomerCounts = builder.objectRef<Counts>('CustomerCounts').implement({
  description: 'Number of objects related to a customer.',
  fields: (t) => ({
    paymentIntents: t.exposeInt('paymentIntents', { description: 'Payment intents.' }),
    subscriptions: t.exposeInt('subscriptions', { description: 'Subscriptions.' }),
    invoices: t.exposeInt('invoices', { description: 'Invoices.' }),
  }),
});

export const CustomerAccountRef = builder.prismaObject('CustomerAccount', {
  description: 'An end user of an app.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    appId: t.expose('appId', { type: 'UUID', description: 'The owning app.' }),
    externalId: t.exposeString('externalId', {
      nullable: true,
      description: "The merchant's own ID for the customer.",
    }),
    email: t.exposeString('email', { nullable: true, description: 'At most 255 characters.' }),
    name: t.exposeString('name', { nullable: true, description: 'At most 255 characters.' }),
    address: t.exposeString('address', { nullable: true, description: 'At most 500 characters.' }),
    city: t.exposeString('city', { nullable: true, description: 'At most 255 characters.' }),
    state: t.exposeString('state', { nullable: true, description: 'At most 255 characters.' }),
    country: t.exposeString('country', { nullable: true, description: 'At most 255 characters.' }),
    postalCode: t.exposeString('postalCode', { nullable: true, description: 'At most 50 characters.' }),
    locale: t.exposeString('locale', {
      nullable: true,
      description: 'The language of emails to the customer: `en` or `de`. Null if the language of the app applies.',
    }),
    metadata: t.expose('metadata', { type: 'JSONObject', description: "The merchant's own data." }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
    app: t.relation('app', { description: 'The owning app.' }),
    wallets: t.relation('wallets', {
      description: 'Linked wallets, oldest first.',
      query: { orderBy: { id: 'asc' } },
    }),
    paymentIntents: t.relation('paymentIntents', {
      description: 'Newest first, at most 50.',
      query: { orderBy: { id: 'desc' }, take: RELATED_LIMIT },
    }),
    invoices: t.relation('invoices', {
      description: 'Newest first, at most 50.',
      query: { orderBy: { id: 'desc' }, take: RELATED_LIMIT },
    }),
    subscriptions: t.relation('subscriptions', {
      description: 'Newest first, at most 50.',
      query: { orderBy: { id: 'desc' }, take: RELATED_LIMIT },
    }),
    _count: t.field({
      type: CustomerCounts,
      description: 'Number of related objects.',
      select: { _count: { select: { paymentIntents: true, subscriptions: true, invoices: true } } },
      resolve: (customer) => customer._count,
    }),
  }),
});
