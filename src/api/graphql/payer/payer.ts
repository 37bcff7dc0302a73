/** The query payer: all payments and consents of a wallet in this installation, across merchants. */
import { getAddress } from 'viem';
import type { Principal } from '../../../auth/principal.ts';
import { type Allowance, readAllowances } from '../../../card/payer/read-allowances.ts';
import { UndeliveredPayoutConnection, UndeliveredPayoutRef } from '../payments/undelivered.ts';
import { builder } from '../server/builder.ts';
import { connectionSize } from '../server/connection.ts';
import { byId, byTime, walk } from '../server/lists/keyset.ts';
import { connectionOf } from '../server/lists/related-connection.ts';
import { refusal } from '../server/scope-of.ts';
import { shownUsage } from '../subscriptions/usage.ts';
import { PayerConsentRef, PayerPaymentRef, shownToPayer } from './payer-rows.ts';

type PayerPrincipal = Extract<Principal, { kind: 'payer' }>;

const PAYMENTS = 50;
const PAYOUTS = 100;
const CONSENTS = 100;

const PayerAllowanceRef = builder.objectRef<Allowance>('PayerAllowance').implement({
  description:
    'A token allowance that a wallet has granted to the escrow. An allowance alone moves no tokens, because the payer signs each payment.',
  fields: (t) => ({
    chainId: t.exposeInt('chainId', { description: 'Numeric chain ID.' }),
    tokenKey: t.exposeString('tokenKey', { description: 'The token.' }),
    amount: t.field({
      type: 'BaseUnits',
      nullable: true,
      description: 'Allowance in base units, above zero. Null if the chain could not be read.',
      resolve: ({ amount }) => amount,
    }),
  }),
});

const paid = { acceptedTermsHash: { not: null } };
const undelivered = { deliveredAt: null };

/** The selection for a `PayerConsent`. */
const consentRow = {
  acceptedBy: { select: { id: true } },
  subscription: {
    include: {
      app: { select: { name: true, logoUrl: true } },
      productPlan: { select: { name: true } },
      productPlanPrice: true,
      usagePeriods: { where: { closedAt: null }, include: shownUsage, orderBy: { startsAt: 'asc' } },
    },
  },
} as const;

const keysets = {
  payments: byId('NEWEST'),
  undelivered: byTime('creditedAt', 'OLDEST', 'id'),
  consents: byTime('createdAt', 'NEWEST', 'quoteId'),
};

const PayerRef = builder.objectRef<PayerPrincipal>('Payer').implement({
  description: 'A wallet, with everything that it has paid and signed in this installation, for all merchants.',
  fields: (t) => ({
    wallet: t.exposeString('wallet', { description: 'Address of the wallet, with its checksum.' }),
    chainId: t.exposeInt('chainId', {
      nullable: true,
      description: 'For a contract wallet, the only chain that is shown. Null if all chains are shown.',
    }),
    payments: t.field({
      type: [PayerPaymentRef],
      description: `Payments that this wallet made into the escrow, newest first, at most ${PAYMENTS}.`,
      args: { before: t.arg({ type: 'UUID', description: 'Only payments that are older than this payment intent.' }) },
      complexity: { field: 10, multiplier: PAYMENTS / 5 },
      resolve: ({ wallet }, { before }, context) =>
        context.database.paymentIntent.findMany({
          where: { ...paid, ...(before ? { id: { lt: before } } : {}) },
          include: shownToPayer(wallet),
          orderBy: { id: 'desc' },
          take: PAYMENTS,
        }),
    }),
    undelivered: t.field({
      type: [UndeliveredPayoutRef],
      description: `Payouts to this wallet that have not been delivered yet, oldest first; at most ${PAYOUTS}. They include returns of payments that did not count because another wallet paid the same payment intent.`,
      complexity: { field: 10, multiplier: 10 },
      resolve: (_payer, _args, context) =>
        context.database.creditedPayout.findMany({
          where: undelivered,
          orderBy: [{ creditedAt: 'asc' }, { id: 'asc' }],
          take: PAYOUTS,
        }),
    }),
    consents: t.field({
      type: [PayerConsentRef],
      description: `Recurring consents that this wallet signed, newest first, including ended ones; at most ${CONSENTS}.`,
      complexity: { field: 10, multiplier: 10 },
      resolve: (_payer, _args, context) =>
        context.database.subscriptionConsent.findMany({
          include: consentRow,
          orderBy: { createdAt: 'desc' },
          take: CONSENTS,
        }),
    }),
    paymentsConnection: t.field({
      type: connectionOf(PayerPaymentRef),
      description: 'Payments that this wallet made into the escrow, newest first.',
      complexity: (args) => ({ field: 1, multiplier: connectionSize(args) }),
      args: t.arg.connectionArgs(),
      resolve: ({ wallet }, args, { database }) =>
        walk(args, {
          keyset: keysets.payments,
          read: ({ where, ...window }) =>
            database.paymentIntent.findMany({
              ...window,
              where: { AND: [paid, where] },
              include: shownToPayer(wallet),
            }),
          count: () => database.paymentIntent.count({ where: paid }),
        }),
    }),
    undeliveredConnection: t.field({
      type: UndeliveredPayoutConnection,
      description: 'Payouts to this wallet that have not been delivered yet, oldest first.',
      complexity: (args) => ({ field: 1, multiplier: connectionSize(args) }),
      extensions: { cursorForm: keysets.undelivered.form },
      args: t.arg.connectionArgs(),
      resolve: (_payer, args, { database }) =>
        walk(args, {
          keyset: keysets.undelivered,
          read: ({ where, ...window }) =>
            database.creditedPayout.findMany({ ...window, where: { AND: [undelivered, where] } }),
          count: () => database.creditedPayout.count({ where: undelivered }),
        }),
    }),
    consentsConnection: t.field({
      type: connectionOf(PayerConsentRef),
      description: 'Recurring consents that this wallet signed, newest first, including ended ones.',
      complexity: (args) => ({ field: 1, multiplier: connectionSize(args) }),
      extensions: { cursorForm: keysets.consents.form },
      args: t.arg.connectionArgs(),
      resolve: (_payer, args, { database }) =>
        walk(args, {
          keyset: keysets.consents,
          read: (window) => database.subscriptionConsent.findMany({ ...window, include: consentRow }),
          count: () => database.subscriptionConsent.count(),
        }),
    }),
    allowances: t.field({
      type: [PayerAllowanceRef],
      description: 'Token allowances that the wallet has granted to the escrow, read from the chains now.',
      complexity: { field: 500, multiplier: 5 },
      resolve: ({ wallet, chainId }, _args, { world }) =>
        readAllowances(world, { wallet: getAddress(wallet), chainId }),
    }),
  }),
});

builder.queryField('payer', (t) =>
  t.field({
    type: PayerRef,
    description: "The payments and consents of the caller's wallet in this installation.",
    authScopes: { payer: true },
    resolve: (_root, _args, { principal }) => {
      if (principal.kind !== 'payer') throw refusal(principal);
      return principal;
    },
  }),
);
