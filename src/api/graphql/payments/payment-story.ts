/** The objects of a payment: its steps, terms, ledger, events and the people involved. */

import { asFinality, type SequencedEvent } from '../../../events/store.ts';
import { isAccepted } from '../../../payments/payment-key.ts';
import { type PriceEvidence, readEvidence } from '../../../prices/price-evidence.ts';
import { CheckoutSessionRef } from '../checkout/checkout-session.ts';
import { PriceEvidenceRef } from '../checkout/payment-step.ts';
import { EventRef } from '../events/events.ts';
import { batched } from '../server/batch.ts';
import { builder, NodeRef } from '../server/builder.ts';
import type { GraphqlContext } from '../server/context.ts';
import { DisputeRef } from './dispute.ts';
import { AuthorizationMethodEnum, PaymentIntentRef } from './payment-intent.ts';
import { TransactionRef } from './transaction.ts';

/** Maximum number of rows of each kind per payment. */
const ROWS = 100;

const LedgerAccountEnum = builder.enumType('LedgerAccount', {
  description: 'The owner of the money in a ledger entry.',
  values: {
    PAYER: { value: 'PAYER', description: 'The payer.' },
    ESCROW: { value: 'ESCROW', description: 'The escrow contract.' },
    MERCHANT: { value: 'MERCHANT', description: 'The merchant.' },
    FEE: { value: 'FEE', description: 'The fee recipient.' },
    UNDELIVERED: { value: 'UNDELIVERED', description: 'What the escrow keeps for a recipient that it could not pay.' },
  } as const,
});

export const LedgerEntryRef = builder.prismaObject('LedgerEntry', {
  description: 'A ledger entry. The entries of one on-chain event sum to zero.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    account: t.expose('account', { type: LedgerAccountEnum, description: 'The owner of the money.' }),
    kind: t.exposeString('kind', { description: 'The on-chain event that caused the entry, such as Settled.' }),
    amount: t.string({
      description: 'Signed amount in base units, as an integer string.',
      select: { amount: true },
      resolve: (entry) => entry.amount.toFixed(0),
    }),
    tokenKey: t.exposeString('tokenKey', { description: 'The token.' }),
    chainId: t.exposeInt('chainId', { description: 'Numeric chain ID.' }),
    txHash: t.exposeString('txHash', { description: 'Hash of the transaction.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of the entry.' }),
  }),
});

builder.prismaObject('PaymentTerms', {
  description: 'Payment terms that this gateway signed. An authorization counts only if it is for one of these.',
  fields: (t) => ({
    hash: t.exposeString('termsHash', {
      description: 'EIP-712 struct hash of the terms, which identifies the payment on its chain.',
    }),
    chainId: t.exposeInt('chainId', { description: 'Numeric chain ID.' }),
    tokenKey: t.exposeString('tokenKey', { description: 'The token.' }),
    method: t.expose('method', {
      type: AuthorizationMethodEnum,
      description: 'The method for which the terms were prepared.',
    }),
    accepted: t.boolean({
      description: 'Whether these are the terms that the payer paid.',
      select: {
        chainId: true,
        termsHash: true,
        paymentIntent: { select: { acceptedTermsHash: true, authorizationChainId: true } },
      },
      resolve: (terms) => isAccepted(terms.paymentIntent, terms),
    }),
    exchangeRate: t.string({
      description: 'Number of whole tokens per 1 USD, as a decimal string.',
      select: { exchangeRate: true },
      resolve: (terms) => terms.exchangeRate.toFixed(),
    }),
    priceEvidence: t.field({
      type: [PriceEvidenceRef],
      complexity: { field: 1, multiplier: 2 },
      description: 'The quotes behind the price, by asset. Empty if nothing was quoted, as for a renewal.',
      select: { quoteId: true },
      resolve: async ({ quoteId }, _args, context) => {
        if (quoteId === null) return [];
        return (await batched(context, 'quoteEvidence', quoteId, (ids) => readQuoteEvidence(context, ids))) ?? [];
      },
    }),
    authorizeBy: t.expose('authorizeBy', {
      type: 'DateTime',
      description: 'Latest time at which the payment can be authorized.',
    }),
    struct: t.expose('terms', { type: 'JSONObject', description: 'The signed struct, with integers as strings.' }),
    signedByOperator: t.boolean({
      description: 'Whether the operator has signed them.',
      select: { operatorSignature: true },
      resolve: (terms) => terms.operatorSignature !== '',
    }),
    signedByPayer: t.boolean({
      description: 'Whether the gateway has a signature of the payer. A DIRECT payer signs the transaction instead.',
      select: { payerSignature: true },
      resolve: (terms) => terms.payerSignature !== null,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which the operator signed.' }),
  }),
});

/** A payer reads the payment of a session without these. */
const authScopes = { read: true };

builder.prismaObjectFields(PaymentIntentRef, (t) => ({
  transactions: t.relation('transactions', {
    authScopes,
    type: TransactionRef,
    complexity: { field: 1, multiplier: 4 },
    description: 'On-chain transactions of the payment, oldest first; at most 100.',
    query: { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }], take: ROWS },
  }),
  dispute: t.relation('dispute', { type: DisputeRef, nullable: true, authScopes, description: "The payer's dispute." }),
  customerAccount: t.relation('customerAccount', { nullable: true, authScopes, description: 'The linked customer.' }),
  app: t.relation('app', { authScopes, description: 'The owning app.' }),
  ledger: t.relation('ledger', {
    authScopes,
    complexity: { field: 1, multiplier: 5 },
    description: 'Ledger entries of the payment, oldest first; at most 100.',
    query: { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }], take: ROWS },
  }),
  terms: t.relation('terms', {
    authScopes,
    complexity: { field: 1, multiplier: 2 },
    description: 'All terms that were signed for the payment, newest first; at most 100.',
    query: { orderBy: { createdAt: 'desc' }, take: ROWS },
  }),
  checkoutSession: t.field({
    authScopes,
    type: CheckoutSessionRef,
    nullable: true,
    description: 'The latest checkout session of the payment intent.',
    select: (_args, _context, nestedSelection) => ({
      checkoutSessions: nestedSelection({ orderBy: { id: 'desc' }, take: 1 }),
    }),
    resolve: (intent) => intent.checkoutSessions[0] ?? null,
  }),
  events: t.field({
    authScopes,
    type: [EventRef],
    complexity: { field: 1, multiplier: 6 },
    description: 'Events of the payment and of its dispute, oldest first, at most 100.',
    select: { id: true },
    resolve: async (intent, _args, context) =>
      (await batched(context, 'paymentEvents', intent.id, (ids) => readPaymentEvents(context, ids))) ?? [],
  }),
}));

async function readQuoteEvidence(context: GraphqlContext, ids: string[]): Promise<Map<string, PriceEvidence>> {
  const quotes = await context.database.quote.findMany({
    where: { id: { in: ids } },
    select: { id: true, evidence: true },
  });
  return new Map(quotes.map(({ id, evidence }) => [id, readEvidence(evidence)]));
}

async function readPaymentEvents(context: GraphqlContext, ids: string[]): Promise<Map<string, SequencedEvent[]>> {
  const disputes = await context.database.dispute.findMany({
    where: { paymentIntentId: { in: ids } },
    select: { id: true, paymentIntentId: true },
  });
  const paymentOf = new Map([
    ...ids.map((id) => [id, id] as const),
    ...disputes.map((d) => [d.id, d.paymentIntentId] as const),
  ]);
  const rows = await context.database.event.findMany({
    where: { resourceId: { in: [...paymentOf.keys()] } },
    orderBy: { sequence: 'asc' },
    take: ROWS * ids.length,
  });
  const found = new Map<string, SequencedEvent[]>();
  for (const row of rows) {
    const id = paymentOf.get(row.resourceId);
    const data = typeof row.data === 'object' && row.data !== null ? { ...row.data } : {};
    if (id === undefined) continue;
    const events = found.get(id) ?? [];
    if (events.length < ROWS) events.push({ ...row, data, finality: asFinality(row.finality) });
    found.set(id, events);
  }
  return found;
}
