/** The query search: the hits of all kinds for the dashboard's search box. */
import type { Prisma } from '../../../../prisma/client.ts';
import { appScope } from '../../../auth/app-scope.ts';
import type { ScopedDatabase } from '../../../auth/scoped-database.ts';
import { readEvmAddress } from '../../../chains/evm/evm-address.ts';
import { invalid } from '../../../errors.ts';
import { findByText } from '../../../payments/search/find-by-text.ts';
import { isId } from '../../../platform/identifier.ts';
import { CustomerAccountRef } from '../customers/customer.ts';
import { InvoiceRef } from '../invoices/invoice.ts';
import { PaymentLinkRef } from '../links/payment-link.ts';
import { PaymentIntentRef } from '../payments/payment-intent.ts';
import { hashOf } from '../payments/payment-intent-filter.ts';
import { builder } from '../server/builder.ts';
import type { GraphqlContext } from '../server/context.ts';
import { scopeOf } from '../server/scope-of.ts';
import { containing } from '../server/search.ts';
import { SubscriptionRef } from '../subscriptions/subscription.ts';

const TEXT_LIMIT = 255;
/** Maximum number of hits per kind. */
const HITS = 10;
/** Maximum number of rows of one wallet that are examined. */
const WALLETS = 100;
const BASE58_ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** The matching rows of each kind. Null if no row of that kind can match. */
type Found = {
  payments: Prisma.PaymentIntentWhereInput | null;
  customers: Prisma.CustomerAccountWhereInput | null;
  subscriptions: Prisma.SubscriptionWhereInput | null;
  invoices: Prisma.InvoiceWhereInput | null;
  paymentLinks: Prisma.PaymentLinkWhereInput | null;
};

const nothing: Found = { payments: null, customers: null, subscriptions: null, invoices: null, paymentLinks: null };
const order = { orderBy: { id: 'desc' }, take: HITS } as const;

const SearchHitsRef = builder.objectRef<Found>('SearchHits').implement({
  description: `Matching objects, newest first; at most ${HITS} of each kind.`,
  fields: (t) => ({
    payments: t.prismaField({
      type: [PaymentIntentRef],
      description:
        'Payment intents, found by ID, transaction hash, terms hash, wallet, or the beginning of the external ID.',
      complexity: { field: HITS, multiplier: HITS },
      resolve: (query, { payments }, _args, { database }) =>
        payments ? database.paymentIntent.findMany({ ...query, where: payments, ...order }) : [],
    }),
    customers: t.prismaField({
      type: [CustomerAccountRef],
      description: 'Customers, found by ID, by wallet, or by the beginning of the email, name or external ID.',
      complexity: { field: HITS, multiplier: HITS },
      resolve: (query, { customers }, _args, { database }) =>
        customers ? database.customerAccount.findMany({ ...query, where: customers, ...order }) : [],
    }),
    subscriptions: t.prismaField({
      type: [SubscriptionRef],
      description: 'Subscriptions, found by ID.',
      complexity: { field: HITS, multiplier: HITS },
      resolve: (query, { subscriptions }, _args, { database }) =>
        subscriptions ? database.subscription.findMany({ ...query, where: subscriptions, ...order }) : [],
    }),
    invoices: t.prismaField({
      type: [InvoiceRef],
      description: 'Invoices, found by ID or number.',
      complexity: { field: HITS, multiplier: HITS },
      resolve: (query, { invoices }, _args, { database }) =>
        invoices ? database.invoice.findMany({ ...query, where: invoices, ...order }) : [],
    }),
    paymentLinks: t.prismaField({
      type: [PaymentLinkRef],
      description: 'Payment links, found by ID, slug or part of the name.',
      complexity: { field: HITS, multiplier: HITS },
      resolve: (query, { paymentLinks }, _args, { database }) =>
        paymentLinks ? database.paymentLink.findMany({ ...query, where: paymentLinks, ...order }) : [],
    }),
  }),
});

builder.queryField('search', (t) =>
  t.field({
    type: SearchHitsRef,
    description:
      'Finds objects by ID, transaction hash, wallet, email, name, reference or number. Searches all apps of the caller unless `appId` is given.',
    authScopes: { read: true },
    args: {
      text: t.arg.string({
        required: true,
        description: `1 to ${TEXT_LIMIT} characters. Case-insensitive except for Solana.`,
      }),
      appId: t.arg.id({ description: 'Only this app.' }),
    },
    resolve: async (_root, { text: given, appId }, context) => {
      const text = given.trim();
      if (text.length === 0 || text.length > TEXT_LIMIT) {
        throw invalid([{ param: 'text', message: `must have 1 to ${TEXT_LIMIT} characters` }]);
      }
      return await find(context, text, appId);
    },
  }),
);

async function find(context: GraphqlContext, text: string, appId: string | null | undefined): Promise<Found> {
  const scope = await scopeOf(context, { appId });
  const app = appScope(scope);
  const apps = await context.database.app.findMany({
    where: scope.appId === null ? {} : { id: scope.appId },
    select: { id: true },
  });
  const named = await findByText(context.world.database, { appIds: apps.map(({ id }) => id), text, limit: HITS });
  const [ofReference, ofName] = [{ id: { in: named.payments } }, { id: { in: named.customers } }];
  if (isId(text)) {
    const id = text.toLowerCase();
    const own = { ...app, id };
    const session = await context.database.checkoutSession.findUnique({
      where: { id },
      select: { paymentIntentId: true },
    });
    const payments = { ...app, id: { in: [id, session?.paymentIntentId ?? id, ...named.payments] } };
    const customers = { ...app, OR: [{ id }, ofName] };
    return { payments, customers, subscriptions: own, invoices: own, paymentLinks: own };
  }
  const hash = hashOf(text);
  if (hash !== null) {
    const ids = [...(await paymentsOfHash(context.database, hash)), ...named.payments];
    return { ...nothing, payments: { ...app, id: { in: ids } } };
  }
  const wallet = readEvmAddress(text) ?? (BASE58_ADDRESS.test(text) ? text : null);
  if (wallet !== null) {
    const holders = await customersOfWallet(context.database, wallet);
    const customers = { ...app, id: { in: [...holders, ...named.customers] } };
    return { ...nothing, payments: { ...app, OR: [{ authorizationWalletAddress: wallet }, ofReference] }, customers };
  }
  return {
    payments: { ...app, ...ofReference },
    customers: { ...app, ...ofName },
    subscriptions: null,
    invoices: { ...app, invoiceNumber: { in: [text, text.toUpperCase()] } },
    paymentLinks: { ...app, OR: [{ slug: text.toLowerCase() }, { name: containing(text) }] },
  };
}

/** Reads by the wallets' index, because for a combined condition Postgres would read all customers. */
async function customersOfWallet(database: ScopedDatabase, walletAddress: string): Promise<string[]> {
  const wallets = await database.customerWallet.findMany({
    where: { walletAddress },
    select: { customerAccountId: true },
    orderBy: { customerAccountId: 'desc' },
    // A customer has the wallet once on each chain.
    take: WALLETS,
  });
  return wallets.map(({ customerAccountId }) => customerAccountId);
}

/** Reads by each index separately, because for a combined condition Postgres would read all payments. */
async function paymentsOfHash(database: ScopedDatabase, hash: string): Promise<string[]> {
  const [paid, steps, terms] = await Promise.all([
    database.paymentIntent.findMany({ where: { authorizationTxHash: hash }, select: { id: true }, take: HITS }),
    database.transaction.findMany({ where: { txHash: hash }, select: { paymentIntentId: true }, take: HITS }),
    database.paymentTerms.findMany({ where: { termsHash: hash }, select: { paymentIntentId: true }, take: HITS }),
  ]);
  return [...paid.map(({ id }) => id), ...[...steps, ...terms].map(({ paymentIntentId }) => paymentIntentId)];
}
