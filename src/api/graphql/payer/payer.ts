/** The query payer: all that a wallet has with this installation, across merchants. */
import { getAddress } from 'viem';
import type { Principal } from '../../../auth/principal.ts';
import { type Allowance, readAllowances } from '../../../card/payer/read-allowances.ts';
import { UndeliveredPayoutRef } from '../payments/undelivered.ts';
import { builder } from '../server/builder.ts';
import { refusal } from '../server/scope-of.ts';
import { PayerConsentRef, PayerPaymentRef, shownToPayer } from './payer-rows.ts';

type PayerPrincipal = Extract<Principal, { kind: 'payer' }>;

const PAYMENTS = 50;
const PAYOUTS = 100;
const CONSENTS = 100;

const PayerAllowanceRef = builder.objectRef<Allowance>('PayerAllowance').implement({
  description:
    'What a wallet lets the escrow take of a token. An allowance alone moves nothing: each payment is signed.',
  fields: (t) => ({
    chainId: t.exposeInt('chainId', { description: 'The chain.' }),
    tokenKey: t.exposeString('tokenKey', { description: 'The token.' }),
    amount: t.field({
      type: 'BaseUnits',
      nullable: true,
      description: 'Base units, above zero; null where the chain could not be asked.',
      resolve: ({ amount }) => amount,
    }),
  }),
});

const PayerRef = builder.objectRef<PayerPrincipal>('Payer').implement({
  description: 'A wallet, and all that it has with this installation, whichever merchant it paid.',
  fields: (t) => ({
    wallet: t.exposeString('wallet', { description: 'Checksummed.' }),
    chainId: t.exposeInt('chainId', {
      nullable: true,
      description: 'The one chain that is shown, for a contract wallet; null: all.',
    }),
    payments: t.field({
      type: [PayerPaymentRef],
      description: `Payments that this wallet made into the escrow, newest first, at most ${PAYMENTS}.`,
      args: { before: t.arg({ type: 'UUID', description: 'Only those older than this payment intent.' }) },
      complexity: { field: 10, multiplier: PAYMENTS / 5 },
      resolve: ({ wallet }, { before }, context) =>
        context.database.paymentIntent.findMany({
          where: { acceptedTermsHash: { not: null }, ...(before ? { id: { lt: before } } : {}) },
          include: shownToPayer(wallet),
          orderBy: { id: 'desc' },
          take: PAYMENTS,
        }),
    }),
    undelivered: t.field({
      type: [UndeliveredPayoutRef],
      description: `All that was to go back to this wallet and could not be delivered yet, oldest first, at most ${PAYOUTS}; also of payments that did not count, because another wallet paid the same intent.`,
      complexity: { field: 10, multiplier: 10 },
      resolve: (_payer, _args, context) =>
        context.database.creditedPayout.findMany({
          where: { deliveredAt: null },
          orderBy: [{ creditedAt: 'asc' }, { id: 'asc' }],
          take: PAYOUTS,
        }),
    }),
    consents: t.field({
      type: [PayerConsentRef],
      description: `Recurring consents that this wallet signed, newest first, ended ones too, at most ${CONSENTS}.`,
      complexity: { field: 10, multiplier: 10 },
      resolve: (_payer, _args, context) =>
        context.database.subscriptionConsent.findMany({
          include: {
            acceptedBy: { select: { id: true } },
            subscription: {
              include: {
                app: { select: { name: true, logoUrl: true } },
                productPlan: { select: { name: true } },
                productPlanPrice: true,
              },
            },
          },
          orderBy: { createdAt: 'desc' },
          take: CONSENTS,
        }),
    }),
    allowances: t.field({
      type: [PayerAllowanceRef],
      description: 'What the wallet lets the escrow take, read from the chains now.',
      complexity: { field: 500, multiplier: 5 },
      resolve: ({ wallet, chainId }, _args, { world }) =>
        readAllowances(world, { wallet: getAddress(wallet), chainId }),
    }),
  }),
});

builder.queryField('payer', (t) =>
  t.field({
    type: PayerRef,
    description: "What the caller's wallet has with this installation.",
    authScopes: { payer: true },
    resolve: (_root, _args, { principal }) => {
      if (principal.kind !== 'payer') throw refusal(principal);
      return principal;
    },
  }),
);
